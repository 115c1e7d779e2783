/**
 * Where the next page of runs begins. Opaque to clients: nothing but what this module wrote is read.
 */
import { RunId } from "@cahier/domain/identity/Identity";
import * as Schema from "effect/Schema";
import type { RunEntry } from "../OfferedRun.ts";

/** The last run of the page before; as text base64url of JSON. */
export const Cursor = Schema.StringFromBase64Url.pipe(
  Schema.decodeTo(
    Schema.fromJsonString(Schema.Struct({ createdAt: Schema.String.check(Schema.isMaxLength(64)), runId: RunId })),
  ),
);
export type Cursor = typeof Cursor.Type;

/** The cursor after a page of at most `limit` runs; undefined after the last page. */
export const after = (page: ReadonlyArray<RunEntry>, limit: number): string | undefined => {
  const last = page.at(-1);
  return last === undefined || page.length < limit
    ? undefined
    : encode({ createdAt: last.createdAt, runId: asRunId(last.runId) });
};

export const decode = Schema.decodeUnknownOption(Cursor);

const encode = Schema.encodeSync(Cursor);

const asRunId = Schema.decodeUnknownSync(RunId);
