/**
 * Where the chat of a run is.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunState } from "@cahier/domain/run/RunState";
import type { ChatLocation } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";

/** The location that the run was started with, under the id that the chat had then. */
export const chatOf = ({ target }: Pick<RunState, "target">): Effect.Effect<ChatLocation, Fatal> =>
  target === null
    ? Effect.fail(fatal("journal.corrupt", "The journal does not say which chat the run writes to."))
    : Effect.succeed({
        location: target.location,
        ...(target.groupId === undefined ? {} : { groupId: target.groupId }),
        chatId: target.stableChatId,
      });
