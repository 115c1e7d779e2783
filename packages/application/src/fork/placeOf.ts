/**
 * Where a forked run publishes: never over what the run that it comes from has published.
 */
import type { FrozenChat, GenerationType } from "@cahier/domain/chat/Chat";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { RunTarget } from "@cahier/domain/run/event/lifecycle";
import type { ContextState } from "@cahier/domain/run/RunState";
import { ChatHost, type ChatLocation } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import * as FrozenInput from "../payload/FrozenInput.ts";
import { chatRefusal } from "../failure/classifyChat.ts";

/**
 * The target of a fork in the chat as it stands now: a new message where the chat ends as the run saw it, a new swipe of
 * the one message that has come after. A chat that has gone on otherwise is `chat.conflict`.
 */
export const placeOf = Effect.fn("Fork.placeOf")(function* (
  target: RunTarget,
  input: ContextState | null,
): Effect.fn.Return<RunTarget, Fatal, ChatHost> {
  // A fork adds to what the chat has and takes the place of nothing.
  const { replaces: _replaces, ...place } = target;
  for (const generationType of candidates(target.generationType)) {
    const chat = yield* frozen(locationOf(target), generationType);
    if (chat !== undefined && isPrefixOf(target, input, chat))
      return { ...place, generationType, revision: chat.revision };
  }
  return yield* fatal(
    "chat.conflict",
    "The chat is not any more as the run saw it, so a fork has no place in it. Take back what was changed in the chat, or start a new run.",
  );
});

/** The ways in which a fork of a run can publish. A swipe and what was regenerated get one swipe more. */
const candidates = (type: GenerationType): ReadonlyArray<GenerationType> => {
  if (type === "normal") return ["normal", "swipe"];
  return type === "regenerate" ? ["swipe"] : [type];
};

const locationOf = ({ groupId, location, stableChatId }: RunTarget): ChatLocation => ({
  location,
  ...(groupId === undefined ? {} : { groupId }),
  chatId: stableChatId,
});

/** The chat as a run of this type would see it; undefined when it has no message for such a run. */
const frozen = Effect.fnUntraced(function* (
  chat: ChatLocation,
  generationType: GenerationType,
): Effect.fn.Return<FrozenChat | undefined, Fatal, ChatHost> {
  const chatHost = yield* ChatHost;
  return yield* chatHost
    .freeze(chat, generationType)
    .pipe(
      Effect.catch((fault) =>
        fault.reason._tag === "TargetInvalid" ? Effect.undefined : Effect.fail(chatRefusal(fault)),
      ),
    );
});

const isPrefixOf = (
  { inputMessageCount, stableChatId }: RunTarget,
  input: ContextState | null,
  chat: FrozenChat,
): boolean =>
  chat.stableChatId === stableChatId &&
  chat.messages.length === inputMessageCount &&
  (input?.chat === undefined || input.chat.sha256 === Sha256.ofText(FrozenInput.textOf(chat.messages)));
