/**
 * The chat as tools may see it: the messages before the run, without what a swipe or regeneration replaces.
 */
import type { ChatMessage } from "@cahier/domain/chat/Chat";
import { type Fatal, type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import * as Effect from "effect/Effect";
import type { ToolContext } from "../Tool.ts";

/** The run's frozen prefix; `chat.not_found` when the run keeps none. */
export const chatMessages = (context: ToolContext): Effect.Effect<ReadonlyArray<ChatMessage>, Recoverable | Fatal> =>
  Effect.flatMap(context.input.messages, (messages) =>
    messages === undefined
      ? Effect.fail(recoverable("chat.not_found", "This run keeps no chat that could be read. Go on without it."))
      : Effect.succeed(messages),
  );
