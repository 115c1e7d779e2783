/**
 * Media of a message as its data or as the address where it lies.
 */
import type { MediaPart } from "@cahier/domain/model/Message";

export type Media =
  | { readonly _tag: "data"; readonly mimeType: string; readonly base64: string }
  | { readonly _tag: "address"; readonly mimeType: string; readonly url: string };

/** What the name of a file of a media type ends with, without the dot. */
export const fileEnding = (mimeType: string): string => mimeType.split("/").at(-1)?.split("+")[0] ?? "bin";

/** A `data:` URL names its own type, which goes before that of the part. */
export const of = ({ mimeType, value }: MediaPart): Media => {
  const match = /^data:([^;,]*)[^,]*,/.exec(value);
  if (match === null) return { _tag: "address", mimeType, url: value };
  return {
    _tag: "data",
    mimeType: match[1] === "" ? mimeType : (match[1] ?? mimeType),
    base64: value.slice(match[0].length),
  };
};
