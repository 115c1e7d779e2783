/**
 * The calls that a run waits to have decided, as commands show them, and the command that decides one.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import { awaitingCalls, type RunState } from "@cahier/domain/run/RunState";
import { type ParsedCommand, valueOf } from "./parse.ts";

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
export const waitingCallsOf = (state: RunState): ReadonlyArray<WaitingCall> =>
  awaitingCalls(state).flatMap(({ call: { approval, callId, name, toolId }, invocation }) => {
    if (approval === null) return [];
    const { askedSeq: _askedSeq, ...asked } = approval;
    return [{ invocationId: invocation.id, callId, toolId: toolId ?? name, ...asked }];
  });

/** The command line that allows a call, with the data folder that `command` was given. */
export const goOnWith = (command: ParsedCommand, runId: RunId, callId: string): string => {
  const data = valueOf(command, "data");
  const words = [
    "cahier runs approve",
    ...(data === undefined ? [] : ["--data", quoted(data)]),
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

/** One word of a shell's command line. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
