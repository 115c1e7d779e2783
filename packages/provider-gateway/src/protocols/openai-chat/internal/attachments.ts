/**
 * Media of a user as parts of a Chat Completions message, as far as the server takes them.
 */
import type { MediaPart, Message } from "@cahier/domain/model/Message";
import * as media from "../../../internal/media.ts";
import type { Refusal } from "../../../Route.ts";
import type { Limits } from "./Dialect.ts";
import type { RequestPart } from "./wire.ts";

/** The part; undefined where the server takes no such attachment. */
export const encode = (part: MediaPart, limits: Limits): RequestPart | undefined => {
  const of = media.of(part);
  if (of.mimeType.startsWith("image/")) return { type: "image_url", image_url: { url: part.value } };
  const format = soundFormats[of.mimeType.replace("/x-", "/")];
  if (of._tag === "data") {
    if (format !== undefined) return { type: "input_audio", input_audio: { data: of.base64, format } };
    return limits.files.includes(of.mimeType) ? fileOf(of.mimeType, part.value) : undefined;
  }
  if (format !== undefined) return limits.soundAddress === "asText" ? textOf(of.url) : undefined;
  if (limits.fileAddress === "asText") return textOf(of.url);
  return limits.fileAddress === "asFile" && limits.files.includes(of.mimeType)
    ? fileOf(of.mimeType, of.url)
    : undefined;
};

/** Why the attachments of a message cannot be sent; undefined where they can. */
export const refusalOf = ({ parts }: Message, limits: Limits): Refusal | undefined => {
  const refused = parts.find((part) => part.type === "media" && encode(part, limits) === undefined);
  if (refused?.type !== "media") return undefined;
  const { _tag, mimeType } = media.of(refused);
  const number = parts.filter(({ type }) => type === "media").indexOf(refused) + 1;
  const why =
    _tag === "address"
      ? "is only an address, which the server does not read"
      : "is of a type that the server does not take";
  return { _tag: "attachment", detail: `attachment ${number} (${mimeType}) ${why}` };
};

const textOf = (text: string): RequestPart => ({ type: "text", text });

/** A file needs a name. */
const fileOf = (mimeType: string, data: string): RequestPart => ({
  type: "file",
  file: { filename: `document.${media.fileEnding(mimeType)}`, file_data: data },
});

const soundFormats: Readonly<Record<string, "wav" | "mp3">> = {
  "audio/mp3": "mp3",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/wave": "wav",
};
