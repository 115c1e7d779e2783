/**
 * Messages of the chat as the prompt has them.
 *
 * Owns their roles and names. Does not own which of them fit.
 */
import type { ChatLine } from "../material/ChatRecord.ts";
import type { PromptRole } from "./AssemblyInput.ts";

/** Its macros are still there. */
export interface HistoryMessage {
  readonly role: PromptRole;
  readonly content: string;
  readonly name: string | null;
  readonly index: number;
}

/** `behavior` as the preset's `namesBehavior`; a narrator is never named in the text. */
export const message = (line: ChatLine, index: number, behavior: number, userName: string): HistoryMessage => {
  const text = line.text.replaceAll("\r", "");
  const isOther = line.hasAvatar && line.name !== userName;
  const isPrefixed = !line.isNarrator && (behavior === 2 || (behavior === 0 && isOther));
  return {
    role: line.isNarrator ? "system" : line.isUser ? "user" : "assistant",
    content: isPrefixed ? `${line.name}: ${text}` : text,
    name: behavior === 1 && line.name !== "" ? line.name.replace(/[^a-zA-Z0-9_]/g, "_").slice(0, longestName) : null,
    index,
  };
};

const longestName = 64;
