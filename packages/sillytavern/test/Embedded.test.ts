import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Embedded from "../src/profile/Embedded.ts";

const skillText = "---\nname: tides\ndescription: When the water moves.\n---\nLow, then high.";

const inline = {
  bundleFormat: "inline-files-v1",
  source: { kind: "preset", label: "Harbour" },
  files: [
    { path: "SKILL.md", encoding: "utf8", content: skillText },
    { path: "assets/moon.bin", encoding: "base64", content: "AAH/" },
  ],
};

const archive = { bundleFormat: "ttskill-archive-base64-v1", skillName: "storms", contentBase64: "UEsD BAo=" };

const profile = { kind: "tauritavern.agentProfile", schemaVersion: 3, id: "harbour" };

const extensions = {
  regex_scripts: [],
  tauritavern: {
    skills: { version: 1, items: [inline, archive], recommended: [{ name: "elsewhere" }] },
    agentProfiles: { version: 1, items: [{ profile }] },
  },
};

const wholeOf = (found: Embedded.Embedded) => ({
  skills: found.skills.map((skill) => ({
    name: skill.name,
    files: skill.form === "files" ? skill.files.map(({ bytes, path }) => [path, [...bytes].length]) : [...skill.bytes],
  })),
  profiles: found.profiles,
  problems: found.problems,
});

const expected = {
  skills: [
    {
      name: "Harbour",
      files: [
        ["SKILL.md", skillText.length],
        ["assets/moon.bin", 3],
      ],
    },
    { name: "storms", files: [0x50, 0x4b, 0x03, 0x04, 0x0a] },
  ],
  profiles: [profile],
  problems: [],
};

describe("what a preset or card carries with it", () => {
  it("is found in a preset's extensions", () => {
    assert.deepStrictEqual(wholeOf(Embedded.ofPreset({ prompts: [], extensions })), expected);
  });

  it.effect("is found in a card's data, and in one of version 1", () =>
    Effect.gen(function* () {
      const data = { name: "Ilse", description: "", extensions };
      for (const card of [{ spec: "chara_card_v2", data }, { spec: "chara_card_v3", data }, data]) {
        const found = yield* Embedded.ofCard(new TextEncoder().encode(JSON.stringify(card)));
        assert.deepStrictEqual(wholeOf(found), expected);
      }
      const fault = yield* Effect.flip(Embedded.ofCard(new TextEncoder().encode("no card")));
      assert.strictEqual(fault.reason._tag, "NotACard");
    }),
  );

  it("is read under this runtime's own name first", () => {
    const own = { agentProfiles: { version: 1, items: [{ profile: { id: "own" } }] } };
    const found = Embedded.ofPreset({ extensions: { ...extensions, cahier: own } });
    assert.deepStrictEqual(found.profiles, [{ id: "own" }, profile]);
  });

  it("is nothing where there is nothing", () => {
    for (const file of [{}, null, "text", { extensions: [] }, { extensions: { tauritavern: { skills: null } } }]) {
      assert.deepStrictEqual(Embedded.ofPreset(file), { skills: [], profiles: [], problems: [] });
    }
  });

  it("is named where it cannot be read, and the rest is taken", () => {
    const broken = [
      { ...inline, files: [{ path: "SKILL.md" }] },
      { ...inline, files: [{ path: "SKILL.md", encoding: "latin1", content: "x" }] },
      { ...inline, files: [] },
      { ...archive, contentBase64: "?" },
      { ...archive, contentBase64: 3 },
      { ...archive, bundleFormat: "tar" },
      "text",
    ];
    const found = Embedded.ofPreset({
      extensions: {
        tauritavern: {
          skills: { version: 1, items: [...broken, archive] },
          agentProfiles: { version: 2, items: [{ profile }] },
        },
        cahier: { agentProfiles: { version: 1, items: [{}] } },
      },
    });
    assert.lengthOf(found.skills, 1);
    assert.deepStrictEqual(
      found.problems.map(({ path }) => path),
      [
        "cahier.agentProfiles.items[0]",
        ...broken.map((_, index) => `tauritavern.skills.items[${index}]`),
        "tauritavern.agentProfiles",
      ],
    );
  });
});
