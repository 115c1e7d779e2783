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

/** Who the messages are sent for. `namesBehavior` is the preset's. */
export interface Speakers {
  readonly namesBehavior: number;
  readonly user: string;
  readonly isGroup: boolean;
}

/** A narrator is named in the text only in a group, and only by the behaviour that names everybody but the user there. */
export const message = (
  line: ChatLine,
  index: number,
  { isGroup, namesBehavior: behavior, user }: Speakers,
): HistoryMessage => {
  const text = line.text.replaceAll("\r", "");
  const isOther = line.name !== user && (isGroup || (line.hasAvatar && !line.isNarrator));
  const isPrefixed = behavior === 2 ? !line.isNarrator : behavior === 0 && isOther;
  return {
    role: line.isNarrator ? "system" : line.isUser ? "user" : "assistant",
    content: isPrefixed ? `${line.name}: ${text}` : text,
    name: behavior === 1 && line.name !== "" ? line.name.replace(/[^a-zA-Z0-9_]/g, "_").slice(0, longestName) : null,
    index,
  };
};

const longestName = 64;
