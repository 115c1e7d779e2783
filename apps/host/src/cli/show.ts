/**
 * `cahier runs show`: how a run stands, with `--requests` what it sent to models and what came back, or with `--frame` one
 * request in its parts.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { type CheckpointReason, checkpointsOf } from "@cahier/domain/run/checkpoint";
import { parseRunId, type ShownRun, showRun } from "@cahier/application/run/RunReader";
import { filesOf } from "@cahier/application/workspace/WorkspaceFiles";
import * as Effect from "effect/Effect";
import { look } from "./look.ts";
import { linesOfWarnings, type ModelFacts, modelFactsOf, wordsOfModel } from "./modelFacts.ts";
import { showFrame } from "./frame.ts";
import { linesOfQuestion, questionsOf, type ShownQuestion } from "./openQuestions.ts";
import * as Output from "./Output.ts";
import { has, invalid, numberOf, type ParsedCommand, valueOf } from "./parse.ts";
import { printable } from "./printable.ts";
import { showRequests } from "./requests.ts";
import { goOnWith, type WholeWaitingCall, withArguments } from "./waitingCalls.ts";

/** `cahier runs show`. */
export const show = Effect.fn("cli.show")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const runId = yield* parseRunId(command.positionals[0] ?? "");
  const round = yield* numberOf(command, "frame", 1, Number.MAX_SAFE_INTEGER);
  if (round === undefined && valueOf(command, "agent") !== undefined)
    return yield* invalid("--agent goes with --frame ROUND.");
  if (round !== undefined && has(command, "requests")) return yield* invalid("Give --frame or --requests, not both.");
  if (round !== undefined) return yield* showFrame(command, runId, round);
  if (has(command, "requests")) return yield* showRequests(command, runId);
  return yield* look(
    command,
    Effect.gen(function* () {
      const shown = yield* showRun(runId);
      const awaiting = yield* withArguments(runId, shown.state);
      const questions = yield* questionsOf(runId, shown.state);
      const facts = yield* modelFactsOf(runId, shown.state.seq);
      const { warnings } = facts;
      yield* has(command, "json")
        ? Output.json({
            ...descriptionOf(runId, shown, facts),
            ...(warnings.length === 0 ? {} : { warnings }),
            awaiting,
            questions,
          })
        : Output.raw(textOf(command, runId, shown, facts, { awaiting, questions }));
      return 0;
    }),
  );
});

/** What a person should know beside the status. */
const remarks: { readonly [Of in ShownRun["standing"]]: string } = {
  ended: "",
  running: "",
  waiting: " (waits for an answer about the calls below)",
  interrupted: " (interrupted: nobody carries it on; cahier runs resume carries it on)",
  damaged: " (damaged: this is what the journal says before the damage; restore it from a backup)",
  unreadable: " (its journal cannot be read)",
};

const descriptionOf = (runId: RunId, { state, standing, damage, unknownTypes }: ShownRun, { models }: ModelFacts) => ({
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
    model: models.get(invocation.id) ?? null,
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
  ...(state.revision === null ? {} : { revision: { outcome: state.revision.outcome } }),
  ...(state.failure === null ? {} : { error: state.failure }),
  ...(damage === undefined ? {} : { damage: { line: damage.line, seq: damage.seq, detail: damage.detail } }),
  ...(unknownTypes.length === 0 ? {} : { unknownTypes }),
});

/** What people are to answer. */
interface Waiting {
  readonly awaiting: ReadonlyArray<WholeWaitingCall>;
  readonly questions: ReadonlyArray<ShownQuestion>;
}

const textOf = (
  command: ParsedCommand,
  runId: RunId,
  shown: ShownRun,
  facts: ModelFacts,
  { awaiting, questions }: Waiting,
): string => {
  const { state } = shown;
  const run = descriptionOf(runId, shown, facts);
  return [
    `run        ${run.runId}`,
    `status     ${run.status}${remarks[run.standing]}`,
    `started    ${run.createdAt ?? "never admitted"}`,
    ...(run.forkedFrom === undefined ? [] : [`forked     from ${run.forkedFrom.runId} at event ${run.forkedFrom.seq}`]),
    ...revisionLines(state),
    `chat       ${printable(run.target?.location ?? "")}`,
    `profile    ${run.profileId ?? ""}`,
    `events     ${run.lastSeq}`,
    ...run.invocations.flatMap((one) => [
      `agent      ${one.invocationId}: ${one.status}, ${one.rounds} rounds, ${one.toolCalls} calls, ${one.inputTokens} tokens in, ${one.outputTokens} out`,
      ...(one.model === null ? [] : [`           ${wordsOfModel(one.model)}`]),
    ]),
    ...run.files.map((one) => `file       ${one.path}: ${one.chars} characters, ${one.words} words`),
    ...run.committed.map((one) => `committed  message ${one.messageIndex} from ${one.path}, ${one.chars} characters`),
    ...run.checkpoints.map(
      (one) => `checkpoint ${one.checkpointId} at event ${one.seq}: ${printable(one.label ?? reasonOf(one.reason))}`,
    ),
    ...linesOfWarnings(facts.warnings),
    ...awaiting.flatMap((call) => waitingLines(command, runId, call)),
    ...questions.flatMap((question) => linesOfQuestion(command, runId, question)),
    ...("error" in run && run.error !== undefined
      ? [`error      ${printable(run.error.message)} [${run.error.code}]`]
      : []),
    ...("damage" in run && run.damage !== undefined
      ? [`damaged    at line ${run.damage.line ?? "?"}: ${run.damage.detail}`]
      : []),
    "",
  ].join("\n");
};

/** What became of the last revision, of a run that was revised. */
const revisionLines = ({ revision, status }: ShownRun["state"]): ReadonlyArray<string> => {
  if (revision === null) return [];
  const outcome = revision.outcome ?? "has not ended";
  return [
    `revision   ${status === "completed" && outcome !== "completed" ? `${outcome}; the message is as it was before` : outcome}`,
  ];
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
