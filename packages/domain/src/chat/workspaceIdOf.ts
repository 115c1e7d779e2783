/**
 * The workspace of a chat.
 */
import { type StableChatId, WorkspaceId } from "../identity/Identity.ts";
import * as Sha256 from "../payload/Sha256.ts";
import type { ChatRef } from "./Chat.ts";

/**
 * `chat_` and the first 16 hex digits of the SHA-256 of `{"kind":…,"stableChatId":…}`: never from file names, so a chat
 * that is renamed or moved keeps its workspace.
 */
export const workspaceIdOf = (kind: ChatRef["kind"], stableChatId: StableChatId): WorkspaceId =>
  WorkspaceId.make(`chat_${Sha256.ofText(JSON.stringify({ kind, stableChatId })).slice(0, 16)}`);
