/**
 * Character cards: PNG images that carry one, and JSON of versions 1, 2 and 3.
 *
 * Owns finding the card in the bytes. Does not own reading files (`CardFile`), nor what the fields mean (`CardSheet`).
 */
import type { Character } from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import { isObject, parse } from "../chat/internal/json.ts";
import * as CardSheet from "../material/CardSheet.ts";
import { CardFault } from "./CardFault.ts";
import * as PngText from "./internal/PngText.ts";

/**
 * The character of a card. Of a PNG with two versions the newer one (`ccv3`) counts. Fails with `NotACard`, `Damaged` or
 * `Unsupported`.
 */
export const read = Effect.fnUntraced(function* (bytes: Uint8Array) {
  return characterOf(yield* readSheet(bytes));
});

/** All of the card that a prompt is made of. Fails as `read` does. */
export const readSheet = Effect.fnUntraced(function* (bytes: Uint8Array) {
  return CardSheet.fromData(yield* readData(bytes));
});

/** The part of a card's sheet that is the port's character. */
export const characterOf = (sheet: CardSheet.CardSheet): Character => ({
  name: sheet.name,
  description: sheet.description,
  personality: sheet.personality,
  scenario: sheet.scenario,
  firstMessage: sheet.firstMessage,
  exampleMessages: sheet.exampleMessages,
  systemPrompt: sheet.systemPrompt,
  postHistoryInstructions: sheet.postHistoryInstructions,
});

/** The card's object: version 1, or the `data` of versions 2 and 3. Fails as `read` does. */
export const readData = Effect.fnUntraced(function* (bytes: Uint8Array) {
  if (PngText.isPng(bytes)) return yield* readPng(bytes);
  const foreign = containers.find(({ magic }) => startsWith(bytes, magic));
  if (foreign !== undefined) {
    return yield* fault(
      "Unsupported",
      `This is ${foreign.name}. Export the character from SillyTavern as PNG or JSON.`,
    );
  }
  const text = decode(bytes);
  if (text === null || !text.trimStart().startsWith("{")) {
    return yield* fault("NotACard", "This is neither a PNG image nor JSON. Give a character card as PNG or JSON.");
  }
  return yield* readJson(text);
});

const readPng = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const found = PngText.texts(bytes, ["ccv3", "chara"]);
  const chosen = found.texts.get("ccv3") ?? found.texts.get("chara");
  if (chosen === undefined) {
    return found.isComplete
      ? yield* fault("NotACard", "This PNG image carries no character. Give a card that SillyTavern has exported.")
      : yield* fault("Damaged", "This PNG image is cut off before any character. Download or export the card again.");
  }
  if (chosen.problem === "crc") {
    return yield* fault(
      "Damaged",
      "The character in this PNG image is damaged (its checksum is wrong). Export the card again.",
    );
  }
  if (chosen.problem !== null) {
    return yield* fault("Damaged", "The character in this PNG image cannot be unpacked. Export the card again.");
  }
  const text = fromBase64(chosen.text);
  if (text === null) {
    return yield* fault(
      "Damaged",
      "The character in this PNG image is not base64 of UTF-8 text. Export the card again.",
    );
  }
  return yield* readJson(text);
});

const readJson = Effect.fnUntraced(function* (text: string) {
  const card = parse(text);
  if (card === undefined) {
    return yield* fault("Damaged", "The card's JSON is cut off or broken. Export the card again.");
  }
  const spec = isObject(card) ? card["spec"] : undefined;
  if (typeof spec === "string" && spec !== "chara_card_v2" && spec !== "chara_card_v3") {
    return yield* fault(
      "Unsupported",
      `Cards of the format ${spec.slice(0, 60)} cannot be read. Export the card as version 2 or 3.`,
    );
  }
  const data = isObject(card) && typeof spec === "string" ? card["data"] : card;
  if (typeof spec === "string" && !isObject(data)) {
    return yield* fault("Damaged", "The card says its format but has no data. Export the card again.");
  }
  if (!isObject(data) || typeof data["name"] !== "string" || !told.some((key) => typeof data[key] === "string")) {
    return yield* fault(
      "NotACard",
      "This JSON is not a character: it has no name and description. Give a character card.",
    );
  }
  return data;
});

/** The fields of version 1, of which a character has at least one. */
const told = ["description", "personality", "scenario", "first_mes", "mes_example"];

const containers: ReadonlyArray<{ readonly magic: ReadonlyArray<number>; readonly name: string }> = [
  { magic: [0xff, 0xd8, 0xff], name: "a JPEG image" },
  { magic: [0x52, 0x49, 0x46, 0x46], name: "a WebP image" },
  { magic: [0x47, 0x49, 0x46, 0x38], name: "a GIF image" },
  { magic: [0x50, 0x4b, 0x03, 0x04], name: "a packed card (CHARX or BYAF)" },
];

const fault = (reason: "NotACard" | "Damaged" | "Unsupported", detail: string): CardFault =>
  new CardFault({ reason: { _tag: reason }, detail });

const startsWith = (bytes: Uint8Array, magic: ReadonlyArray<number>): boolean =>
  magic.every((byte, at) => bytes[at] === byte);

const fromBase64 = (text: string): string | null => {
  const packed = text.replace(/\s/g, "");
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(packed) ? decode(Buffer.from(packed, "base64")) : null;
};

/** UTF-8 text without a byte order mark, or null. */
const decode = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
};
