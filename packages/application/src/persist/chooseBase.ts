/**
 * What a run begins with of what the agents of its chat remember.
 *
 * Owns the choice: the state that the chat's branch ends with, else the newest that no other branch of the chat names. A state
 * that was removed on purpose is passed over, and one that is missing otherwise refuses the start. Does not own reading the chat before the run (`startRun`) nor storing states (`States`).
 */
import type { FrozenChat, GenerationType } from "@cahier/domain/chat/Chat";
import { workspaceIdOf } from "@cahier/domain/chat/workspaceIdOf";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { baseOf, namedStates } from "@cahier/domain/persist/baseOf";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { PayloadOf } from "@cahier/domain/run/RunEvent";
import { empty } from "@cahier/domain/run/RunState";
import { ChatHost, type ChatLocation } from "@cahier/ports/ChatHost";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { chatRefusal } from "../failure/classifyChat.ts";
import { loadState } from "../run/loadState.ts";
import * as StateNotes from "./StateNotes.ts";
import * as States from "./States.ts";

/** The state that a run begins with, and its files; null where only states that were removed on purpose are `removed`. */
export interface Base {
  readonly stateId: string | null;
  readonly removed: ReadonlyArray<string>;
  readonly source: PayloadOf<"persistent_projection_initialized">["source"];
  readonly files: ReadonlyArray<States.RememberedFile>;
}

/** What the start is: `expected` is the state that its caller wants it to begin with. */
export interface BaseRequest {
  readonly location: ChatLocation;
  readonly generationType: GenerationType;
  readonly chat: FrozenChat;
  readonly expected: string | undefined;
}

/**
 * The base of a run, or undefined when its chat has none. A message that says something unusable of its state, a state that is
 * not there or not whole, and an expectation that the chat does not meet, refuse the start with their codes.
 */
export const chooseBase = Effect.fn("Persist.chooseBase")(function* ({
  chat,
  expected,
  generationType,
  location,
}: BaseRequest) {
  if (expected === "")
    return yield* fatal(
      "agent.persist_base_state_id_empty",
      "The id of the state to begin with is empty. Leave it out.",
    );
  const states = yield* States.make;
  const workspaceId = workspaceIdOf(chat.ref.kind, chat.stableChatId);
  const notes = yield* StateNotes.read(workspaceId);
  const { files, named, removed } = yield* ofBranch(states, chat, new Set(notes.removed));
  const stateId = named ?? (yield* newest(states, { chat, expected, generationType, location }, notes));
  if (expected !== undefined && expected !== stateId)
    return yield* fatal(
      "agent.persist_base_state_mismatch",
      `The run is to begin with the state "${expected}", and its chat ${stateId === undefined ? "has none" : `leads to "${stateId}"`}. Name that one, or none.`,
    );
  if (stateId === undefined)
    return removed.length === 0 ? undefined : ({ stateId: null, source: "none", files: [], removed } satisfies Base);
  return {
    stateId,
    source: named === null ? "newest" : "branch",
    files: named === null ? (yield* states.read(workspaceId, stateId)).files : files,
    removed,
  } satisfies Base;
});

/** The last state that the branch names and that is stored, and those behind it that were removed on purpose. */
const ofBranch = Effect.fnUntraced(function* (
  states: States.States,
  chat: FrozenChat,
  noted: ReadonlySet<string>,
): Effect.fn.Return<
  {
    readonly named: string | null;
    readonly files: Base["files"];
    readonly removed: ReadonlyArray<string>;
  },
  Fatal
> {
  const workspaceId = workspaceIdOf(chat.ref.kind, chat.stableChatId);
  const removed = new Set<string>();
  for (;;) {
    const named = yield* Effect.fromResult(
      Result.mapError(baseOf(chat.messages, removed), ({ code, message }): Fatal => fatal(code, message)),
    );
    if (named === null) return { named, files: [], removed: [...removed] };
    const files = yield* states.read(workspaceId, named).pipe(
      Effect.map((found) => found.files),
      Effect.catchIf(
        ({ reason }) => reason.code === "agent.persistent_state_not_found" && noted.has(named),
        () => Effect.undefined,
      ),
    );
    if (files !== undefined) return { named, files, removed: [...removed] };
    removed.add(named);
  }
});

/**
 * A state that another swipe of the chat's last message names is of another branch, and one whose message was taken back is of
 * none; of a run that is not stored any more the notes say so.
 */
const newest = Effect.fnUntraced(function* (
  states: States.States,
  { chat, generationType, location }: BaseRequest,
  { withdrawn }: StateNotes.StateNotes,
): Effect.fn.Return<string | undefined, Fatal, ChatHost | RunJournal> {
  const all = yield* states.list(workspaceIdOf(chat.ref.kind, chat.stableChatId));
  if (all.length === 0) return undefined;
  const others = generationType === "normal" ? new Set<string>() : yield* namedIn(location);
  const noted = new Set(withdrawn);
  for (const { runId, stateId } of all) {
    if (others.has(stateId) || noted.has(stateId) || (yield* isTakenBack(runId, stateId))) continue;
    return stateId;
  }
  return undefined;
});

const namedIn = Effect.fnUntraced(function* (
  location: ChatLocation,
): Effect.fn.Return<ReadonlySet<string>, Fatal, ChatHost> {
  const chatHost = yield* ChatHost;
  const whole = yield* chatHost.freeze(location, "normal").pipe(Effect.mapError(chatRefusal));
  return namedStates(whole.messages);
});

/** Whether the run has taken the state back, or the message that would lead to it; false of a run that is not stored. */
export const isTakenBack = Effect.fnUntraced(function* (
  runId: RunId,
  stateId: string,
): Effect.fn.Return<boolean, Fatal, RunJournal> {
  const journal = yield* RunJournal;
  const withdrawn = new Set<string>();
  const note = ({ payload, type }: StoredEvent): void => {
    if (type === "persistent_state_withdrawn")
      withdrawn.add((payload as PayloadOf<"persistent_state_withdrawn">).stateId);
  };
  const { state } = yield* loadState(journal, runId, note).pipe(
    Effect.catchIf(
      ({ reason }) => reason.code === "agent.run_not_found",
      () => Effect.succeed({ state: empty }),
    ),
  );
  if (withdrawn.has(stateId)) return true;
  return state.runId !== null && state.presentation === "foreground" && state.commits.length === 0;
});
