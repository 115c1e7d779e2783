/**
 * The published states of chats: their manifests as documents, their files as blobs.
 *
 * Owns where they stand, that one is whole or not there, and that a published one never changes. Does not own when a run
 * publishes (`publishState`) nor which state it begins with (`chooseBase`).
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import * as PersistentState from "@cahier/domain/persist/PersistentState";
import { canonicalJson } from "@cahier/domain/tool/canonicalArguments";
import { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";

/** The manifests of the states of one workspace; ids are those of the states. */
export const collectionOf = (workspaceId: WorkspaceId): string => `${statesCollection}/${workspaceId}`;

/** The first segment of all collections of states. */
export const statesCollection = "persistent-states";

/** The blobs of one state. */
export const scopeOf = (stateId: string): string => `${scopePrefix}${stateId}`;

/** What scopes of states begin with; those of runs do not. */
export const scopePrefix = "persist_";

/** A remembered file with its content. */
export interface RememberedFile extends PersistentState.PersistentFile {
  readonly text: string;
}

export interface States {
  /** A state with the content of its files. One that is not there or not whole is refused with its own code. */
  readonly read: (
    workspaceId: WorkspaceId,
    stateId: string,
  ) => Effect.Effect<
    { readonly state: PersistentState.PersistentState; readonly files: ReadonlyArray<RememberedFile> },
    Fatal
  >;
  /** Every readable state of a workspace, newest first. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<PersistentState.PersistentState>, Fatal>;
  /**
   * Stores a state, its files first: whole or not at all. The same state again is no error, so that a run which crashed can
   * go on; another one of the same id is `agent.persistent_state_exists`.
   */
  readonly publish: (
    state: PersistentState.PersistentState,
    texts: ReadonlyArray<string>,
  ) => Effect.Effect<void, Fatal>;
  /** Removes a state that `runId` published; one of another run stays. Idempotent. */
  readonly withdraw: (workspaceId: WorkspaceId, stateId: string, runId: RunId) => Effect.Effect<void, Fatal>;
  /** Removes a state, whoever published it. Idempotent. */
  readonly remove: (workspaceId: WorkspaceId, stateId: string) => Effect.Effect<void, Fatal>;
}

/** The states in the storage of this process. */
export const make: Effect.Effect<States, never, BlobStore | DocumentStore> = Effect.gen(function* () {
  const blobs = yield* BlobStore;
  const documents = yield* DocumentStore;

  const manifest = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    stateId: string,
  ): Effect.fn.Return<PersistentState.PersistentState | undefined, Fatal> {
    const found = yield* documents.get(collectionOf(workspaceId), stateId).pipe(
      Effect.catchTag("NotFound", () => Effect.undefined),
      Effect.mapError((fact) =>
        fact._tag === "Corrupt"
          ? fatal("agent.persistent_state_invalid", `The state "${stateId}" is damaged. Restore it from a backup.`, {
              cause: fact,
            })
          : classifyStorage(fact),
      ),
    );
    if (found === undefined) return undefined;
    return yield* Effect.fromResult(
      Result.mapError(PersistentState.read(found.value, { stateId, workspaceId }), ({ code, message }) =>
        fatal(code, message),
      ),
    );
  });

  const contentOf = (stateId: string, file: PersistentState.PersistentFile): Effect.Effect<RememberedFile, Fatal> =>
    blobs.get(scopeOf(stateId), file.sha256).pipe(
      Effect.mapError((fact) =>
        fact._tag === "Unavailable"
          ? classifyStorage(fact)
          : fatal(
              "agent.persistent_state_manifest_mismatch",
              `The state "${stateId}" names ${file.path}, and its content is gone or damaged. Restore it from a backup.`,
              { cause: fact },
            ),
      ),
      Effect.map((bytes) => ({ ...file, text: new TextDecoder().decode(bytes) })),
    );

  const read: States["read"] = Effect.fn("States.read")(function* (workspaceId, stateId) {
    const state = yield* manifest(workspaceId, stateId);
    if (state === undefined)
      return yield* fatal(
        "agent.persistent_state_not_found",
        `The chat names the state "${stateId}", and this storage does not have it. Use the storage that it was made in, or remove persistStateId and persistStateStatus from the message.`,
      );
    return { state, files: yield* Effect.forEach(state.files, (file) => contentOf(stateId, file)) };
  });

  const list: States["list"] = Effect.fn("States.list")(function* (workspaceId) {
    const found = yield* documents.list(collectionOf(workspaceId)).pipe(Effect.mapError(classifyStorage));
    return found.documents
      .flatMap(({ id, value }) => {
        const state = PersistentState.read(value, { stateId: id, workspaceId });
        return Result.isSuccess(state) ? [state.success] : [];
      })
      .toSorted(newestFirst);
  });

  const publish: States["publish"] = Effect.fn("States.publish")(function* (state, texts) {
    const encoder = new TextEncoder();
    yield* Effect.forEach(texts, (text) => blobs.put(scopeOf(state.stateId), encoder.encode(text)), {
      discard: true,
    }).pipe(Effect.mapError(classifyStorage));
    // The workspace id of a manifest is one by construction.
    const collection = `${statesCollection}/${state.workspaceId}`;
    yield* documents.put(collection, state.stateId, 0, state).pipe(
      Effect.asVoid,
      Effect.catchTag("Conflict", () =>
        Effect.flatMap(documents.get(collection, state.stateId), ({ value }) =>
          isSame(value, state) ? Effect.void : Effect.fail(exists(state.stateId)),
        ),
      ),
      Effect.mapError((failure) => (failure._tag === "Fatal" ? failure : classifyStorage(failure))),
    );
  });

  const remove: States["remove"] = (workspaceId, stateId) =>
    documents
      .remove(collectionOf(workspaceId), stateId)
      .pipe(Effect.andThen(blobs.removeScope(scopeOf(stateId))), Effect.mapError(classifyStorage));

  const withdraw: States["withdraw"] = Effect.fn("States.withdraw")(function* (workspaceId, stateId, runId) {
    const state = yield* manifest(workspaceId, stateId);
    if (state === undefined || state.runId === runId) yield* remove(workspaceId, stateId);
  });

  return { read, list, publish, withdraw, remove };
});

const newestFirst = (one: PersistentState.PersistentState, other: PersistentState.PersistentState): number => {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  return one.stateId < other.stateId ? 1 : -1;
};

/** Equal but for the time: a run that crashed in between publishes it at another one. */
const isSame = (stored: unknown, state: PersistentState.PersistentState): boolean =>
  isState(stored) && canonicalJson({ ...stored, createdAt: state.createdAt }) === canonicalJson(state);

const isState = Schema.is(PersistentState.PersistentState);

const exists = (stateId: string): Fatal =>
  fatal(
    "agent.persistent_state_exists",
    `Another state is stored as "${stateId}" already, and a published state never changes.`,
  );
