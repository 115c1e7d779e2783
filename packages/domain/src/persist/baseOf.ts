/**
 * Which state a chat's branch ends with: the last one that a message before the run names.
 */
import * as Result from "effect/Result";
import type { ChatMessage } from "../chat/Chat.ts";
import { quote, refuse, type Refusal } from "../workspace/Refusal.ts";

export type BaseRefusal = Refusal<"agent.persist_state_missing" | "agent.persist_state_status_invalid">;

/**
 * The id of the state, or null when no message names one. Messages whose run did not publish are passed over, and those that
 * name a state of `removed`.
 */
export const baseOf = (
  messages: ReadonlyArray<ChatMessage>,
  removed: ReadonlySet<string> = new Set(),
): Result.Result<string | null, BaseRefusal> => {
  for (const { agent, index } of messages.toReversed()) {
    const status = agent?.persistStateStatus;
    if (status === undefined || status === "not_committed") continue;
    if (status !== "committed")
      return refuse(
        "agent.persist_state_status_invalid",
        `Message ${index} of the chat says ${quote(JSON.stringify(status))} of its state, which is neither committed nor not_committed. Correct or remove its persistStateStatus.`,
      );
    const stateId = agent?.persistStateId;
    if (typeof stateId === "string" && removed.has(stateId)) continue;
    if (typeof stateId === "string" && stateId !== "") return Result.succeed(stateId);
    return refuse(
      "agent.persist_state_missing",
      `Message ${index} of the chat says that its state is committed and not which one. Correct its persistStateId.`,
    );
  }
  return Result.succeed(null);
};

/** Every state that the chat names, in the messages as they are shown and in their other swipes. */
export const namedStates = (messages: ReadonlyArray<ChatMessage>): ReadonlySet<string> =>
  new Set(
    messages.flatMap(({ agent }) => [
      ...(typeof agent?.persistStateId === "string" ? [agent.persistStateId] : []),
      ...(agent?.otherStateIds ?? []),
    ]),
  );
