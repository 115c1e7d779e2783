/**
 * Cards as SillyTavern keeps them: a PNG of one pixel with the card in its text chunks.
 *
 * Owns the PNG. Does not check the card.
 */
import { crc32, deflateSync } from "node:zlib";

/** The picture alone, for an avatar. */
export const pixel = () => picture([]);

/** The card's picture: version 2 in `chara`, version 3 in `ccv3` too. */
export const picture = (texts) =>
  Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
    chunk("IDAT", deflateSync(Buffer.from([0, 128]))),
    ...texts.map(([keyword, text]) => chunk("tEXt", Buffer.from(`${keyword}\0${text}`, "latin1"))),
    chunk("IEND", Buffer.alloc(0)),
  ]);

/** The picture of a card whose open chat is `chat`. */
export const pictureOf = (card, chat) => {
  const kept = encode({ ...card, name: card.data.name, chat });
  return picture((card.spec === "chara_card_v3" ? ["chara", "ccv3"] : ["chara"]).map((keyword) => [keyword, kept]));
};

const encode = (card) => Buffer.from(JSON.stringify(card), "utf8").toString("base64");

const chunk = (type, data) => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
};
