/**
 * A command that extensions may connect to while it works.
 *
 * Owns the words about the bridge, and that nothing begins before the tools are there that are waited for.
 */
import { randomBytes } from "node:crypto";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { ToolId } from "@cahier/domain/tool/ToolId";
import type { ExtensionTools } from "@cahier/ports/ExtensionTools";
import type { HostProcess } from "@cahier/ports/HostProcess";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type * as Scope from "effect/Scope";
import type { ExtensionBridge, PortFault } from "../extensions/ExtensionBridge.ts";
import { type ExtensionOptions, tokenVariable } from "./extensionOptions.ts";
import { invalid, type ParsedCommand } from "./parse.ts";
import { printable } from "./printable.ts";
import { stoppedEarly, unlessStopped } from "./stoppable.ts";

/**
 * Opens the bridge where `options` ask for it, waits for the tools that they name, and does the work then. Fails with
 * `extension.tool_unavailable` when a tool does not come in time; gives exit code 130 when it is stopped before.
 */
export const withExtensions = <R>(
  command: ParsedCommand,
  options: ExtensionOptions | undefined,
  work: Effect.Effect<number, Fatal, R>,
): Effect.Effect<number, Fatal, R | ExtensionTools | HostProcess | Scope.Scope> =>
  options === undefined
    ? work
    : Effect.gen(function* () {
        const bridge = yield* opened(options);
        const missing = yield* unlessStopped(bridge.awaitTools(options.waitFor, options.waitSeconds * 1_000));
        if (missing === undefined) return yield* stoppedEarly(command);
        if (missing.length > 0) return yield* notThere(missing, bridge, options);
        return yield* work;
      });

const opened = Effect.fnUntraced(function* ({ origins, port, token: stated }: ExtensionOptions) {
  const { make } = yield* Effect.promise(() => import("../extensions/ExtensionBridge.ts"));
  const token = stated ?? Redacted.make(randomBytes(32).toString("base64url"));
  const bridge = yield* Effect.mapError(make({ port, origins, token }), (fault) => taken(port, fault));
  yield* say(`Extensions connect to ${bridge.url}`);
  // One that was given is known already.
  if (stated === undefined) yield* say(`and say this token, which ${tokenVariable} replaces: ${Redacted.value(token)}`);
  return bridge;
});

const taken = (port: number, { reason }: PortFault): Fatal =>
  invalid(`--extensions cannot listen at port ${port} (${reason}). Give another one, or none for a free one.`);

const notThere = (missing: ReadonlyArray<ToolId>, { url }: ExtensionBridge, { waitSeconds }: ExtensionOptions) => {
  const names = new Intl.ListFormat("en").format(missing.map(printable));
  const verb = missing.length === 1 ? "was" : "were";
  return Effect.fail(
    fatal(
      "extension.tool_unavailable",
      `${names} ${verb} not registered within ${waitSeconds} s, so nothing was begun. Look whether the extension runs, connects to ${url} and says the right token; --wait-seconds N waits longer.`,
    ),
  );
};

const say = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stderr.write(`cahier: ${text}\n`));
