/**
 * The commands that look at runs and never carry one on.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { type CheckpointReason, checkpointsOf } from "@cahier/domain/run/checkpoint";
import {
  listRuns,
  parseRunId,
  readEvents,
  readWorkspaceFile,
  type ShownRun,
  showRun,
  subscribe,
} from "@cahier/application/run/RunReader";
import type { RunSummary } from "@cahier/application/run/RunSummary";
import { filesOf } from "@cahier/application/workspace/WorkspaceFiles";
import type { Page } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { timelineOptions } from "../timeline/showLive.ts";
import { rowOf } from "../timeline/Timeline.ts";
import { look } from "./look.ts";
import * as Output from "./Output.ts";
import { goOnWith, type WholeWaitingCall, withArguments } from "./waitingCalls.ts";
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

/** `cahier runs show`. */
export const show = Effect.fn("cli.show")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const runId = yield* parseRunId(command.positionals[0] ?? "");
  return yield* look(
    command,
    Effect.gen(function* () {
      const shown = yield* showRun(runId);
      const awaiting = yield* withArguments(runId, shown.state);
      yield* has(command, "json")
        ? Output.json({ ...descriptionOf(runId, shown), awaiting })
        : Output.raw(textOf(command, runId, shown, awaiting));
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
  const options = timelineOptions();
  return subscribe(runId, after).pipe(
    Stream.runForEach((event) => (has(command, "json") ? Output.json(event) : Output.line(rowOf(event, options)))),
    Effect.as(0),
  );
};

/** A damaged journal is shown up to the damage; that it is damaged is said, and no failure of the look. */
const showPage = Effect.fnUntraced(function* (
  command: ParsedCommand,
  runId: RunId,
  { events: found, lastSeq, damage }: Page,
) {
  const options = timelineOptions();
  if (has(command, "json"))
    yield* Output.json({
      runId,
      events: found,
      lastSeq,
      ...(damage === undefined ? {} : { damage: { line: damage.line, seq: damage.seq, detail: damage.detail } }),
    });
  else for (const event of found) yield* Output.line(rowOf(event, options));
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

/** What a person should know beside the status. */
const remarks: { readonly [Of in RunSummary["standing"]]: string } = {
  ended: "",
  running: "",
  waiting: " (waits for an answer about the calls below)",
  interrupted: " (interrupted: nobody carries it on; cahier runs resume carries it on)",
  damaged: " (damaged: this is what the journal says before the damage; restore it from a backup)",
  unreadable: " (its journal cannot be read)",
};

const descriptionOf = (runId: RunId, { state, standing, damage, unknownTypes }: ShownRun) => ({
  runId,
  status: state.status,
  standing,
  ...(state.forkedFrom === null ? {} : { forkedFrom: state.forkedFrom }),
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
  checkpoints: checkpointsOf(state).map(({ id, label, reason, seq }) => ({
    checkpointId: id,
    seq,
    reason,
    ...(label === null ? {} : { label }),
  })),
  ...(state.failure === null ? {} : { error: state.failure }),
  ...(damage === undefined ? {} : { damage: { line: damage.line, seq: damage.seq, detail: damage.detail } }),
  ...(unknownTypes.length === 0 ? {} : { unknownTypes }),
});

const textOf = (
  command: ParsedCommand,
  runId: RunId,
  shown: ShownRun,
  awaiting: ReadonlyArray<WholeWaitingCall>,
): string => {
  const run = descriptionOf(runId, shown);
  return [
    `run        ${run.runId}`,
    `status     ${run.status}${remarks[run.standing]}`,
    `started    ${run.createdAt ?? "never admitted"}`,
    ...(run.forkedFrom === undefined ? [] : [`forked     from ${run.forkedFrom.runId} at event ${run.forkedFrom.seq}`]),
    `chat       ${printable(run.target?.location ?? "")}`,
    `profile    ${run.profileId ?? ""}`,
    `events     ${run.lastSeq}`,
    ...run.invocations.map(
      (one) => `agent      ${one.invocationId}: ${one.status}, ${one.rounds} rounds, ${one.toolCalls} calls`,
    ),
    ...run.files.map((one) => `file       ${one.path}: ${one.chars} characters, ${one.words} words`),
    ...run.committed.map((one) => `committed  message ${one.messageIndex} from ${one.path}, ${one.chars} characters`),
    ...run.checkpoints.map(
      (one) => `checkpoint ${one.checkpointId} at event ${one.seq}: ${printable(one.label ?? reasonOf(one.reason))}`,
    ),
    ...awaiting.flatMap((call) => waitingLines(command, runId, call)),
    ...("error" in run && run.error !== undefined
      ? [`error      ${printable(run.error.message)} [${run.error.code}]`]
      : []),
    ...("damage" in run && run.damage !== undefined
      ? [`damaged    at line ${run.damage.line ?? "?"}: ${run.damage.detail}`]
      : []),
    "",
  ].join("\n");
};

/** Why a checkpoint was made, for people. */
const reasonOf = (reason: string): string => reasons.get(reason) ?? reason;

const reasons: ReadonlyMap<string, string> = new Map<CheckpointReason, string>([
  ["tool", "an agent named it"],
  ["tool_workspace_write", "after a write"],
  ["tool_workspace_patch", "after a patch"],
  ["direct_output_capture", "after an answer without a tool call"],
  ["chat_commit", "before a commit"],
  ["rollback", "before a rollback"],
]);

const waitingLines = (command: ParsedCommand, runId: RunId, call: WholeWaitingCall): ReadonlyArray<string> => [
  `waiting    ${printable(call.title)} (${printable(call.toolId)}): ${printable(call.argumentsSummary)}`,
  ...(call.argumentsSummary.includes("…") ? [`           whole arguments: ${printable(call.arguments)}`] : []),
  ...call.sideEffects.map((effect) => `           ${printable(effect)}`),
  `           ${printable(call.reason)} (${[call.layer, call.rule].filter((part) => part !== null).join(" ")})`,
  `           source ${call.source}, arguments ${call.argumentsSha256}`,
  `           ${goOnWith(command, runId, call.callId)}`,
];
