/**
 * Writes into the message of a run which state it published, so that whoever continues the chat from there remembers it.
 *
 * Owns that the intent is on record before the chat is touched, and that a crash in between is settled by looking.
 */
import type { ChatMessage } from "@cahier/domain/chat/Chat";
import type { InvocationId } from "@cahier/domain/identity/Identity";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { unnamedMessage } from "@cahier/domain/run/remembered";
import { draft } from "@cahier/domain/run/RunEvent";
import { chatRevision, type CommitRecord } from "@cahier/domain/run/RunState";
import { ChatFault, type ChatHost, type ChatLocation } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { chatRefusal, chatTrouble } from "../failure/classifyChat.ts";
import type { RunWriter } from "../run/RunWriter.ts";

/** How long a chat host may take to write the metadata. */
export const metadataDeadlineMs = 600_000;

/** What naming works with. */
export interface Naming {
  readonly writer: RunWriter;
  readonly invocationId: InvocationId;
  readonly chat: ChatLocation;
  readonly chatHost: ChatHost["Service"];
}

/**
 * Lets the run's message name its present state when it does not yet. A host that does not answer is `agent.host_timeout`,
 * and it is not known whether the message names it; after every other failure it does not.
 */
export const nameState = (naming: Naming): Effect.Effect<void, Fatal> =>
  Effect.suspend(() => {
    const message = unnamedMessage(naming.writer.state());
    return message === undefined
      ? Effect.void
      : Effect.uninterruptibleMask((restore) => name(naming, message, restore));
  });

/** Whether the message of the run names the state, with the revision of the chat; fails when that cannot be found out. */
export const lookUpName = Effect.fnUntraced(function* (
  { chat, chatHost }: Pick<Naming, "chat" | "chatHost">,
  { messageIndex }: Pick<CommitRecord, "messageIndex">,
  stateId: string,
): Effect.fn.Return<{ readonly isNamed: boolean; readonly revision: string }, ChatFault> {
  const { messages, revision } = yield* chatHost.freeze(chat, "normal");
  const last: ChatMessage | undefined = messages.at(-1);
  const found = messages.find(({ index }) => index === messageIndex);
  // Of a chat that has gone on the run knows no revision any more: whatever it asks of it next is a conflict.
  return {
    isNamed: found?.agent?.persistStateId === stateId,
    revision: last?.index === messageIndex ? revision : "",
  };
});

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>;

const name = Effect.fnUntraced(function* (
  naming: Naming,
  message: CommitRecord,
  restore: Restore,
): Effect.fn.Return<void, Fatal> {
  const { invocationId, writer } = naming;
  const { persist } = writer.state();
  const { published, stateId } = persist;
  if (stateId === null) return;
  const { commitId, messageId } = message;
  const ids = { stateId, commitId, messageId };
  if (persist.naming === stateId) {
    const found = yield* lookUpName(naming, message, stateId).pipe(Effect.mapError(chatRefusal));
    if (found.isNamed) return yield* named(naming, ids, found.revision);
  }
  const revision = chatRevision(writer.state());
  const baseStateId = published?.stateId === stateId ? published.baseStateId : stateId;
  writer.record(draft("persistent_state_metadata_update_requested", invocationId, { ...ids, baseStateId, revision }));
  yield* writer.flush;
  const answer = yield* restore(ask(naming, message, revision, { stateId, baseStateId })).pipe(Effect.result);
  if (Result.isSuccess(answer)) return yield* named(naming, ids, answer.success);
  const trouble = chatTrouble(answer.failure);
  // It stays intended that the message names the state, and whoever carries the run on asks for it again.
  if (trouble !== undefined) return yield* trouble;
  const failure = failureOf(answer.failure);
  if (answer.failure.reason._tag === "Silent") return yield* failure;
  writer.record(
    draft("persistent_state_metadata_update_failed", invocationId, {
      ...ids,
      code: failure.reason.code,
      message: failure.message,
    }),
  );
  return yield* failure;
});

const named = (
  { invocationId, writer }: Naming,
  ids: Pick<CommitRecord, "commitId" | "messageId"> & { readonly stateId: string },
  revision: string,
): Effect.Effect<void, Fatal> =>
  Effect.suspend(() => {
    writer.record(draft("persistent_state_metadata_updated", invocationId, { ...ids, revision }));
    return writer.flush;
  });

const ask = (
  { chat, chatHost }: Naming,
  { commitId, messageId, messageIndex }: CommitRecord,
  revision: string,
  { baseStateId, stateId }: { readonly stateId: string; readonly baseStateId: string | null },
): Effect.Effect<string, ChatFault> =>
  chatHost
    .writeMetadata(chat, { commitId, messageId, messageIndex, revision }, revision, {
      persistBaseStateId: baseStateId,
      persistStateId: stateId,
      persistStateStatus: "committed",
    })
    .pipe(
      Effect.timeoutOrElse({
        duration: metadataDeadlineMs,
        orElse: () =>
          Effect.fail(
            new ChatFault({
              reason: { _tag: "Silent" },
              detail: "The chat host did not answer in time. Look into the message whether it names the state.",
            }),
          ),
      }),
    );

const failureOf = (fault: ChatFault): Fatal =>
  fault.reason._tag === "Refused"
    ? fatal("agent.persistent_state_message_missing", `The state was not published. ${fault.detail}`, { cause: fault })
    : chatRefusal(fault);
