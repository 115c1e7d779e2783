/**
 * The calls that a run waits to have decided, as commands show them, and the command that decides one.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { type AwaitingCall, awaitingCalls, type RunState } from "@cahier/domain/run/RunState";
import * as Payloads from "@cahier/application/payload/Payloads";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { extensionWords } from "./extensionOptions.ts";
import type { ParsedCommand } from "./parse.ts";
import { quoted, storageWords } from "./storageOf.ts";

/** One call: what is asked, and why. `argumentsSha256` is what an answer is bound to. */
export interface WaitingCall {
  readonly invocationId: string;
  readonly callId: string;
  readonly toolId: string;
  readonly title: string;
  readonly argumentsSummary: string;
  readonly argumentsSha256: string;
  /** What the call does if it is allowed, in sentences. */
  readonly sideEffects: ReadonlyArray<string>;
  readonly source: string;
  readonly reason: string;
  /** The layer and the rule of it that ask. */
  readonly layer: string | null;
  readonly rule: string | null;
}

/** In the order in which they were asked. */
export const waitingCallsOf = (state: RunState): ReadonlyArray<WaitingCall> => awaitingCalls(state).flatMap(described);

/** The same with the arguments whole, as the model wrote them. */
export const withArguments = Effect.fnUntraced(function* (
  runId: RunId,
  state: RunState,
): Effect.fn.Return<ReadonlyArray<WholeWaitingCall>, Fatal, BlobStore | RunJournal> {
  const payloads = yield* Payloads.make(runId);
  const calls = yield* Effect.forEach(awaitingCalls(state), (one) =>
    Effect.map(payloads.read(one.call.argumentsRef), (text) =>
      described(one).map((call) => ({ ...call, arguments: text })),
    ),
  );
  return calls.flat();
});

/** `arguments` is the JSON text of the call. */
export interface WholeWaitingCall extends WaitingCall {
  readonly arguments: string;
}

const described = ({ call, invocation }: AwaitingCall): ReadonlyArray<WaitingCall> => {
  const { approval, callId, name, toolId } = call;
  if (approval === null) return [];
  const { askedSeq: _askedSeq, ...asked } = approval;
  return [{ invocationId: invocation.id, callId, toolId: toolId ?? name, ...asked }];
};

/** The command line that allows a call, with the storage and the extensions that `command` was given. */
export const goOnWith = (command: ParsedCommand, runId: RunId, callId: string): string => {
  const words = [
    "cahier runs approve",
    ...storageWords(command),
    ...extensionWords(command),
    // A model may choose an id that looks like an option.
    ...(callId.startsWith("-") ? ["--"] : []),
    runId,
    quoted(callId),
  ];
  return words.join(" ");
};

/** What "in the profile" means for later runs. */
export const rememberedInProfile =
  "Remembered in the stored profile: runs that name it with --profile do not ask for this tool again, unless a policy of the user or the platform asks.";
