/**
 * Joining neighbouring system messages, as the preset's `squash_system_messages` asks.
 */
import type { PromptMessage } from "./AssemblyInput.ts";

/** Those with a name and the lines that begin a chat or an example stay by themselves; empty messages go. */
export const squash = (messages: ReadonlyArray<PromptMessage>): ReadonlyArray<PromptMessage> => {
  const result: Array<PromptMessage> = [];
  for (const message of messages) {
    if (message.content === "") continue;
    const last = result.at(-1);
    if (last !== undefined && isJoined(last) && isJoined(message)) {
      result[result.length - 1] = { ...last, content: `${last.content}\n${message.content}` };
      continue;
    }
    result.push(message);
  }
  return result;
};

const isJoined = ({ name, part, role }: PromptMessage): boolean =>
  role === "system" && name === undefined && part !== "newMainChat" && part !== "newChat";
