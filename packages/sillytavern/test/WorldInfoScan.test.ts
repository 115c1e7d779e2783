import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Encodings from "../src/tokens/Encodings.ts";
import * as TokenCounter from "../src/tokens/TokenCounter.ts";
import * as Decorators from "../src/worldinfo/Decorators.ts";
import * as Haystack from "../src/worldinfo/Haystack.ts";
import * as LinkedBooks from "../src/worldinfo/LinkedBooks.ts";
import * as LoreEntry from "../src/worldinfo/LoreEntry.ts";
import * as LoreKey from "../src/worldinfo/LoreKey.ts";
import { requiredLiteral } from "../src/worldinfo/requiredLiteral.ts";
import * as Scan from "../src/worldinfo/Scan.ts";
import * as TimedEffects from "../src/worldinfo/TimedEffects.ts";
import * as WorldInfoSettings from "../src/worldinfo/WorldInfoSettings.ts";
import * as RandomLore from "./support/RandomLore.ts";

const input = (
  files: ReadonlyArray<Readonly<Record<string, unknown>>>,
  settings: Readonly<Record<string, unknown>>,
  messages: ReadonlyArray<string>,
  changes: Partial<Scan.ScanInput> = {},
): Scan.ScanInput => ({
  entries: LinkedBooks.sorted(
    { everywhere: ["Book"], character: [], chat: "", persona: "" },
    () => files.map((file, uid) => LoreEntry.fromFile("Book", file, uid)),
    0,
  ),
  settings: WorldInfoSettings.fromFile(settings),
  budget: 1000,
  generationType: "normal",
  character: { fileName: "Ilse", tags: [] },
  timed: TimedEffects.none,
  counter: TokenCounter.estimate,
  expand: (text) => text,
  random: () => 0.4,
  messages,
  sources: {},
  injected: [],
  ...changes,
});

describe("a scan", () => {
  it("activates an entry at most once, never one that is switched off, and the same again for the same input", () => {
    RandomLore.forSeeds(200, (draw) => {
      const files = draw.list(12, () => RandomLore.entry(draw));
      const settings = RandomLore.settings(draw);
      const chat = RandomLore.chat(draw);
      const given = input(files, settings, chat);
      const found = Scan.scan(given);
      const entries = found.activated.map(({ entry }) => entry);
      assert.strictEqual(new Set(entries).size, entries.length);
      assert.isFalse(entries.some(({ disabled }) => disabled));
      assert.deepStrictEqual(Scan.scan(given), found);
    });
  });

  it("gives more messages to a delay and nothing to an entry that is delayed beyond them", () => {
    RandomLore.forSeeds(100, (draw) => {
      const files = draw.list(8, () => RandomLore.entry(draw));
      const chat = RandomLore.chat(draw);
      const delayed = files.map((file) => ({ ...file, delay: chat.length + 1 }));
      assert.deepStrictEqual(Scan.scan(input(delayed, {}, chat)).activated, []);
    });
  });

  it("keeps what is not free of the budget below it in a pass", () => {
    RandomLore.forSeeds(200, (draw) => {
      const files = draw.list(12, () => RandomLore.entry(draw));
      const chat = RandomLore.chat(draw);
      const budget = draw.integer(1, 60);
      const strict = files.map((file) => ({ ...file, ignoreBudget: false, delayUntilRecursion: 0 }));
      const { activated } = Scan.scan(input(strict, {}, chat, { budget }));
      const text = activated.map(({ content }) => `${content}\n`).join("");
      assert.isTrue(activated.length === 0 || TokenCounter.ofText(TokenCounter.estimate, text) < budget);
    });
  });

  it("keeps timed effects only as long as they last, whatever the chat's length", () => {
    RandomLore.forSeeds(100, (draw) => {
      const files = draw.list(8, () => RandomLore.entry(draw));
      const chat = RandomLore.chat(draw);
      const later = draw.integer(10, 20);
      const first = Scan.scan(input(files, {}, chat));
      const quiet = Array.from({ length: later }, () => "…");
      const silent = files.map((file) => ({ ...file, disable: true }));
      const { timed } = Scan.scan(input(silent, {}, quiet, { timed: first.timed }));
      assert.deepStrictEqual(timed, TimedEffects.none);
    });
  });

  it("tells which entries were found and had no room", () => {
    const files = ["one", "two", "three"].map((content, order) => ({ key: ["bell"], content, order }));
    const found = Scan.scan(input(files, {}, ["a bell"], { budget: 10 }));
    assert.deepStrictEqual(
      [found.activated.map(({ content }) => content), found.overBudget.map(({ content }) => content)],
      [["three", "two"], ["one"]],
    );
  });

  it("does not take long over a key that repeats or a text of one letter", () => {
    const files = Array.from({ length: 2000 }, (_, uid) => ({ key: [`${"a".repeat(30)}${uid}`], content: "x" }));
    const found = Scan.scan(input(files, {}, ["a".repeat(20_000)]));
    assert.lengthOf(found.activated, 0);
  });
});

describe("keys", () => {
  const letters = ["a", "b", "B", " ", "_", "é", "灯"];

  it("are found by the index exactly where the plain search finds them", () => {
    RandomLore.forSeeds(300, (draw) => {
      const text = draw.text([...letters, "\u0001"], 40);
      const keys = Array.from({ length: 40 }, () => draw.text(letters, 6));
      const haystack = Haystack.make(text);
      for (const key of keys) {
        assert.strictEqual(haystack.includes(key, true), text.includes(key));
        assert.strictEqual(haystack.includes(key.toLowerCase(), false), text.toLowerCase().includes(key.toLowerCase()));
        const word = new RegExp(`(?:^|\\W)${key}(?:$|\\W)`);
        assert.strictEqual(haystack.includesWord(key, true), word.test(text), JSON.stringify([text, key]));
      }
    });
  });

  it("that are expressions never match a text without their literal", () => {
    const sources = [
      "bell",
      "be?lls",
      "bell|fog",
      "b[eu]ll tower",
      "(bell)+ring",
      "\\bbell\\b",
      "bell{2}x",
      "be\\.ll",
      "\\x62ell",
      "foo(?=bar)baz",
      "ab+cd",
      "^the fog$",
      "[\\]abc]def",
      "a(b(c)d)efg",
      "be*ll",
      "x{1,2}yzw",
      "\\d+ bells",
    ];
    const letters = ["b", "e", "l", "L", "s", " ", "f", "o", "g", "1", ".", "c", "d", "bell", "fog"];
    RandomLore.forSeeds(2000, (draw) => {
      const source = draw.one(sources);
      const flags = draw.one(["", "i", "s", "m"]);
      const text = draw.text(letters, 30);
      const literal = requiredLiteral(source, flags);
      const isMatch = new RegExp(source, flags).test(text);
      assert.isTrue(!isMatch || literal === null || text.toLowerCase().includes(literal));
    });
    assert.deepStrictEqual(
      sources.map((source) => requiredLiteral(source, "i")),
      [
        "bell",
        "lls",
        null,
        "ll tower",
        "ring",
        "bell",
        "bel",
        "be.ll",
        null,
        "foo",
        null,
        "the fog",
        "def",
        "efg",
        null,
        "yzw",
        " bells",
      ],
    );
  });

  it("between slashes are expressions unless a slash is bare or they cannot be compiled", () => {
    const patterns = ["/a\\/b/", "/a/b/", "/(/", "/a/gi", "/a/q", "plain"].map(
      (key) => LoreKey.compile(key).pattern?.source,
    );
    assert.deepStrictEqual(patterns, ["a\\/b", undefined, undefined, "a", undefined, undefined]);
    const sticky = LoreKey.compile("/bell/g");
    const haystack = Haystack.make("a bell");
    const comparison = { isCaseSensitive: false, areWholeWords: false };
    assert.isTrue(LoreKey.isIn(sticky, haystack, comparison) && LoreKey.isIn(sticky, haystack, comparison));
  });
});

describe("decorators", () => {
  it("are the leading lines with two signs; the others stay", () => {
    assert.deepStrictEqual(Decorators.split("@@activate\n@@unknown\n@@@dont_activate\ntext\n@@activate"), {
      decorators: ["@@activate", "@@dont_activate"],
      content: "text\n@@activate",
    });
    assert.deepStrictEqual(Decorators.split("@@@activate\ntext"), { decorators: [], content: "text" });
    assert.deepStrictEqual(Decorators.split("@@activate"), { decorators: ["@@activate"], content: "@@activate" });
    assert.deepStrictEqual(Decorators.split(" @@activate\nx"), { decorators: [], content: " @@activate\nx" });
  });
});

describe("tokens", () => {
  it.effect("of a text that grows line by line are those of the whole", () =>
    Effect.gen(function* () {
      for (const name of ["o200k_base", "cl100k_base"] as const) {
        const counter = yield* Encodings.load(name);
        RandomLore.forSeeds(200, (draw) => {
          const all = draw.list(12, () => draw.text(["a", "lo", " ", "\n", "/", "!", "…", "灯", "1", "\r"], 6));
          const sum = TokenCounter.growing(counter);
          all.reduce((before, line) => {
            const text = `${before}${line}\n`;
            assert.strictEqual(sum.add(line), TokenCounter.ofText(counter, text), JSON.stringify(text));
            return text;
          }, "");
        });
      }
    }),
  );

  it.effect("are counted by the model's encoding, and estimated for a model that is not known", () =>
    Effect.gen(function* () {
      const encodings = [
        "gpt-4o",
        "openai/gpt-5.6-terra",
        "o3-mini",
        "gpt-4-turbo",
        "gpt-3.5-turbo",
        "claude-sonnet-5",
        "ollama",
      ];
      assert.deepStrictEqual(encodings.map(Encodings.encodingOf), [
        "o200k_base",
        "o200k_base",
        "o200k_base",
        "cl100k_base",
        "cl100k_base",
        null,
        null,
      ]);
      const known = yield* Encodings.forModel("gpt-4o");
      const unknown = yield* Encodings.forModel("claude-sonnet-5");
      assert.deepStrictEqual([known.isExact, unknown.isExact, unknown.name], [true, false, "estimate"]);
      assert.deepStrictEqual([unknown.count("12345678"), unknown.count("灯台"), unknown.count("")], [2, 2, 0]);
      assert.isAbove(known.count("a<|endoftext|>b"), 3);
    }),
  );

  it.effect("of one run without a break are counted in reasonable time", () =>
    Effect.gen(function* () {
      const counter = yield* Encodings.load("o200k_base");
      assert.isAbove(counter.count("a".repeat(200_000)), 20_000);
      const near = counter.count(" word".repeat(2000));
      assert.strictEqual(near, 2000);
      const spoken = "灯台守は霧の中で鐘を鳴らした。".repeat(300);
      const sentence = counter.count("灯台守は霧の中で鐘を鳴らした。");
      assert.strictEqual(counter.count(spoken), sentence * 300);
    }),
  );
});
