/**
 * The states of a storage that no run could begin with: their manifests or their content cannot be read.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { WorkspaceId } from "@cahier/domain/identity/Identity";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as States from "./States.ts";

/** A state and why it cannot be read whole. */
export interface DamagedState {
  readonly workspaceId: WorkspaceId;
  readonly stateId: string;
  readonly failure: Fatal;
}

/**
 * Reads every state whole, with the content of its files, and gives those that are not. A manifest that is damaged as a document
 * is not among them: the document store reports it; nor is one that a newer version has written. Fails only when the storage cannot be read at all.
 */
export const damagedStates = Effect.fn("Persist.damaged")(function* (): Effect.fn.Return<
  ReadonlyArray<DamagedState>,
  Fatal,
  BlobStore | DocumentStore
> {
  const documents = yield* DocumentStore;
  const states = yield* States.make;
  const found: Array<DamagedState> = [];
  for (const collection of yield* documents.collections.pipe(Effect.mapError(classifyStorage))) {
    const workspaceId = workspaceOf(collection);
    if (workspaceId === undefined) continue;
    const listed = yield* documents.list(collection).pipe(Effect.mapError(classifyStorage));
    for (const { id: stateId } of listed.documents) {
      const read = yield* Effect.result(states.read(workspaceId, stateId));
      if (Result.isSuccess(read) || isNewer(read.failure)) continue;
      if (!isOfState(read.failure)) return yield* read.failure;
      found.push({ workspaceId, stateId, failure: read.failure });
    }
  }
  return found;
});

const decodeWorkspaceId = Schema.decodeUnknownOption(WorkspaceId);

const workspaceOf = (collection: string): WorkspaceId | undefined => {
  const [first, second] = collection.split("/");
  const workspaceId = first === States.statesCollection ? decodeWorkspaceId(second) : undefined;
  return workspaceId?._tag === "Some" ? workspaceId.value : undefined;
};

const isNewer = ({ reason }: Fatal): boolean => reason.code === "agent.persistent_state_version_unsupported";

/** What is wrong with one state; a storage that cannot be read says nothing of any. */
const isOfState = ({ reason }: Fatal): boolean => reason.code.startsWith("agent.persistent_state_");
