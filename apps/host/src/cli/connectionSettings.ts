/**
 * The settings of a connection that the command line states beside its file.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Effect from "effect/Effect";
import * as Predicate from "effect/Predicate";
import { type ParsedCommand, wordOf } from "./parse.ts";

/** Fields by the member of a connection that they stand in. */
export interface Settings {
  readonly provider: Readonly<Record<string, string>>;
  readonly endpoint: Readonly<Record<string, string>>;
}

/** What --transport, --prompt-cache and --network say. */
export const statedSettings = Effect.fnUntraced(function* (command: ParsedCommand): Effect.fn.Return<Settings, Fatal> {
  const transport = yield* wordOf(command, "transport", ["websocket"]);
  const promptCacheTtl = yield* wordOf(command, "prompt-cache", ["5m", "1h"]);
  const network = yield* wordOf(command, "network", ["private"]);
  return {
    provider: {
      ...(transport === undefined ? {} : { transport }),
      ...(promptCacheTtl === undefined ? {} : { promptCacheTtl }),
    },
    endpoint: network === undefined ? {} : { network },
  };
});

/** A connection's parsed file with the settings in place of its own; what is no connection is left to be refused. */
export const withSettings = (input: unknown, { endpoint, provider }: Settings): unknown =>
  isRecord(input)
    ? { ...input, ...merged("provider", input, provider), ...merged("endpoint", input, endpoint) }
    : input;

const merged = (
  member: string,
  input: Readonly<Record<string, unknown>>,
  stated: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> => {
  const own = input[member] ?? {};
  return Object.keys(stated).length === 0 || !isRecord(own) ? {} : { [member]: { ...own, ...stated } };
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && !Array.isArray(value);
