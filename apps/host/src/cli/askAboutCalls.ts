/**
 * The question on a terminal: what a call would do and why somebody is asked, and what the user answers.
 *
 * Owns the words and reading the answer. Does not own what an answer comes to: `Runs.decide` takes it.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { InvocationId, RunId } from "@cahier/domain/identity/Identity";
import type { ApprovalAnswer } from "@cahier/domain/run/decideApproval";
import {
  type ApprovalState,
  type AwaitingCall,
  awaitingCalls,
  type CallState,
  type RunState,
} from "@cahier/domain/run/RunState";
import { allTasks } from "@cahier/domain/run/tasks";
import * as Payloads from "@cahier/application/payload/Payloads";
import { type CarryOnOptions, Runs } from "@cahier/application/run/Runs";
import type { RunHandle } from "@cahier/application/run/supervise";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { HostProcess } from "@cahier/ports/HostProcess";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as AgentNames from "../timeline/AgentNames.ts";
import { rememberedInProfile } from "./waitingCalls.ts";
import { lastSeqOf } from "./lastSeqOf.ts";
import * as Output from "./Output.ts";
import { printable } from "./printable.ts";
import { unlessStopped } from "./stoppable.ts";
import type { TypedLines } from "./TypedLines.ts";

/** A run that goes on after the last answer, and the event that its timeline goes on from. */
export interface GoesOn {
  readonly handle: RunHandle;
  readonly afterSeq: number;
}

/**
 * Asks about every call that waits, in order, and gives the run as it goes on; undefined when the user leaves without
 * an answer to all, by a stop signal or the end of the input. Answers that were given count.
 */
export const askAboutCalls = Effect.fn("cli.askAboutCalls")(function* (
  state: RunState,
  options: CarryOnOptions,
  typed: TypedLines,
): Effect.fn.Return<GoesOn | undefined, Fatal, BlobStore | HostProcess | RunJournal | Runs> {
  const { runId } = state;
  const waiting = awaitingCalls(state);
  if (runId === null) return undefined;
  for (const [index, asked] of waiting.entries()) {
    const taken = yield* askAbout(state, asked, `${index + 1} of ${waiting.length}`, options, typed);
    if (taken === undefined) return undefined;
    if (taken.handle !== undefined) return { handle: taken.handle, afterSeq: taken.afterSeq };
  }
  return undefined;
});

/** An answer that was taken: the run that goes on with it, and the last event before it. */
export interface Taken {
  readonly handle: RunHandle | undefined;
  readonly afterSeq: number;
}

/** Asks about one call, `place` of all; undefined when the user leaves without an answer. */
export const askAbout = Effect.fnUntraced(function* (
  state: RunState,
  { call, invocation }: AwaitingCall,
  place: string,
  options: CarryOnOptions,
  typed: TypedLines,
): Effect.fn.Return<Taken | undefined, Fatal, BlobStore | HostProcess | RunJournal | Runs> {
  const { runId } = state;
  if (runId === null || call.approval === null) return { handle: undefined, afterSeq: state.seq };
  const { nameOf } = yield* AgentNames.make(runId, allTasks(state));
  const name = nameOf(invocation.id);
  yield* say([
    "",
    `The run asks you (${place}):`,
    ...(name === undefined ? [] : [`  agent      ${printable(name)} (${invocation.id})`]),
    ...described(call, call.approval),
  ]);
  return yield* answerOne(runId, call, call.approval, { ...options, invocationId: invocation.id, typed });
});

/** Asks until an answer is taken; a profile that cannot remember one takes nothing, and the question stands. */
const answerOne = Effect.fnUntraced(function* (
  runId: RunId,
  call: CallState,
  approval: ApprovalState,
  {
    invocationId,
    typed,
    ...options
  }: CarryOnOptions & { readonly invocationId: InvocationId; readonly typed: TypedLines },
): Effect.fn.Return<Taken | undefined, Fatal, BlobStore | HostProcess | RunJournal | Runs> {
  const runs = yield* Runs;
  for (;;) {
    const answer = yield* unlessStopped(answerTo(runId, call, approval, typed));
    if (answer === undefined) return undefined;
    const afterSeq = yield* lastSeqOf(runId);
    const decided = yield* Effect.result(runs.decide(runId, { ...answer, invocationId }, options));
    if (Result.isSuccess(decided)) {
      if (answer.remember === "profile") yield* Output.line(rememberedInProfile);
      return { handle: decided.success, afterSeq };
    }
    if (answer.remember !== "profile") return yield* decided.failure;
    yield* Output.complain(decided.failure.message, decided.failure.reason.code);
  }
});

const say = (texts: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(texts, Output.line, { discard: true });

const described = (call: CallState, approval: ApprovalState): ReadonlyArray<string> => [
  `  call       ${printable(approval.title)} (${printable(call.toolId ?? call.name)})`,
  ...approval.sideEffects.map((effect, index) => `  ${index === 0 ? "does     " : "         "}  ${printable(effect)}`),
  `  arguments  ${printable(approval.argumentsSummary)}`,
  `  source     ${approval.source}`,
  `  asks       ${printable(approval.reason)}${approval.layer === null ? "" : ` (${approval.layer} ${approval.rule ?? ""})`}`,
];

const choices =
  "  [y]es  [n]o, n REASON  [r] yes, and for this run  [p] yes, and in the profile  [v]iew all arguments: ";

/** Asks until an answer is one; undefined at the end of the input. */
const answerTo = Effect.fnUntraced(function* (
  runId: RunId,
  call: CallState,
  { argumentsSha256 }: ApprovalState,
  typed: TypedLines,
): Effect.fn.Return<ApprovalAnswer | undefined, Fatal, BlobStore | RunJournal> {
  const base = { callId: call.callId, argumentsSha256 };
  for (;;) {
    yield* Output.raw(choices);
    const line = yield* typed.nextLine;
    if (line === undefined) return undefined;
    const [, word = "", rest = ""] = /^(\S*)\s*(.*)$/.exec(line.trim()) ?? [];
    switch (word.toLowerCase()) {
      case "y":
      case "yes":
        return { ...base, approved: true };
      case "n":
      case "no":
        return { ...base, approved: false, ...(rest === "" ? {} : { reason: rest }) };
      case "r":
        return { ...base, approved: true, remember: "run" };
      case "p":
        return { ...base, approved: true, remember: "profile" };
      case "v": {
        const payloads = yield* Payloads.make(runId);
        yield* say(inLines(yield* payloads.read(call.argumentsRef)));
        break;
      }
      default:
        yield* say(["  Answer y, n, r, p or v."]);
    }
  }
});

/** JSON text as indented lines, none of which can command the terminal. */
const inLines = (text: string): ReadonlyArray<string> =>
  indented(text)
    .split("\n")
    .map((line) => `    ${/^ */.exec(line)?.[0] ?? ""}${printable(line)}`);

const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};
