/**
 * The commands that look at runs and never carry one on.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { allTasks } from "@cahier/domain/run/tasks";
import {
  listRuns,
  parseRunId,
  readEvents,
  readWorkspaceFile,
  showRun,
  subscribe,
} from "@cahier/application/run/RunReader";
import type { RunSummary } from "@cahier/application/run/RunSummary";
import type { Page } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as AgentNames from "../timeline/AgentNames.ts";
import { timelineOptions } from "../timeline/showLive.ts";
import { rowOf } from "../timeline/Timeline.ts";
import { look } from "./look.ts";
import * as Output from "./Output.ts";
import { has, invalid, numberOf, type ParsedCommand, valueOf } from "./parse.ts";
import { printable } from "./printable.ts";

/** `cahier runs list`. */
export const list = Effect.fn("cli.list")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const limit = yield* numberOf(command, "limit", 1, 200);
  return yield* look(
    command,
    Effect.gen(function* () {
      const runs = yield* listRuns(limit === undefined ? {} : { limit });
      if (has(command, "json")) yield* Output.json({ runs });
      else if (runs.length === 0) yield* Output.line("No runs yet. Start one with: cahier run --chat FILE.jsonl");
      else for (const run of runs) yield* Output.line(listed(run));
      return 0;
    }),
  );
});

/** `cahier runs events`. */
export const events = Effect.fn("cli.events")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const runId = yield* parseRunId(command.positionals[0] ?? "");
  const after = yield* numberOf(command, "after", 0, Number.MAX_SAFE_INTEGER);
  const before = yield* numberOf(command, "before", 1, Number.MAX_SAFE_INTEGER);
  const limit = yield* numberOf(command, "limit", 1, 500);
  const invocation = valueOf(command, "invocation");
  if (has(command, "follow") && (before ?? limit ?? invocation) !== undefined)
    return yield* invalid("--follow goes with --after only.");
  if (has(command, "follow")) return yield* look(command, follow(command, runId, after ?? 0));
  const page = readEvents(runId, {
    ...(after === undefined ? {} : { afterSeq: after }),
    ...(before === undefined ? {} : { beforeSeq: before }),
    ...(limit === undefined ? {} : { limit }),
    ...(invocation === undefined ? {} : { invocation }),
  });
  return yield* look(
    command,
    Effect.flatMap(page, (found) => showPage(command, runId, found)),
  );
});

/** `cahier runs file`. */
export const file = Effect.fn("cli.file")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const runId = yield* parseRunId(command.positionals[0] ?? "");
  return yield* look(
    command,
    Effect.gen(function* () {
      const found = yield* readWorkspaceFile(runId, command.positionals[1] ?? "");
      yield* has(command, "json") ? Output.json(found) : Output.raw(found.text);
      return 0;
    }),
  );
});

const follow = (command: ParsedCommand, runId: RunId, after: number) => {
  const asJson = has(command, "json");
  return Effect.flatMap(namesIn(runId), (names) =>
    subscribe(runId, after).pipe(
      Stream.tap(names.learn),
      Stream.runForEach((event) =>
        asJson ? Output.json(event) : Output.line(rowOf(event, { ...timelineOptions(), nameOf: names.nameOf })),
      ),
      Effect.as(0),
    ),
  );
};

/** The names of the agents that have work by now. */
const namesIn = Effect.fnUntraced(function* (runId: RunId) {
  const { state } = yield* showRun(runId);
  return yield* AgentNames.make(runId, allTasks(state));
});

/** A damaged journal is shown up to the damage; that it is damaged is said, and no failure of the look. */
const showPage = Effect.fnUntraced(function* (
  command: ParsedCommand,
  runId: RunId,
  { events: found, lastSeq, damage }: Page,
) {
  if (has(command, "json"))
    yield* Output.json({
      runId,
      events: found,
      lastSeq,
      ...(damage === undefined ? {} : { damage: { line: damage.line, seq: damage.seq, detail: damage.detail } }),
    });
  else {
    const { nameOf } = yield* namesIn(runId);
    for (const event of found) yield* Output.line(rowOf(event, { ...timelineOptions(), nameOf }));
  }
  if (damage !== undefined)
    yield* Output.complain(
      `The journal is damaged at line ${damage.line ?? "?"}; nothing after it is readable. Restore the rest from a backup.`,
      "journal.corrupt",
    );
  return 0;
});

const listed = (run: RunSummary): string =>
  [
    run.runId,
    run.createdAt,
    wordOf(run).padEnd(17),
    printable(run.chat === "" ? "(never admitted)" : run.chat),
    `${run.commitCount} committed`,
  ].join("  ");

/** What a list says of a run in one word. */
const wordOf = ({ standing, status }: RunSummary): string =>
  standing === "interrupted" || standing === "damaged" || standing === "unreadable" ? standing : status;
