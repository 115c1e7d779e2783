import { assert, describe, it } from "@effect/vitest";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as ChatRecord from "../src/material/ChatRecord.ts";
import * as Lorebook from "../src/material/Lorebook.ts";
import type { MaterialFault } from "../src/material/MaterialFault.ts";
import * as MaterialFile from "../src/material/MaterialFile.ts";
import * as Preset from "../src/material/Preset.ts";
import * as UserSettings from "../src/material/UserSettings.ts";
import * as CardSheet from "../src/material/CardSheet.ts";

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cahier-material-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true })),
);

const refusal = (read: Effect.Effect<unknown, MaterialFault>) =>
  Effect.map(Effect.flip(read), (fault) => fault.reason._tag);

const readers = [MaterialFile.readPreset, MaterialFile.readLorebook, MaterialFile.readSettings] as const;

describe("SillyTavern's files", () => {
  it.effect("that are missing, unreadable or damaged are refused, each by its name", () =>
    Effect.gen(function* () {
      const at = yield* folder;
      const damaged = join(at, "damaged.json");
      writeFileSync(damaged, '{"prompts": [');
      for (const read of readers) {
        assert.strictEqual(yield* refusal(read(join(at, "absent.json"))), "Missing");
        assert.strictEqual(yield* refusal(read(at)), "Unreadable");
        assert.strictEqual(yield* refusal(read(damaged)), "Damaged");
      }
    }),
  );

  it.effect("of another kind are refused and say what to give instead", () =>
    Effect.gen(function* () {
      for (const other of [{}, [], null, 4, { prompts: [] }, { entries: 3 }, { power_user: "x" }]) {
        assert.strictEqual(yield* refusal(Preset.decode(other)), "NotAPreset");
        assert.strictEqual(yield* refusal(Lorebook.decode("book", other)), "NotALorebook");
        assert.strictEqual(yield* refusal(UserSettings.decode(other)), "NotSettings");
      }
      const fault = yield* Effect.flip(Preset.decode({}));
      assert.include(fault.message, "Export the preset");
    }),
  );

  it.effect("are read with a byte order mark, and a lorebook is named by its file", () =>
    Effect.gen(function* () {
      const at = yield* folder;
      const path = join(at, "Harbour tales.json");
      writeFileSync(path, '\uFEFF{"entries": {"3": {"key": ["bell"], "content": "Bronze."}}, "unknown": 1}');
      const book = yield* MaterialFile.readLorebook(path);
      assert.strictEqual(book.name, "Harbour tales");
      assert.deepStrictEqual(book.entries[0]?.keys, ["bell"]);
      writeFileSync(path, '{"power_user": {"pin_examples": true}}');
      assert.isTrue((yield* MaterialFile.readSettings(path)).pinsExamples);
      writeFileSync(path, '{"prompts": [], "prompt_order": []}');
      assert.strictEqual((yield* MaterialFile.readPreset(path)).context, 4095);
    }),
  );

  it.effect("count a field of the wrong kind as absent", () =>
    Effect.gen(function* () {
      const preset = yield* Preset.decode({
        prompts: [null, 3, { content: "without identifier" }, { identifier: "main", content: 7, role: 9 }],
        prompt_order: [{ character_id: 100001, order: [null, { identifier: "main" }] }],
        openai_max_context: "8000",
        openai_max_tokens: "many",
      });
      assert.deepStrictEqual([...preset.prompts.keys()], ["main"]);
      assert.deepStrictEqual(preset.order, [{ identifier: "main", isEnabled: true }]);
      assert.strictEqual(preset.prompts.get("main")?.content, "");
      assert.deepStrictEqual([preset.context, preset.response], [8000, 300]);
      const book = yield* Lorebook.decode("book", { entries: [{ key: "bell", order: null, role: 2 }, null] });
      assert.lengthOf(book.entries, 1);
      assert.deepStrictEqual(book.entries[0]?.keys, []);
      assert.deepStrictEqual([book.entries[0]?.order, book.entries[0]?.role], [100, "assistant"]);
    }),
  );

  it.effect("of a preset without the global order give the first order that is there", () =>
    Effect.gen(function* () {
      const order = (identifier: string) => [{ identifier, enabled: true }];
      const preset = yield* Preset.decode({
        prompts: [],
        prompt_order: [
          { character_id: 7, order: order("own") },
          { character_id: 8, order: order("other") },
        ],
      });
      assert.deepStrictEqual(preset.order, [{ identifier: "own", isEnabled: true }]);
    }),
  );

  it("of a card without a book have none to import", () => {
    assert.isNull(Lorebook.fromCard(undefined, "Ilse's Lorebook"));
    assert.isNull(Lorebook.fromCard({ entries: {} }, "Ilse's Lorebook"));
    assert.strictEqual(Lorebook.fromCard({ entries: [] }, "Ilse's Lorebook")?.name, "Ilse's Lorebook");
  });

  it("of a card tell its note, its links and its notes, or nothing of them", () => {
    const sheet = CardSheet.fromData({
      name: "Ilse",
      creatorcomment: "old field",
      extensions: { world: "Harbour", depth_prompt: { prompt: "Slow.", depth: 2, role: "user" } },
    });
    assert.deepStrictEqual(sheet.depthPrompt, { text: "Slow.", depth: 2, role: "user" });
    assert.deepStrictEqual([sheet.world, sheet.creatorNotes, sheet.version], ["Harbour", "old field", ""]);
    assert.deepStrictEqual(CardSheet.fromData({}).depthPrompt, { text: "", depth: 4, role: "system" });
  });

  it("of a chat tell what its metadata and lines hold", () => {
    const metadata = ChatRecord.metadata({
      note_prompt: "Rain.",
      note_role: 1,
      timedWorldInfo: { sticky: { "Harbour.1": { hash: 5, start: 1, end: 3, protected: true }, broken: 1 } },
      variables: { coins: 7, name: "Orm", list: [] },
    });
    assert.deepStrictEqual(metadata.note, { text: "Rain.", interval: 1, position: 1, depth: 4, role: "user" });
    assert.deepStrictEqual(metadata.timed, {
      sticky: { "Harbour.1": { hash: 5, start: 1, end: 3, protected: true } },
      cooldown: {},
    });
    assert.deepStrictEqual([...metadata.variables.keys()], ["coins", "name"]);
    const line = ChatRecord.line({
      mes: "Hm.",
      swipes: ["a", "b"],
      swipe_id: 1,
      send_date: "2026-01-05T08:00:00.000Z",
    });
    assert.deepStrictEqual([line.swipes, line.swipe, line.sentAt], [2, 2, Date.UTC(2026, 0, 5, 8)]);
    assert.isNull(ChatRecord.line({ send_date: "some day" }).sentAt);
  });
});
