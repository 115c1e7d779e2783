/** The items of requests that carry what only a server can read: signatures, encrypted content. */
import { canonicalJson } from "@cahier/domain/tool/canonicalArguments";
import type * as Schema from "effect/Schema";

const keys = new Set(["signature", "data", "encrypted_content", "thoughtSignature", "thought_signature"]);

/** An opaque value and the object in which it stands, without the members that clients rewrite. */
export interface Opaque {
  readonly value: string;
  readonly item: Readonly<Record<string, unknown>>;
}

/** Everywhere in a value, in order. Google's clients rewrite base64 in the other alphabet. */
export const find = (value: unknown): ReadonlyArray<Opaque> => {
  if (Array.isArray(value)) return value.flatMap(find);
  if (typeof value !== "object" || value === null) return [];
  const item = value as Readonly<Record<string, unknown>>;
  return Object.entries(item).flatMap(([key, inner]) => {
    if (typeof inner !== "string" || !keys.has(key)) return find(inner);
    return inner.length < 8 || isMedia(item) ? [] : [{ value: normal(inner), item }];
  });
};

/** What an item says: its readable members, whose equality shows that the value stands where it stood. */
export const saying = ({ item }: Opaque): string => {
  const call = item["functionCall"] ?? item["function_call"];
  const name = typeof call === "object" && call !== null && "name" in call ? call.name : null;
  const members = ["text", "thinking", "summary", "name", "arguments"].map((key) => item[key] ?? null);
  return canonicalJson([name, ...members] as ReadonlyArray<Schema.Json>);
};

const normal = (value: string): string => value.replaceAll("-", "+").replaceAll("_", "/");

/** Images have `data` too. */
const isMedia = (item: Readonly<Record<string, unknown>>): boolean =>
  "media_type" in item || "mimeType" in item || "mime_type" in item || item["format"] === "wav";
