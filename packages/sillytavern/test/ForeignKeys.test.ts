import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as ChatRecord from "../src/material/ChatRecord.ts";
import * as UserSettings from "../src/material/UserSettings.ts";
import * as TimedEffects from "../src/worldinfo/TimedEffects.ts";
import * as ProfileFile from "../src/profile/ProfileFile.ts";
import { isObject, type JsonObject } from "../src/chat/internal/json.ts";
import { fileOf, versions } from "./support/foreignProfile.ts";

/** Names that every object answers to without having them. */
const inherited = Object.getOwnPropertyNames(Object.prototype);

type Place = ReadonlyArray<string>;

/** All objects in a value, by their place. */
const objectsIn = (value: unknown, place: Place = []): ReadonlyArray<Place> =>
  typeof value !== "object" || value === null
    ? []
    : [
        ...(isObject(value) ? [place] : []),
        ...Object.entries(value).flatMap(([key, inner]) => objectsIn(inner, [...place, key])),
      ];

/** The file with one more field at a place, as `JSON.parse` makes it: an own field whatever its name. */
const withField = (value: unknown, [step, ...rest]: Place, key: string, added: unknown): unknown => {
  if (Array.isArray(value)) {
    return value.map((inner, index): unknown => (`${index}` === step ? withField(inner, rest, key, added) : inner));
  }
  const entries = Object.entries(value as JsonObject);
  if (step === undefined) return Object.fromEntries([...entries, [key, added]]);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, name === step ? withField(inner, rest, key, added) : inner]),
  );
};

const values: ReadonlyArray<unknown> = [null, "x", { constructor: "x" }];

const catalogue = ["workspace.write_file", "workspace.read_file", "chat.search", "dice.roll"].map((name) => ({
  id: `builtin:${name}`,
  inputSchema: { properties: { query: { type: "string" } } },
}));

/** What the import says of one more field; null where it refuses the file as no profile. */
const told = (version: (typeof versions)[number], place: Place, key: string, value: unknown, context = {}) => {
  const read = ProfileFile.read(withField(fileOf(version), place, key, value), context);
  if (Result.isFailure(read)) {
    assert.isNotEmpty(read.failure);
    assert.isTrue(read.failure.every(({ code }) => code === "agent.profile_contract_invalid"));
    return null;
  }
  return read.success;
};

describe("a field with a name that every object answers to", () => {
  for (const version of versions) {
    it(`is left out of a profile of schema version ${version} and told as no field of it`, () => {
      const sections = Object.entries(fileOf(version)).filter(([, value]) => isObject(value));
      const plain = told(version, [], "another", 1)?.profile;
      for (const place of [[], ...sections.map(([name]) => [name])]) {
        for (const key of inherited) {
          for (const value of values) {
            const read = told(version, place, key, value);
            assert.deepStrictEqual(read?.profile, plain);
            const lines = read?.report.filter(({ path }) => path === [...place, key].join(".")) ?? [];
            const note = value === null ? "It is empty." : "There is no such field here.";
            assert.deepStrictEqual(
              lines.map(({ action, note: said }) => [action, said]),
              [["dropped", note]],
            );
          }
        }
      }
    });

    it(`at any depth of a profile of schema version ${version} is in the profile, is named in the report, or refuses the file`, () => {
      for (const place of objectsIn(fileOf(version))) {
        for (const key of inherited) {
          for (const value of values) {
            for (const context of [{}, { catalogue }]) {
              const read = told(version, place, key, value, context);
              if (read === null) continue;
              const isKept = JSON.stringify(read.profile).includes(`${JSON.stringify(key)}:`);
              assert.isTrue(isKept || read.report.some(({ path }) => path.includes(key)), [...place, key].join("."));
            }
          }
        }
      }
    });
  }

  it("describes the parameter of that name, and is left out where the tool has none", () => {
    const place = ["tools", "toolDescriptions", "builtin:chat.search", "properties"];
    const textsOf = (read: ReturnType<typeof told>) =>
      read?.profile.tools?.toolDescriptions?.["builtin:chat.search"]?.properties ?? {};
    for (const key of inherited) {
      const anywhere = textsOf(told(4, place, key, "Words."));
      assert.deepStrictEqual(Object.entries(anywhere), [
        ["query", "Words."],
        [key, "Words."],
      ]);
      const here = told(4, place, key, "Words.", { catalogue });
      assert.deepStrictEqual(Object.entries(textsOf(here)), [["query", "Words."]]);
      const lines = here?.report.filter(({ path }) => path.endsWith(`properties.${key}`));
      assert.deepStrictEqual(
        lines?.map(({ action }) => action),
        ["dropped"],
      );
    }
  });

  it.effect("is no persona's, and no character's, of settings that do not have it, and theirs where they do", () =>
    Effect.gen(function* () {
      for (const key of inherited) {
        const absent = yield* UserSettings.decode({ power_user: {}, user_avatar: key, username: "Mira" });
        assert.deepInclude(absent.persona, { name: "Mira", description: "", position: 0 });
        const present = yield* UserSettings.decode({
          power_user: {
            personas: Object.fromEntries([[key, "Ann"]]),
            persona_descriptions: Object.fromEntries([[key, { description: "Tall." }]]),
          },
          tag_map: Object.fromEntries([[key, ["tag-sea"]]]),
          user_avatar: key,
        });
        assert.deepInclude(present.persona, { name: "Ann", description: "Tall." });
        assert.deepStrictEqual([...present.characterTags], [[key, ["tag-sea"]]]);
      }
    }),
  );

  it("is what a chat calls a variable or keeps of lore, and nothing else becomes of it", () => {
    const timed = { hash: 1, start: 0, end: 9, protected: true };
    for (const key of inherited) {
      const kept = ChatRecord.metadata({
        timedWorldInfo: { sticky: Object.fromEntries([[key, timed]]) },
        variables: Object.fromEntries([
          [key, 3],
          [`${key}.list`, []],
        ]),
      });
      assert.deepStrictEqual([...kept.variables], [[key, 3]]);
      assert.deepStrictEqual(Object.keys(kept.otherVariables), [`${key}.list`]);
      const { state } = TimedEffects.current(kept.timed, [], 4);
      assert.deepStrictEqual(Object.entries(state.sticky), [[key, timed]]);
      assert.deepStrictEqual(Object.getPrototypeOf(state.sticky), Object.prototype);
    }
  });
});
