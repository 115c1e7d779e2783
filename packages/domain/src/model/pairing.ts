/**
 * Whether every tool call of a conversation has exactly one result before anything else is said: no provider takes another.
 */
import * as Result from "effect/Result";
import type { CallId } from "../identity/Identity.ts";
import type { Message } from "./Message.ts";

/** The calls that wait for their result, in the order in which they were made. */
export type OpenCalls = ReadonlyArray<CallId>;

/** The calls that are open after `message`; a sentence about what does not fit otherwise. */
export const follow = (open: OpenCalls, message: Message): Result.Result<OpenCalls, string> => {
  if (message.role === "tool") return answer(open, message);
  const [first] = open;
  if (first !== undefined) return Result.fail(`The call "${first}" has no result before the next message.`);
  if (message.role !== "assistant") return Result.succeed(open);
  const made = message.parts.flatMap((part) => (part.type === "toolCall" ? [part.callId] : []));
  const twice = made.find((callId, index) => made.indexOf(callId) !== index);
  return twice === undefined ? Result.succeed(made) : Result.fail(`Two calls of one message have the id "${twice}".`);
};

/** Fails with a sentence when a call still waits: nothing can be asked of a model then. */
export const requireClosed = ([first]: OpenCalls): Result.Result<void, string> =>
  first === undefined ? Result.void : Result.fail(`The call "${first}" has no result.`);

const answer = (open: OpenCalls, message: Message): Result.Result<OpenCalls, string> => {
  let left = open;
  for (const part of message.parts) {
    if (part.type !== "toolResult") continue;
    if (!left.includes(part.callId)) return Result.fail(`There is a result of "${part.callId}", which is not open.`);
    left = left.filter((callId) => callId !== part.callId);
  }
  return Result.succeed(left);
};
