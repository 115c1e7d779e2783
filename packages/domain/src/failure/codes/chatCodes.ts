/** Codes about the chat, its character, and prompts made of them. */
import type { FailureEntry } from "../FailureCode.ts";

export const chatCodes = {
  "agent.chat_commit_failed": { class: "recoverable", meaning: "The chat refused the commit; the run goes on." },
  "agent.generation_type_unsupported": { class: "host", meaning: "This chat host cannot do this kind of generation." },
  "agent.group_unsupported": { class: "host", meaning: "Group chats do not support what was asked." },
  "agent.host_timeout": { class: "fatal", meaning: "The chat host did not answer within its deadline." },
  "agent.invalid_chat_integrity": { class: "host", meaning: "The chat's integrity field is not a usable id." },
  "agent.prompt_marker_unmaterialized": { class: "host", meaning: "A placeholder of the prompt was never filled in." },
  "agent.stable_chat_id_required": { class: "host", meaning: "The chat has no stable id and none was given." },
  "agent.swipe_target_invalid": { class: "host", meaning: "The last message cannot be swiped or regenerated." },
  "agent.tool_loop_requires_messages": { class: "host", meaning: "A run cannot start from an empty prompt." },
  "card.damaged": { class: "host", meaning: "The character card is damaged." },
  "card.not_a_card": { class: "host", meaning: "The file is not a character card." },
  "card.not_found": { class: "host", meaning: "There is no character card at the given place." },
  "card.unreadable": { class: "host", meaning: "The character card cannot be read." },
  "card.unsupported": { class: "host", meaning: "The character card uses a form that is not supported." },
  "chat.busy": { class: "fatal", meaning: "Another process holds the chat; nothing was written." },
  "chat.conflict": { class: "fatal", meaning: "The chat changed after the run had read it; nothing was written." },
  "chat.malformed": { class: "host", meaning: "The chat file is empty, half-written or not a chat." },
  "chat.not_found": { class: "host", meaning: "There is no chat at the given place." },
  "chat.unreachable": { class: "fatal", meaning: "The chat cannot be read or written." },
} as const satisfies Record<string, FailureEntry>;
