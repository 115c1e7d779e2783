/**
 * The mark of a storage that a copy is being made into: it is not whole, so nothing in it is left behind.
 *
 * Owns who may remove it: the copy that comes to its end, or whoever gives up one that was broken off.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { RunOwner } from "@cahier/domain/run/event/lifecycle";
import { HostProcess } from "@cahier/ports/HostProcess";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { copiesCollection } from "./leftOutCollections.ts";
import type { StorageSet } from "./StorageSet.ts";

type Marked = Pick<StorageSet, "documents">;

/** Says that this process copies into the storage; that of a copy that was stopped is written over. */
export const set = Effect.fn("CopyMark.set")(function* ({
  documents,
}: Marked): Effect.fn.Return<void, Fatal, HostProcess> {
  const { self } = yield* HostProcess;
  const { revision } = yield* found(documents);
  yield* documents.put(copiesCollection, markId, revision, { owner: { ...self } }).pipe(
    // Two copies into one storage have one mark.
    Effect.catchTag("Conflict", () => Effect.void),
    Effect.mapError(classifyStorage),
  );
});

/** Says that the storage is whole. Idempotent. */
export const clear = ({ documents }: Marked): Effect.Effect<void, Fatal> =>
  documents.remove(copiesCollection, markId).pipe(Effect.mapError(classifyStorage));

/**
 * Gives up a copy that was broken off: what it brought stays, and what nothing names of it is collected by the next retention.
 * Gives whether there was a mark. Refused with `storage.in_use` while the process that copies lives; of one on another machine
 * that is not known, and `evenElsewhere` says that it does not.
 */
export const abandonCopy = Effect.fn("Storage.abandonCopy")(function* (
  to: Marked,
  { evenElsewhere = false }: { readonly evenElsewhere?: boolean } = {},
): Effect.fn.Return<boolean, Fatal, HostProcess> {
  const process = yield* HostProcess;
  const { owner, revision } = yield* found(to.documents);
  if (revision === 0) return false;
  const liveness = owner === undefined ? "gone" : yield* process.liveness(owner);
  if (liveness === "running" || (liveness === "elsewhere" && !evenElsewhere))
    return yield* fatal(
      "storage.in_use",
      liveness === "running"
        ? `Process ${owner?.pid} on ${owner?.machine} is copying into this storage. Wait for it or end it; then give the copy up.`
        : `Process ${owner?.pid} on ${owner?.machine} began to copy into this storage. Make sure there that it does not any more, and say so.`,
    );
  yield* clear(to);
  return true;
});

const markId = "present";

const decode = Schema.decodeUnknownOption(Schema.Struct({ owner: RunOwner }));

/** Revision 0: there is no mark. One that cannot be read, or names nobody, was left by nobody who lives. */
const found = (documents: Marked["documents"]) =>
  documents.get(copiesCollection, markId).pipe(
    Effect.map(({ revision, value }) => ({
      revision,
      owner: Option.getOrUndefined(Option.map(decode(value), (mark) => mark.owner)),
    })),
    Effect.catchTag("NotFound", () => Effect.succeed({ revision: 0, owner: undefined })),
    Effect.mapError(classifyStorage),
  );
