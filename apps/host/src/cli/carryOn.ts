/**
 * Carrying a run on where somebody may be watching: its timeline, its end, and what it waits for.
 *
 * On a terminal a line that is typed while the run works is told to its agent, a call that waits while others work is asked
 * about at once, and a run that waits asks its user and goes on. Elsewhere the process ends and says how the run goes on.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { RunState } from "@cahier/domain/run/RunState";
import { allTasks } from "@cahier/domain/run/tasks";
import { loadState } from "@cahier/application/run/loadState";
import type { RunOutcome } from "@cahier/application/run/RunOutcome";
import type { CarryOnOptions, Runs } from "@cahier/application/run/Runs";
import type { RunHandle } from "@cahier/application/run/supervise";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { HostProcess } from "@cahier/ports/HostProcess";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { showLive } from "../timeline/showLive.ts";
import { askAboutCalls, type GoesOn } from "./askAboutCalls.ts";
import { attend, type Attended } from "./attend.ts";
import { hasTerminal } from "./carryOnOptions.ts";
import { exitCodeOf } from "./exitCode.ts";
import { extensionWords } from "./extensionOptions.ts";
import * as Output from "./Output.ts";
import { has, type ParsedCommand } from "./parse.ts";
import { storageWords } from "./storageOf.ts";
import * as TypedLines from "./TypedLines.ts";
import { goOnWith, waitingCallsOf } from "./waitingCalls.ts";

/**
 * Shows the run from after `afterSeq` until it has ended, and gives the exit code. A stop signal cancels it properly. A
 * run that waits for its user asks on a terminal, and ends with exit code 5 elsewhere.
 */
export const untilEnd = Effect.fnUntraced(function* (
  command: ParsedCommand,
  handle: RunHandle,
  afterSeq: number,
  options: CarryOnOptions,
): Effect.fn.Return<number, Fatal, BlobStore | HostProcess | RunJournal | Runs> {
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const typed = hasTerminal(command) ? yield* TypedLines.make : undefined;
      for (let current = { handle, afterSeq }; ;) {
        const { goesOn, isLeft, outcome } = yield* played(command, current, options, typed);
        if (goesOn !== undefined) {
          current = goesOn;
          continue;
        }
        if (outcome.status !== "awaiting_approval") return exitCodeOf(outcome);
        const { state } = yield* loadState(yield* RunJournal, handle.runId);
        if (typed === undefined || isLeft) return yield* leaveWaiting(command, outcome, state);
        const answered = yield* askAboutCalls(state, options, typed);
        if (answered === undefined) return yield* leaveWaiting(command, outcome, state);
        current = answered;
      }
    }),
  );
});

/** Ends the command and leaves the run waiting: what it waits for, and the command that goes on. Gives exit code 5. */
export const leaveWaiting = Effect.fnUntraced(function* (command: ParsedCommand, outcome: RunOutcome, state: RunState) {
  const awaiting = waitingCallsOf(state);
  if (has(command, "json")) yield* Output.json({ ...outcome, awaiting });
  else {
    const calls = awaiting.length === 1 ? "a call" : `${awaiting.length} calls`;
    yield* Output.line(`The run waits for an answer about ${calls}; "runs show" tells what, "runs deny" refuses.`);
    yield* Output.line(`Go on with: ${goOnWith(command, outcome.runId, awaiting[0]?.callId ?? "CALL")}`);
  }
  return exitCodeOf(outcome);
});

interface Played extends Attended {
  readonly outcome: RunOutcome;
}

const played = Effect.fnUntraced(function* (
  command: ParsedCommand,
  { afterSeq, handle }: GoesOn,
  options: CarryOnOptions,
  typed: TypedLines.TypedLines | undefined,
): Effect.fn.Return<Played, Fatal, BlobStore | HostProcess | RunJournal | Runs> {
  const host = yield* HostProcess;
  const asJson = has(command, "json");
  const shown =
    asJson || has(command, "quiet")
      ? undefined
      : yield* Effect.forkChild(showLive(handle.runId, afterSeq, allTasks(handle.state())));
  const attention = typed === undefined ? undefined : attend(handle, afterSeq, options, typed);
  const attending = attention === undefined ? undefined : yield* Effect.forkChild(attention.attending);
  const outcome = yield* Effect.raceFirst(handle.outcome, Effect.andThen(host.stopRequested, handle.cancel));
  if (attending !== undefined && outcome.status === "awaiting_approval" && attention?.isAsking() === true) {
    const attended = yield* Fiber.join(attending);
    if (shown !== undefined) yield* Fiber.interrupt(shown);
    return { ...attended, outcome };
  }
  // The next line that is typed may be an answer to a question.
  if (attending !== undefined) yield* Fiber.interrupt(attending);
  // The timeline ends with the run; what cannot be shown takes nothing from it.
  if (shown !== undefined) yield* outcome.status === "interrupted" ? Fiber.interrupt(shown) : Fiber.await(shown);
  const told = shown !== undefined && outcome.status !== "interrupted" && process.stdout.isTTY && process.stderr.isTTY;
  if (outcome.status === "awaiting_approval") return { isLeft: false, outcome };
  if (asJson) yield* Output.json(outcome);
  else if (!told) yield* conclude(command, handle.runId, outcome);
  return { isLeft: false, outcome };
});

/** Says why a run did not complete, where the timeline has not said it on the same terminal. */
const conclude = (command: ParsedCommand, runId: RunId, outcome: RunOutcome): Effect.Effect<void> =>
  outcome.error === undefined
    ? Effect.void
    : Output.complain(
        outcome.status === "interrupted"
          ? `${outcome.error.message} The run can be carried on: ${["cahier runs resume", ...storageWords(command), ...extensionWords(command), runId].join(" ")}`
          : outcome.error.message,
        outcome.error.code,
      );
