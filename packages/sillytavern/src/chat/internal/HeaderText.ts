/**
 * The header line of a chat file with another state of the chat in it.
 *
 * Owns which characters of the line change: the values of the keys that are set, and nothing else.
 */
import type * as Schema from "effect/Schema";
import { isObject, parseObject } from "./json.ts";
import * as JsonText from "./JsonText.ts";

/** Each key of `state` whole in the place of what `chat_metadata` had under it; new keys stand last. */
export const withState = (line: string, state: Readonly<Record<string, Schema.Json>>): string => {
  const mark = line.startsWith(byteOrderMark) ? byteOrderMark : "";
  const header = line.slice(mark.length);
  const hasMetadata = isObject(parseObject(header)?.[metadataKey]);
  const ready = hasMetadata ? header : JsonText.set(header, [metadataKey], "{}");
  return (
    mark +
    Object.entries(state).reduce(
      (edited, [key, value]) => JsonText.set(edited, [metadataKey, key], JSON.stringify(value)),
      ready,
    )
  );
};

const metadataKey = "chat_metadata";

const byteOrderMark = "\uFEFF";
