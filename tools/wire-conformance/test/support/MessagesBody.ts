/**
 * The body of Messages in the types of Anthropic's own client.
 *
 * The client no longer lists sampling, which its newest models refuse; the published interface does, and older models
 * take it.
 */
import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";

export type MessagesBody = MessageCreateParams & {
  readonly temperature?: number;
  readonly top_k?: number;
  readonly top_p?: number;
};
