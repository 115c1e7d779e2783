/**
 * What a new run does first for its chat: it carries on the runs of that chat that were left lying.
 */
import { workspaceIdOf } from "@cahier/domain/chat/workspaceIdOf";
import type { CarryOnOptions } from "@cahier/application/run/Runs";
import { ChatHost, type ChatLocation } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { allUntilStopped, sentenceOf } from "./resume.ts";

/**
 * Carries them on to their end, oldest first, so that the new run sees what they have published. What one of them fails
 * with is logged and keeps the new run from nothing. A chat that cannot be read has none here: the start
 * of the new run says why.
 */
export const carryOnRunsOf = Effect.fnUntraced(function* (chat: ChatLocation, options: CarryOnOptions) {
  const chatHost = yield* ChatHost;
  const frozen = yield* Effect.option(chatHost.freeze(chat, "normal"));
  if (Option.isNone(frozen)) return;
  const { ref, stableChatId } = frozen.value;
  const ended = yield* allUntilStopped({
    ...options,
    workspaceId: workspaceIdOf(ref.kind, stableChatId),
    concurrency: 1,
  });
  for (const run of ended)
    yield* Effect.logInfo(
      `The run ${run.runId} of this chat had been interrupted and was carried on: ${sentenceOf(run)}`,
    );
});
