/**
 * Removes states of a chat that were named and that nothing leads to any more.
 */
import { workspaceIdOf } from "@cahier/domain/chat/workspaceIdOf";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { WorkspaceId } from "@cahier/domain/identity/Identity";
import { namedStates } from "@cahier/domain/persist/baseOf";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { ChatHost, type ChatLocation } from "@cahier/ports/ChatHost";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { chatRefusal } from "../failure/classifyChat.ts";
import * as HostLog from "../retention/HostLog.ts";
import { allRecords } from "../run/allRecords.ts";
import { loadState } from "../run/loadState.ts";
import type { Ownership } from "../run/Ownership.ts";
import { summaryOf } from "../run/RunSummary.ts";
import * as StateNotes from "./StateNotes.ts";
import * as States from "./States.ts";

/** `kept` are candidates that a message or swipe names, or that a run which has not ended may name yet; `absent` are no states of this chat. */
export interface PrunedStates {
  readonly workspaceId: WorkspaceId;
  readonly removed: ReadonlyArray<string>;
  readonly kept: ReadonlyArray<string>;
  readonly absent: ReadonlyArray<string>;
}

/**
 * Removes those of the candidates that the chat does not name, as after a message or swipe was deleted. Nothing else is ever
 * looked at: without candidates it is `agent.persistent_state_prune_candidates_required`. Group chats are refused.
 */
export const pruneStates = Effect.fn("Persist.prune")(function* (
  location: ChatLocation,
  candidates: ReadonlyArray<string>,
): Effect.fn.Return<PrunedStates, Fatal, RunJournal | BlobStore | ChatHost | DocumentStore | Ownership> {
  if (candidates.length === 0)
    return yield* fatal(
      "agent.persistent_state_prune_candidates_required",
      "Name the states that are to be removed when nothing leads to them.",
    );
  if (location.groupId !== undefined)
    return yield* fatal(
      "agent.group_persistent_state_prune_unsupported",
      "States of a group chat are not removed one by one. Forget the chat to remove all of them.",
    );
  const chatHost = yield* ChatHost;
  const states = yield* States.make;
  const chat = yield* chatHost.freeze(location, "normal").pipe(Effect.mapError(chatRefusal));
  const workspaceId = workspaceIdOf(chat.ref.kind, chat.stableChatId);
  const named = new Set([...namedStates(chat.messages), ...(yield* heldBy(workspaceId))]);
  const stored = new Set((yield* states.list(workspaceId)).map(({ stateId }) => stateId));
  const all = [...new Set(candidates)];
  const here = all.filter((stateId) => stored.has(stateId));
  const removable = here.filter((stateId) => !named.has(stateId));
  yield* StateNotes.note(workspaceId, "removed", removable);
  yield* Effect.forEach(
    removable,
    (stateId) =>
      HostLog.recording(
        { action: "states_pruned", subject: stateId, reason: "asked for" },
        Effect.as(states.remove(workspaceId, stateId), { workspaceId }),
      ),
    { discard: true },
  );
  return {
    workspaceId,
    removed: removable,
    kept: here.filter((stateId) => named.has(stateId)),
    absent: all.filter((stateId) => !stored.has(stateId)),
  };
});

/** The states that open runs of the chat began with or published: their messages may come to name them. */
const heldBy = Effect.fnUntraced(function* (
  workspaceId: WorkspaceId,
): Effect.fn.Return<ReadonlyArray<string>, Fatal, RunJournal | DocumentStore | Ownership> {
  const journal = yield* RunJournal;
  const held = yield* Effect.forEach(
    yield* allRecords({ workspaceId }),
    Effect.fnUntraced(function* (record) {
      if ((yield* summaryOf(record)).standing === "ended") return [];
      const { persist } = (yield* loadState(journal, record.runId)).state;
      return persist.stateId === null ? [] : [persist.stateId];
    }),
  );
  return held.flat();
});
