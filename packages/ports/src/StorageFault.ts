/**
 * The facts that a storage port can report. Facts, not judgements: the application decides what each means for a run.
 */
import * as Schema from "effect/Schema";

/** The named thing is not there. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  entity: Schema.String,
  id: Schema.String,
}) {}

/** The named thing is already there; nothing was written. */
export class AlreadyExists extends Schema.TaggedError<AlreadyExists>()("AlreadyExists", {
  entity: Schema.String,
  id: Schema.String,
}) {}

/** The caller's expectation (sequence, epoch or revision) is stale; nothing was written. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  entity: Schema.String,
  id: Schema.String,
  expected: Schema.Int,
  actual: Schema.Int,
}) {}

/** Another owner has taken the run: `currentEpoch` is above the caller's; nothing of the caller's counts. */
export class Fenced extends Schema.TaggedError<Fenced>()("Fenced", {
  id: Schema.String,
  epoch: Schema.Int,
  currentEpoch: Schema.Int,
}) {}

/**
 * Stored data is damaged. `line` (1-based) and `seq` say where in a journal; everything before stays readable.
 * `path` says which file, where the storage has files.
 */
export class Corrupt extends Schema.TaggedError<Corrupt>()("Corrupt", {
  entity: Schema.String,
  id: Schema.String,
  detail: Schema.String,
  line: Schema.optionalKey(Schema.Int),
  seq: Schema.optionalKey(Schema.Int),
  path: Schema.optionalKey(Schema.String),
}) {}

/** The storage cannot do it: `full`, `readOnly`, `denied`, a refused symbolic link, a value it cannot hold, or anything else. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  operation: Schema.String,
  kind: Schema.Literals(["full", "readOnly", "denied", "symlink", "invalid", "other"]),
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
}) {}
