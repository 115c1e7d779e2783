/**
 * The bytes of a file as the text that stands for them in the record, and back: text as it is, anything else in base64.
 */
import type { FileEncoding } from "@cahier/domain/run/event/tool";
import * as Result from "effect/Result";
import * as Base64 from "effect/encoding/Base64";

/** What is written down of a file. `encoding` is there for one that is no text. */
export interface FileContent {
  readonly text: string;
  readonly encoding?: FileEncoding;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Bytes that are UTF-8 are text, whatever characters they hold. */
export const contentOf = (bytes: Uint8Array): FileContent =>
  Result.match(
    Result.try(() => decoder.decode(bytes)),
    {
      onSuccess: (text): FileContent => ({ text }),
      onFailure: (): FileContent => ({ text: Base64.encode(bytes), encoding: "base64" }),
    },
  );

/** The bytes that a content stands for; undefined when it is not written as its encoding says. */
export const bytesOf = ({ encoding, text }: FileContent): Uint8Array | undefined =>
  encoding === undefined ? encoder.encode(text) : Result.getOrUndefined(Base64.decode(text));
