/**
 * A message as the chat host keeps it, where it can be kept so.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { ChatHost, type ChatLocation, type CommitReceipt } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import { chatRefusal } from "../failure/classifyChat.ts";

/**
 * What can be given back of a message. Undefined where the host does not have it any more, the chat is not as it is thought to be
 * (whoever writes to it next meets that), or the message is one that cannot be kept exactly.
 */
export const captured = Effect.fnUntraced(function* (
  chat: ChatLocation,
  message: CommitReceipt | "last",
  revision: string,
): Effect.fn.Return<string | undefined, Fatal, ChatHost> {
  const chatHost = yield* ChatHost;
  return yield* chatHost.capture(chat, message, revision).pipe(
    Effect.catchIf(
      ({ reason }) => without.has(reason._tag),
      () => Effect.undefined,
    ),
    Effect.mapError(chatRefusal),
  );
});

const without: ReadonlySet<string> = new Set(["Moved", "Malformed", "Refused"]);
