/**
 * What is known of states beyond themselves and their runs: which were removed on purpose, and which were taken back.
 *
 * Owns that a note is durable before what it tells of is gone. Does not own the removal. Of a chat the newest
 * `mostNoted` of each kind are kept.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { WorkspaceId } from "@cahier/domain/identity/Identity";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";

/** The collection of notes: one document for each workspace that has any. */
export const notesCollection = "state-notes";

/** How many ids of each kind are kept. */
export const mostNoted = 10_000;

/**
 * `removed`: somebody asked for the removal, so that a message which still names the state names nothing. `withdrawn`: the run
 * that published the state has taken its message back and is not stored any more. Each oldest first.
 */
export const StateNotes = Schema.Struct({
  schemaVersion: Schema.Literal(1),
  removed: Schema.Array(Schema.String),
  withdrawn: Schema.Array(Schema.String),
});
export type StateNotes = typeof StateNotes.Type;

export type NoteKind = "removed" | "withdrawn";

/** The notes of a workspace; none where nothing was ever noted. Notes that cannot be read are no notes. */
export const read = Effect.fn("StateNotes.read")(function* (
  workspaceId: WorkspaceId,
): Effect.fn.Return<StateNotes, Fatal, DocumentStore> {
  return (yield* stored(workspaceId)).notes;
});

/** Adds ids to the notes of a workspace. Idempotent; durable when it returns. */
export const note = Effect.fn("StateNotes.note")(function* (
  workspaceId: WorkspaceId,
  kind: NoteKind,
  stateIds: ReadonlyArray<string>,
): Effect.fn.Return<void, Fatal, DocumentStore> {
  const documents = yield* DocumentStore;
  for (;;) {
    const { notes, revision } = yield* stored(workspaceId);
    const known = new Set(notes[kind]);
    const added = [...new Set(stateIds)].filter((stateId) => !known.has(stateId));
    if (added.length === 0) return;
    const next = { ...notes, [kind]: [...notes[kind], ...added].slice(-mostNoted) };
    const isWritten = yield* documents.put(notesCollection, workspaceId, revision, next).pipe(
      Effect.as(true),
      // Another process has noted something meanwhile.
      Effect.catchTag("Conflict", () => Effect.succeed(false)),
      Effect.mapError(classifyStorage),
    );
    if (isWritten) return;
  }
});

const decode = Schema.decodeUnknownOption(StateNotes);

const none: StateNotes = { schemaVersion: 1, removed: [], withdrawn: [] };

const stored = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
  const documents = yield* DocumentStore;
  return yield* documents.get(notesCollection, workspaceId).pipe(
    Effect.map(({ revision, value }) => ({ revision, notes: Option.getOrElse(decode(value), () => none) })),
    Effect.catchTag("NotFound", () => Effect.succeed({ revision: 0, notes: none })),
    Effect.mapError(classifyStorage),
  );
});
