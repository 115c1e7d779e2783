/**
 * The commands that look at runs and never carry one on.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import {
  listRuns,
  parseRunId,
  readEvents,
  readWorkspaceFile,
  type ShownRun,
  showRun,
  subscribe,
} from "@cahier/application/run/RunReader";
import { filesOf } from "@cahier/application/workspace/WorkspaceFiles";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as Host from "../composition/Host.ts";
import * as Storage from "../composition/Storage.ts";
import { coloursWanted } from "../timeline/showLive.ts";
import { rowOf } from "../timeline/Timeline.ts";
import * as Output from "./Output.ts";
import { has, numberOf, type ParsedCommand, valueOf } from "./parse.ts";

const host = (command: ParsedCommand) => Host.layer(Storage.dataDirectory(valueOf(command, "data"), process.env));

/** `cahier runs list`. */
export const list = Effect.fn("cli.list")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const limit = yield* numberOf(command, "limit", 1, 200);
  const runs = yield* listRuns(limit === undefined ? {} : { limit }).pipe(Effect.provide(host(command)), Effect.scoped);
  if (has(command, "json")) yield* Output.json({ runs });
  else if (runs.length === 0) yield* Output.line("No runs yet. Start one with: cahier run --chat FILE.jsonl");
  else
    for (const run of runs)
      yield* Output.line(
        `${run.runId}  ${run.createdAt}  ${run.standing === "interrupted" ? "interrupted" : run.status}  ${run.chat}  ${run.commitCount} committed`,
      );
  return 0;
});

/** `cahier runs show`. */
export const show = Effect.fn("cli.show")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const runId = yield* parseRunId(command.positionals[0] ?? "");
  const shown = yield* showRun(runId).pipe(Effect.provide(host(command)), Effect.scoped);
  yield* has(command, "json") ? Output.json(descriptionOf(runId, shown)) : Output.raw(textOf(runId, shown));
  return 0;
});

/** `cahier runs events`. */
export const events = Effect.fn("cli.events")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const runId = yield* parseRunId(command.positionals[0] ?? "");
  const after = yield* numberOf(command, "after", 0, Number.MAX_SAFE_INTEGER);
  const before = yield* numberOf(command, "before", 1, Number.MAX_SAFE_INTEGER);
  const limit = yield* numberOf(command, "limit", 1, 500);
  const invocation = valueOf(command, "invocation");
  const colours = coloursWanted();
  return yield* Effect.gen(function* () {
    if (has(command, "follow")) {
      yield* subscribe(runId, after ?? 0).pipe(
        Stream.runForEach((event) =>
          has(command, "json") ? Output.json(event) : Output.line(rowOf(event, { colours })),
        ),
      );
      return 0;
    }
    const page = yield* readEvents(runId, {
      ...(after === undefined ? {} : { afterSeq: after }),
      ...(before === undefined ? {} : { beforeSeq: before }),
      ...(limit === undefined ? {} : { limit }),
      ...(invocation === undefined ? {} : { invocation }),
    });
    if (has(command, "json"))
      yield* Output.json({
        runId,
        events: page.events,
        lastSeq: page.lastSeq,
        ...(page.damage === undefined
          ? {}
          : { damage: { line: page.damage.line, seq: page.damage.seq, detail: page.damage.detail } }),
      });
    else for (const event of page.events) yield* Output.line(rowOf(event, { colours }));
    if (page.damage !== undefined)
      yield* Output.complain(
        `cahier: The journal is damaged at line ${page.damage.line ?? "?"}; nothing after it is readable. [journal.corrupt]`,
      );
    return 0;
  }).pipe(Effect.provide(host(command)), Effect.scoped);
});

/** `cahier runs file`. */
export const file = Effect.fn("cli.file")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const runId = yield* parseRunId(command.positionals[0] ?? "");
  const found = yield* readWorkspaceFile(runId, command.positionals[1] ?? "").pipe(
    Effect.provide(host(command)),
    Effect.scoped,
  );
  yield* has(command, "json") ? Output.json(found) : Output.raw(found.text);
  return 0;
});

const descriptionOf = (runId: RunId, { state, standing, damage, unknownTypes }: ShownRun) => ({
  runId,
  status: state.status,
  standing,
  createdAt: state.createdAt,
  updatedAt: state.updatedAt,
  workspaceId: state.workspaceId,
  target: state.target,
  profileId: state.profileId,
  owner: state.owner,
  lastSeq: state.seq,
  invocations: Object.values(state.invocations).map((invocation) => ({
    invocationId: invocation.id,
    kind: invocation.kind,
    status: invocation.status,
    rounds: invocation.completedResponses,
    toolCalls: invocation.callCount,
    inputTokens: invocation.inputTokens,
    outputTokens: invocation.outputTokens,
  })),
  files: filesOf(state).map(({ path, bytes, chars, words, sha256 }) => ({ path, bytes, chars, words, sha256 })),
  committed: state.commits.map(({ messageIndex, path, chars, commitId }) => ({ messageIndex, path, chars, commitId })),
  ...(state.failure === null ? {} : { error: state.failure }),
  ...(damage === undefined ? {} : { damage: { line: damage.line, seq: damage.seq, detail: damage.detail } }),
  ...(unknownTypes.length === 0 ? {} : { unknownTypes }),
});

const textOf = (runId: RunId, shown: ShownRun): string => {
  const run = descriptionOf(runId, shown);
  return [
    `run        ${run.runId}`,
    `status     ${run.status}${run.standing === "interrupted" ? " (interrupted: nobody carries it on; cahier runs resume carries it on)" : ""}`,
    `started    ${run.createdAt ?? "never admitted"}`,
    `chat       ${run.target?.location ?? ""}`,
    `profile    ${run.profileId ?? ""}`,
    `events     ${run.lastSeq}`,
    ...run.invocations.map(
      (one) => `agent      ${one.invocationId}: ${one.status}, ${one.rounds} rounds, ${one.toolCalls} calls`,
    ),
    ...run.files.map((one) => `file       ${one.path}: ${one.chars} characters, ${one.words} words`),
    ...run.committed.map((one) => `committed  message ${one.messageIndex} from ${one.path}, ${one.chars} characters`),
    ...("error" in run && run.error !== undefined ? [`error      ${run.error.message} [${run.error.code}]`] : []),
    ...("damage" in run && run.damage !== undefined
      ? [`damaged    at line ${run.damage.line ?? "?"}: ${run.damage.detail}`]
      : []),
    "",
  ].join("\n");
};
