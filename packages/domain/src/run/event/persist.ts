/** Payloads of the events about what agents remember beyond a run: the files under `persist/`. */
import * as Schema from "effect/Schema";
import { CommitId } from "../../identity/Identity.ts";
import { Payload } from "../../payload/Payload.ts";
import { Sha256 } from "../../payload/Sha256.ts";

/**
 * The run begins with what the state `stateId` remembers: the one that the chat's branch ends with (`branch`), or the newest
 * of the chat where its branch names none (`newest`). Its `fileCount` files follow. `removed` are states that the branch names
 * and that were removed on purpose: the run begins without them, and with nothing (`stateId` null, `none`) where there is no
 * other.
 */
export const PersistentProjectionInitialized = Schema.Struct({
  stateId: Schema.NullOr(Schema.String),
  source: Schema.Literals(["branch", "newest", "none"]),
  fileCount: Schema.Int,
  removed: Schema.optionalKey(Schema.Array(Schema.String)),
});

/** A remembered file is in the workspace of the run. Counts are of its content. */
export const PersistentFileProjected = Schema.Struct({
  stateId: Schema.String,
  path: Schema.String,
  chars: Schema.Int,
  words: Schema.Int,
  content: Payload,
});

/**
 * What the run changed under `persist/` is published as the state `stateId`, made from `baseStateId`: whoever continues the
 * chat from here remembers it. `sha256` is that of a file as it is now, absent of a deleted one.
 */
export const PersistentChangesCommitted = Schema.Struct({
  stateId: Schema.String,
  baseStateId: Schema.NullOr(Schema.String),
  changeCount: Schema.Int,
  changes: Schema.Array(
    Schema.Struct({
      path: Schema.String,
      kind: Schema.Literals(["added", "modified", "deleted"]),
      sha256: Schema.optionalKey(Sha256),
    }),
  ),
});

/** The run did not come to its end after it had published a state: nobody remembers it. */
export const PersistentStateWithdrawn = Schema.Struct({ stateId: Schema.String });

const metadata = { stateId: Schema.String, commitId: CommitId, messageId: Schema.String };

/**
 * The intent before the chat is touched: the message of the run, which `commitId` made, is to name the state. `revision`
 * names the state of the chat that the run last saw.
 */
export const PersistentStateMetadataUpdateRequested = Schema.Struct({
  ...metadata,
  baseStateId: Schema.NullOr(Schema.String),
  revision: Schema.String,
});

/** The message names the state. `revision` names the state of the chat after it. */
export const PersistentStateMetadataUpdated = Schema.Struct({ ...metadata, revision: Schema.String });

/** The chat did not take the metadata and is unchanged. */
export const PersistentStateMetadataUpdateFailed = Schema.Struct({
  ...metadata,
  code: Schema.String,
  message: Schema.String,
});
