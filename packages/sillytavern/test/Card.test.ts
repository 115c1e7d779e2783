import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Card from "../src/card/Card.ts";
import * as CardFile from "../src/card/CardFile.ts";

const fields = {
  name: "Orla",
  description: "Keeper of the tower. 守",
  personality: "dry",
  scenario: "Night.",
  first_mes: "Who knocks?",
  mes_example: "<START>\n{{user}}: Hi\n{{char}}: Hm.",
};
const newer = { ...fields, system_prompt: "Be brief.", post_history_instructions: "Stay calm.", extensions: { x: 1 } };
const expected = {
  name: "Orla",
  description: "Keeper of the tower. 守",
  personality: "dry",
  scenario: "Night.",
  firstMessage: "Who knocks?",
  exampleMessages: "<START>\n{{user}}: Hi\n{{char}}: Hm.",
  systemPrompt: "",
  postHistoryInstructions: "",
};
const full = { ...expected, systemPrompt: "Be brief.", postHistoryInstructions: "Stay calm." };
const v2 = { spec: "chara_card_v2", spec_version: "2.0", data: newer };
const v3 = {
  spec: "chara_card_v3",
  spec_version: "3.0",
  data: { ...newer, name: "Orla the third", group_only_greetings: [] },
};

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
};

const packed = (card: unknown): string => Buffer.from(JSON.stringify(card)).toString("base64");

const text = (keyword: string, content: string): Buffer =>
  chunk("tEXt", Buffer.from(`${keyword}\0${content}`, "latin1"));

const png = (...chunks: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat([
    signature,
    chunk("IHDR", Buffer.alloc(13)),
    chunk("acTL", Buffer.alloc(8)),
    ...chunks,
    chunk("IEND", Buffer.alloc(0)),
  ]);

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe("a character card", () => {
  const readable: ReadonlyArray<readonly [string, Buffer, object]> = [
    ["as JSON of version 1", json(fields), expected],
    ["as JSON of version 2", json(v2), full],
    ["as JSON of version 3", json(v3), { ...full, name: "Orla the third" }],
    ["as JSON with a byte order mark", Buffer.concat([Buffer.from("\uFEFF"), json(v2)]), full],
    ["as PNG of version 2", png(text("chara", packed(v2))), full],
    [
      "as PNG of both versions, of which the newer counts",
      png(text("chara", packed(v2)), text("ccv3", packed(v3))),
      { ...full, name: "Orla the third" },
    ],
    ["as PNG with its keyword in capitals", png(text("Chara", packed(v2))), full],
    ["as PNG with other texts first", png(text("Software", "paint"), text("chara", packed(v2))), full],
    [
      "as PNG with a packed text",
      png(chunk("zTXt", Buffer.concat([Buffer.from("chara\0\0"), deflateSync(packed(v2))]))),
      full,
    ],
    ["as PNG with an international text", png(chunk("iTXt", Buffer.from(`chara\0\0\0en\0\0${packed(v2)}`))), full],
    [
      "as PNG with a packed international text",
      png(chunk("iTXt", Buffer.concat([Buffer.from("chara\0\u0001\0\0\0"), deflateSync(packed(v2))]))),
      full,
    ],
    ["as PNG whose picture is cut off behind it", png(text("chara", packed(v2))).subarray(0, -6), full],
    [
      "with fields of a wrong type, which count as empty",
      json({ ...v2, data: { ...newer, personality: 3 } }),
      { ...full, personality: "" },
    ],
  ];
  for (const [how, bytes, character] of readable) {
    it.effect(`is read ${how}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual<unknown>(yield* Card.read(bytes), character);
      }),
    );
  }

  const wrongChecksum = text("chara", packed(v2));
  wrongChecksum[20] = (wrongChecksum[20] ?? 0) ^ 1;
  const refused: ReadonlyArray<readonly [string, Uint8Array, string]> = [
    ["an empty file", Buffer.alloc(0), "NotACard"],
    ["a text", Buffer.from("Orla"), "NotACard"],
    ["a lorebook", json({ entries: {} }), "NotACard"],
    ["a name alone", json({ name: "Orla" }), "NotACard"],
    ["a PNG image without a card", png(text("Software", "paint")), "NotACard"],
    ["JSON that is cut off", json(v2).subarray(0, 50), "Damaged"],
    ["version 2 without data", json({ spec: "chara_card_v2" }), "Damaged"],
    ["a wrong checksum", png(wrongChecksum), "Damaged"],
    ["a PNG image that is cut off before its card", png(text("chara", packed(v2))).subarray(0, 80), "Damaged"],
    ["a text that is no base64", png(text("chara", "{not base64}")), "Damaged"],
    ["base64 of half a card", png(text("chara", packed(v2).slice(0, 40))), "Damaged"],
    ["base64 of no UTF-8", png(text("chara", "//79")), "Damaged"],
    ["a packed text that cannot be unpacked", png(chunk("zTXt", Buffer.from("chara\0\0nothing"))), "Damaged"],
    ["a format of the future", json({ spec: "chara_card_v4", data: newer }), "Unsupported"],
    ["a JPEG image", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]), "Unsupported"],
    ["a WebP image", Buffer.from("RIFF0000WEBP"), "Unsupported"],
    ["a packed card", Buffer.from("PK\u0003\u0004"), "Unsupported"],
  ];
  for (const [what, bytes, reason] of refused) {
    it.effect(`that is ${what} is refused as ${reason} and says what to do`, () =>
      Effect.gen(function* () {
        const fault = yield* Effect.flip(Card.read(bytes));
        assert.strictEqual(fault.reason._tag, reason);
        assert.match(fault.message, /(Give|Export|Download) /);
      }),
    );
  }

  it.effect("in a file is known by the file's name; a missing or unreadable file says so", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "cahier-card-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true })),
      );
      const path = join(folder, "orla.v2.json");
      writeFileSync(path, json(v2));
      assert.deepStrictEqual(yield* CardFile.read(path), full);
      assert.strictEqual(CardFile.characterId(path), "orla.v2");
      const missing = yield* Effect.flip(CardFile.read(join(folder, "none.png")));
      assert.strictEqual(missing.reason._tag, "Missing");
      assert.strictEqual((yield* Effect.flip(CardFile.read(folder))).reason._tag, "Unreadable");
    }),
  );
});
