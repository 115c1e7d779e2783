/**
 * What an extension says to a call: that it has it, unless it answers at once, and what its function gave.
 *
 * Owns turning whatever a function does into one answer. Does not own which function it is.
 */
import { maxMessageBytes } from "../../extension/BridgeLimits.ts";
import type { PeerMessage } from "../../extension/ExtensionMessages.ts";
import { isJson } from "./isJson.ts";
import { isLongerThan } from "./isLongerThan.ts";

/** Answers a call by running it; when the signal is aborted, nobody waits for the answer and none is given. Never rejects. */
export const answerCall = async (
  requestId: string,
  run: () => unknown,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<void> => {
  // An answer that is there at once says by itself that the call has arrived.
  const acknowledging = setTimeout(() => say(textOf({ type: "acknowledge", requestId })), 0);
  const answer = await answerOf(requestId, run);
  clearTimeout(acknowledging);
  if (!signal.aborted) say(answer);
};

/** An answer that says that a call has failed. */
export const failureOf = (requestId: string, message: string): string =>
  textOf({
    type: "error",
    requestId,
    message: message === "" ? "The tool failed without a word." : message.slice(0, 65_536),
  });

const answerOf = async (requestId: string, run: () => unknown): Promise<string> => {
  try {
    const value = (await run()) ?? null;
    if (!isJson(value)) return failureOf(requestId, "The tool gave something that is no JSON.");
    const text = JSON.stringify({ type: "result", requestId, value });
    return isLongerThan(text, maxMessageBytes)
      ? failureOf(requestId, `The tool gave more than the ${maxMessageBytes} bytes of a message.`)
      : text;
  } catch (error) {
    return failureOf(requestId, wordsOf(error));
  }
};

/** What is thrown may be anything, also something that cannot be shown. */
const wordsOf = (error: unknown): string => {
  try {
    return String(error instanceof Error ? Reflect.get(error, "message") : error);
  } catch {
    return "";
  }
};

const textOf = (message: PeerMessage): string => JSON.stringify(message);
