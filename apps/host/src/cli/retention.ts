/**
 * `cahier retention plan|apply|settings`: how many runs are kept, and removing the others.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { BlockReason, PruneCandidate, RetentionPlan } from "@cahier/domain/retention/planRetention";
import type { RetentionSettings } from "@cahier/domain/retention/RetentionSettings";
import * as Retention from "@cahier/application/retention/Retention";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import * as Host from "../composition/Host.ts";
import * as Output from "./Output.ts";
import { has, numberOf, type ParsedCommand, wordOf } from "./parse.ts";
import { stoppable } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";

/** `cahier retention plan`. */
export const plan = Effect.fn("cli.retentionPlan")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const asked = yield* keptOf(command);
  return yield* withRetention(command, (retention) =>
    Effect.flatMap(retention.plan(asked), (found) => show(command, found, linesOf(found))),
  );
});

/** `cahier retention apply`. Exit code 3 when a run could not be slimmed or deleted. */
export const apply = Effect.fn("cli.retentionApply")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const asked = yield* keptOf(command);
  return yield* withRetention(command, (retention) =>
    Effect.gen(function* () {
      const done = yield* retention.apply(asked);
      const bytes = done.removed.bytes + done.collected.bytes;
      yield* show(command, done, [
        ...done.slimmed.map((runId) => `${runId}: slimmed, its journal stays`),
        ...done.deleted.map((runId) => `${runId}: deleted`),
        ...done.failed.map(({ action, code, message, runId }) => `${runId}: not ${past[action]}: ${message} [${code}]`),
        `${done.slimmed.length} slimmed, ${done.deleted.length} deleted, ${done.failed.length} could not be; ${bytes} bytes of content are gone`,
      ]);
      return done.failed.length === 0 ? 0 : 3;
    }),
  );
});

/** `cahier retention settings`: with options it changes them. */
export const settings = Effect.fn("cli.retentionSettings")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const auto = yield* wordOf(command, "auto", ["on", "off"]);
  const changes: Partial<RetentionSettings> = {
    ...(yield* keptOf(command)),
    ...(auto === undefined ? {} : { autoPruneEnabled: auto === "on" }),
  };
  return yield* withRetention(command, (retention) =>
    Effect.flatMap(
      Object.keys(changes).length === 0 ? retention.settings : retention.updateSettings(changes),
      (found) =>
        show(command, found, [
          `kept whole      the ${found.keepFullRecentRuns} runs that ended last`,
          `core history    of the ${found.keepRecentTerminalRuns} that ended last`,
          `by itself       ${found.autoPruneEnabled ? "yes, in a host that serves on and nowhere else; this program ends after each command and never does it: cahier retention apply does" : "no; cahier retention apply does it"}`,
        ]),
    ),
  );
});

const withRetention = (
  command: ParsedCommand,
  work: (retention: Retention.Retention["Service"]) => Effect.Effect<number, Fatal, Scope.Scope>,
) =>
  stoppable(command, Effect.flatMap(Retention.Retention, work)).pipe(
    Effect.provide(Layer.provideMerge(Retention.layer, Host.layer(storageOf(command)))),
    Effect.scoped,
  );

const keptOf = Effect.fnUntraced(function* (command: ParsedCommand) {
  const full = yield* numberOf(command, "full", 0, 10_000);
  const history = yield* numberOf(command, "history", 0, 10_000);
  return {
    ...(full === undefined ? {} : { keepFullRecentRuns: full }),
    ...(history === undefined ? {} : { keepRecentTerminalRuns: history }),
  };
});

const show = (command: ParsedCommand, found: object, lines: ReadonlyArray<string>): Effect.Effect<number> =>
  Effect.as(has(command, "json") ? Output.json(found) : Effect.forEach(lines, Output.line), 0);

const linesOf = ({ blocked, candidates, coreRetained, fullRetained }: RetentionPlan): ReadonlyArray<string> => [
  ...candidates.map(
    ({ action, blobs, bytes, runId }) => `${runId}: to be ${past[action]}, ${blobs} blobs, ${bytes} bytes`,
  ),
  ...blocked.map(({ blocked: reason, runId }) => `${runId}: kept, ${reasons[reason]}`),
  `${fullRetained} kept whole, ${coreRetained} kept as core history, ${candidates.length} to be removed or slimmed`,
];

const past: { readonly [Action in PruneCandidate["action"]]: string } = {
  slim_heavy_artifacts: "slimmed",
  delete_run: "deleted",
};

const reasons: { readonly [Reason in BlockReason]: string } = {
  active_run: "a process carries it on",
  missing_terminal_event: "it has not ended",
  invalid_journal: "its journal cannot be read whole; cahier doctor tells why",
  invalid_storage: "its content cannot be listed; cahier doctor tells why",
};
