/**
 * The fact that a database cannot be opened because its tables are not ones that this release knows.
 */
import * as Schema from "effect/Schema";

/**
 * `newer`: a later release has changed the tables, and `found` is their version. `foreign`: the database is somebody
 * else's, or its tables of our names are not ours; `found` is 0. Nothing was written.
 */
export class VersionUnsupported extends Schema.TaggedError<VersionUnsupported>()("VersionUnsupported", {
  code: Schema.Literal("journal.version_unsupported"),
  kind: Schema.Literals(["newer", "foreign"]),
  found: Schema.Int,
  supported: Schema.Int,
  detail: Schema.String,
}) {
  override get message(): string {
    return this.detail;
  }
}
