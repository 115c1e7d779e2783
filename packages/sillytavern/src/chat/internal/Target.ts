/**
 * The message that a swipe adds to or a regenerate replaces: always the last one, if it is the assistant's.
 */
import * as ChatHost from "@cahier/ports/ChatHost";
import type { GenerationType } from "@cahier/domain/chat/Chat";
import * as Effect from "effect/Effect";
import type { StoredMessage } from "../ChatFile.ts";
import { isObject } from "./json.ts";

/** Generation types that a chat file can take. */
export type Supported = "normal" | "swipe" | "regenerate";

/** Fails with `GenerationTypeUnsupported` for what only a page of SillyTavern can do. */
export const supported = Effect.fnUntraced(function* (generationType: GenerationType) {
  if (generationType === "normal" || generationType === "swipe" || generationType === "regenerate") {
    return generationType;
  }
  return yield* new ChatHost.ChatFault({
    reason: { _tag: "GenerationTypeUnsupported", generationType },
    detail: `A chat file cannot take a run of type ${generationType}. Use normal, swipe or regenerate.`,
  });
});

/**
 * How many messages at the end are the target: none or one. Fails with `TargetInvalid`, or with `GroupUnsupported` where
 * SillyTavern would replace a whole turn of several speakers. `last` are the last two messages at least.
 */
export const count = Effect.fnUntraced(function* (
  last: ReadonlyArray<StoredMessage>,
  generationType: Supported,
  group: boolean,
) {
  if (generationType === "normal") return 0;
  const target = last.at(-1);
  if (target === undefined || target.isUser || target.isSystem || !isSwipeable(target)) {
    return yield* new ChatHost.ChatFault({
      reason: { _tag: "TargetInvalid" },
      detail: `The last message of the chat is not one of the character's, so there is nothing to ${generationType}. Use a normal run.`,
    });
  }
  const before = last.at(-2);
  if (group && generationType === "regenerate" && before !== undefined && isSameTurn(before, target)) {
    return yield* new ChatHost.ChatFault({
      reason: { _tag: "GroupUnsupported", feature: "regenerate of a turn with several speakers" },
      detail: "The last turn of this group has several speakers and can only be regenerated in SillyTavern. Use swipe.",
    });
  }
  return 1;
});

const isSwipeable = (message: StoredMessage): boolean => {
  const extra = message.fields["extra"];
  return !isObject(extra) || (extra["isSmallSys"] !== true && extra["swipeable"] !== false);
};

/** SillyTavern marks the messages of one group turn with one `gen_id`; without it a turn reaches back to the user. */
const isSameTurn = (before: StoredMessage, target: StoredMessage): boolean => {
  const [earlier, later] = [generation(before), generation(target)];
  if (earlier !== undefined && later !== undefined) return earlier === later;
  return !before.isUser && !before.isSystem;
};

const generation = (message: StoredMessage): unknown => {
  const extra = message.fields["extra"];
  return isObject(extra) ? (extra["gen_id"] ?? undefined) : undefined;
};
