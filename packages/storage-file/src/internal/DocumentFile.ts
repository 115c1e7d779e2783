/**
 * A document's files in a collection's folder: their names, their content, and which of them is the document.
 *
 * Owns reading. Does not own the order of writing: `FileDocumentStore` describes the scheme.
 */
import type * as Schema from "effect/Schema";
import * as nodePath from "node:path";
import type * as Disk from "../Disk.ts";
import * as Fault from "./fault.ts";
import * as Files from "./Files.ts";
import * as RunLayout from "./RunLayout.ts";

export interface Stored {
  readonly revision: number;
  readonly life: string;
  readonly value: Schema.Json;
}

export interface Damaged {
  readonly detail: string;
  readonly path: string;
}

export type Found = Stored | Damaged | undefined;

/** A name that no document and no collection can have. */
export const revisionsFolder = ".revisions";

export const nameOf = (id: string): string => `${id}.json`;

/** The id of the document that a file name belongs to, or undefined for another file. */
export const idOf = (name: string): string | undefined => {
  const id = name.endsWith(".json") ? name.slice(0, -".json".length) : "";
  return RunLayout.isSegment(id) ? id : undefined;
};

export const revisionName = (id: string, life: string, revision: number): string => `${id}.${life}.${revision}`;

/** The life and the revision in the name of one of the document's revisions, or undefined for another file. */
export const revisionOf = (
  name: string,
  id: string,
): { readonly life: string; readonly revision: number } | undefined => {
  const [named, life, revision, ...rest] = name.split(".");
  if (named !== id || life === undefined || revision === undefined || rest.length > 0) return undefined;
  return /^[1-9][0-9]*$/.test(revision) ? { life, revision: Number(revision) } : undefined;
};

/** The bytes of a document, or undefined for a value without JSON form. */
export const encode = ({ life, revision, value }: Stored): Buffer | undefined => {
  const json = stringify(value);
  return json === undefined ? undefined : Buffer.from(`{"revision":${revision},"life":"${life}","value":${json}}\n`);
};

/** The document as it is, past what a crash left behind; throws what the disk throws. */
export const find = (disk: Disk.Disk, folder: string, id: string): Found => {
  const found = load(disk, nodePath.join(folder, nameOf(id)));
  if (found === undefined || "detail" in found) return found;
  return newest(disk, folder, id, found);
};

const newest = (disk: Disk.Disk, folder: string, id: string, found: Stored): Stored | Damaged => {
  const name = revisionName(id, found.life, found.revision + 1);
  const next = load(disk, nodePath.join(folder, revisionsFolder, name));
  if (next === undefined) return found;
  return "detail" in next ? next : newest(disk, folder, id, next);
};

const load = (disk: Disk.Disk, path: string): Found => {
  if (disk.entry(path) === undefined) return undefined;
  const bytes = Fault.orAbsent(() => Files.read(disk, path), undefined);
  if (bytes === undefined) return undefined;
  return parse(bytes.toString("utf8")) ?? { detail: "the file is not a document with its revision", path };
};

const parse = (text: string): Stored | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isStored(value) ? { revision: value.revision, life: value.life ?? handMade, value: value.value } : undefined;
  } catch {
    return undefined;
  }
};

/** A person may write a document by hand, and does not draw a life for it. */
const handMade = "0";

const isStored = (value: unknown): value is Omit<Stored, "life"> & { readonly life?: string } =>
  typeof value === "object" &&
  value !== null &&
  "revision" in value &&
  "value" in value &&
  Number.isSafeInteger(value.revision) &&
  Number(value.revision) >= 1 &&
  (!("life" in value) || (typeof value.life === "string" && /^[0-9a-f]{1,64}$/.test(value.life)));

const stringify = (value: unknown): string | undefined => {
  try {
    const text: unknown = JSON.stringify(value, refuseNonFinite);
    return typeof text === "string" ? text : undefined;
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
};

/** JSON would write `null` in their place. */
const refuseNonFinite = (_key: string, value: unknown): unknown => {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("a number that is not finite");
  return value;
};
