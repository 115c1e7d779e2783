import { assert, describe, it } from "@effect/vitest";
import { readFileSync } from "node:fs";
import * as Effect from "effect/Effect";
import * as Encodings from "../src/tokens/Encodings.ts";
import * as Activation from "../src/worldinfo/Activation.ts";
import * as LinkedBooks from "../src/worldinfo/LinkedBooks.ts";
import * as LoreEntry from "../src/worldinfo/LoreEntry.ts";
import * as Scan from "../src/worldinfo/Scan.ts";
import * as TimedEffects from "../src/worldinfo/TimedEffects.ts";
import * as WorldInfoSettings from "../src/worldinfo/WorldInfoSettings.ts";

interface Case {
  readonly seed: number;
  readonly theme: string;
  readonly books: Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>>;
  readonly links: {
    readonly everywhere: ReadonlyArray<string>;
    readonly card?: string;
    readonly extra?: ReadonlyArray<string>;
    readonly chat?: string;
    readonly persona?: string;
  };
  readonly settings: Readonly<Record<string, unknown>>;
  readonly context: number;
  readonly trigger: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly injected: string;
  readonly random: number;
  readonly steps: ReadonlyArray<ReadonlyArray<readonly [string, string]>>;
  readonly results: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

const cases: ReadonlyArray<Case> = readFileSync(new URL("fixtures/world-info/cases.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

/** What an entry has that its case does not name, in the order of SillyTavern's files. */
const roles = ["system", "user", "assistant"];

describe("world info against SillyTavern's own scan", () => {
  it("is judged by at least 300 cases", () => {
    assert.isAtLeast(cases.length, 300);
  });

  for (const theme of new Set(cases.map((found) => found.theme))) {
    it.effect(`activates equal entries in equal order where it is about ${theme}`, () =>
      Effect.gen(function* () {
        const counter = yield* Encodings.load("o200k_base");
        for (const found of cases.filter((one) => one.theme === theme)) {
          assert.deepStrictEqual(answer(found, counter), found.results, `case ${found.seed}`);
        }
      }),
    );
  }
});

const answer = (asked: Case, counter: Scan.ScanInput["counter"]) => {
  const settings = WorldInfoSettings.fromFile(asked.settings);
  const books = new Map(
    Object.entries(asked.books).map(([name, entries]) => [
      name,
      entries.map((entry, index) => LoreEntry.fromFile(name, entry, index)),
    ]),
  );
  const entries = LinkedBooks.sorted(
    {
      everywhere: asked.links.everywhere,
      character: [asked.links.card ?? "", ...(asked.links.extra ?? [])],
      chat: asked.links.chat ?? "",
      persona: asked.links.persona ?? "",
    },
    (name) => books.get(name) ?? [],
    settings.characterStrategy,
  );
  const results: Array<Record<string, unknown>> = [];
  let timed = TimedEffects.none;
  for (const chat of asked.steps) {
    const found = Scan.scan({
      entries,
      settings,
      budget: WorldInfoSettings.budgetOf(settings, asked.context),
      generationType: asked.trigger,
      character: { fileName: "Ilse", tags: ["tag-sea"] },
      timed,
      counter,
      expand: (text) => text.replaceAll("{{user}}", "Tomas").replaceAll("{{char}}", "Ilse"),
      random: () => asked.random,
      messages: chat.map(([name, text]) => (settings.includesNames ? `${name}: ${text}` : text)).toReversed(),
      sources: asked.sources,
      injected: asked.injected === "" ? [] : [asked.injected],
    });
    timed = found.timed;
    results.push(described(found));
  }
  return results;
};

const described = (found: Scan.ScanResult): Record<string, unknown> => {
  const placed = Activation.placed(found.activated);
  const effects = (of: TimedEffects.TimedState["sticky"]) =>
    Object.entries(of).map(([key, { end, protected: kept, start }]) => [key, start, end, kept]);
  const values: Record<string, string | ReadonlyArray<unknown>> = {
    activated: found.activated.map(({ entry }) => LoreEntry.keyOf(entry)),
    before: placed.before,
    after: placed.after,
    noteTop: placed.noteTop,
    noteBottom: placed.noteBottom,
    examples: placed.examples.map(({ content, isAfter }) => [isAfter ? 1 : 0, content]),
    depth: placed.depths.map(({ contents, depth, role }) => [depth, roles.indexOf(role), contents]),
    outlets: [...placed.outlets],
    sticky: effects(found.timed.sticky),
    cooldown: effects(found.timed.cooldown),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.length > 0));
};
