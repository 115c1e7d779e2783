/**
 * One form for equal arguments: what approvals are bound to and repetitions are recognised by.
 */
import type * as Schema from "effect/Schema";
import * as Sha256 from "../payload/Sha256.ts";
import * as ToolArguments from "./ToolArguments.ts";

/** JSON without white space, the keys of every object ascending by UTF-16 units. */
export const canonicalJson = (value: Schema.Json): string => {
  if (Array.isArray(value)) return `[${(value as ReadonlyArray<Schema.Json>).map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value as ToolArguments.JsonObject).toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(",")}}`;
};

/**
 * The digest of the arguments of a call from their raw text: equal for every spelling of the same object. Unusable
 * arguments have the digest of their text.
 */
export const argumentsSha256 = (raw: string): Sha256.Sha256 => {
  const read = ToolArguments.fromRaw(raw);
  return Sha256.ofText(read._tag === "Usable" ? canonicalJson(read.value) : read.raw);
};
