import * as SkillIndex from "@cahier/application/skill/SkillIndex";
import * as Skill from "@cahier/domain/skill/Skill";
import { globalScope, type SkillScope } from "@cahier/domain/skill/SkillScope";
import { Corrupt, Unavailable } from "@cahier/ports/StorageFault";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Support from "../support/skills.ts";

const preset: SkillScope = { kind: "preset", apiId: "openai", name: "Novel" };
const character: SkillScope = { kind: "character", characterId: "Mira.png" };

const into = (scope: SkillScope = globalScope, onConflict?: "skip" | "replace") => ({
  scope,
  source: Support.source(),
  ...(onConflict === undefined ? {} : { onConflict }),
});

const empty = Effect.gen(function* () {
  const storage = Support.emptyStorage();
  const ports = Support.portsOf(storage);
  return { storage, ports, skills: yield* Support.over(ports) };
});

const codeOf = <A>(effect: Effect.Effect<A, { readonly reason: { readonly code: string } }>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason.code);

/** Ports whose index refuses what it is asked to write, from the given write on. */
const refusing = (ports: Support.Ports, from = 0): Support.Ports => {
  const count = { puts: 0 };
  return {
    ...ports,
    documents: {
      ...ports.documents,
      put: (...args) =>
        Effect.suspend(() => {
          count.puts += 1;
          return count.puts > from
            ? Effect.fail(new Unavailable({ operation: "put", kind: "full", detail: "no room" }))
            : ports.documents.put(...args);
        }),
    },
  };
};

const namesIn = (listed: SkillIndex.Listed): ReadonlyArray<string> =>
  listed.skills.map(({ manifest, scope }) => `${scope.kind} ${manifest.name}`);

describe("installing a Skill", () => {
  it.effect("puts its files and what it says of itself in the scope that is named, and in no other", () =>
    Effect.gen(function* () {
      const { skills } = yield* empty;
      const { action, skill } = yield* skills.install(Support.packageOf("style"), into(preset));
      assert.strictEqual(action, "installed");
      assert.deepStrictEqual(skill.sources, [Support.source()]);
      assert.deepStrictEqual(namesIn(yield* skills.list()), ["preset style"]);
      assert.deepStrictEqual(namesIn(yield* skills.list(globalScope)), []);
      const read = yield* skills.read(preset, "style");
      assert.deepStrictEqual(read.files, Support.packageOf("style").files);
      assert.strictEqual(yield* codeOf(skills.read(globalScope, "style")), "skill.not_installed");
    }),
  );

  it.effect("lists the widest scope first, and in a scope by name", () =>
    Effect.gen(function* () {
      const { skills } = yield* empty;
      yield* skills.install(Support.packageOf("b"), into(character));
      yield* skills.install(Support.packageOf("z"), into());
      yield* skills.install(Support.packageOf("a"), into());
      yield* skills.install(Support.packageOf("b"), into(preset));
      assert.deepStrictEqual(namesIn(yield* skills.list()), ["global a", "global z", "preset b", "character b"]);
    }),
  );

  it.effect("round-trips its hash: what is exported and installed again is the same Skill", () =>
    Effect.gen(function* () {
      const { skills } = yield* empty;
      const other = yield* empty;
      const given = Support.packageOf("style", "x", {
        "assets/a.bin": new Uint8Array([0, 255, 3]),
        "references/b.md": "b",
      });
      const { skill } = yield* skills.install(given, into());
      const exported = yield* skills.package(globalScope, "style");
      assert.strictEqual(Skill.packageHash(Skill.filesOf(exported.files)), skill.hash);
      const again = yield* other.skills.install(exported, into());
      assert.strictEqual(again.skill.hash, skill.hash);
      assert.strictEqual((yield* skills.install(exported, into())).action, "already_installed");
    }),
  );

  it.effect("of the same content merges its sources, and writes nothing when the source is known", () =>
    Effect.gen(function* () {
      const { ports, skills } = yield* empty;
      yield* skills.install(Support.packageOf("style"), into());
      const again = yield* skills.install(Support.packageOf("style"), {
        scope: globalScope,
        source: Support.source("preset", "Novel"),
      });
      assert.strictEqual(again.action, "already_installed");
      assert.deepStrictEqual(again.skill.sources, [Support.source(), Support.source("preset", "Novel")]);
      const silent = yield* Support.over(refusing(ports));
      assert.strictEqual((yield* silent.install(Support.packageOf("style"), into())).action, "already_installed");
    }),
  );

  it.effect("of another content is skill.conflict until somebody decides, and changes nothing", () =>
    Effect.gen(function* () {
      const { skills } = yield* empty;
      yield* skills.install(Support.packageOf("style", "one", { "a.md": "a", "b.md": "b" }), into());
      const other = Support.packageOf("style", "two", { "a.md": "a", "c.md": "c" });
      const failure = yield* Effect.flip(skills.install(other, into()));
      assert.strictEqual(failure.reason.code, "skill.conflict");
      assert.deepStrictEqual(failure.reason.details?.["changes"], [
        { change: "changed", path: "SKILL.md" },
        { change: "removed", path: "b.md" },
        { change: "added", path: "c.md" },
      ]);
      const skipped = yield* skills.install(other, into(globalScope, "skip"));
      assert.strictEqual(skipped.action, "skipped");
      assert.strictEqual((yield* skills.list()).skills[0]?.hash, skipped.skill.hash);
      const replaced = yield* skills.install(other, {
        ...into(globalScope, "replace"),
        source: Support.source("archive", "zip"),
      });
      assert.strictEqual(replaced.action, "replaced");
      assert.deepStrictEqual((yield* skills.read(globalScope, "style")).files, other.files);
      assert.deepStrictEqual(replaced.skill.sources, [Support.source(), Support.source("archive", "zip")]);
    }),
  );

  it.effect("is shown before it is done: new, the same, or different and in what", () =>
    Effect.gen(function* () {
      const { skills } = yield* empty;
      const one = Support.packageOf("style", "one");
      assert.strictEqual((yield* skills.preview(one, globalScope)).conflict, "new");
      yield* skills.install(one, into());
      assert.strictEqual((yield* skills.preview(one, globalScope)).conflict, "same");
      const different = yield* skills.preview(Support.packageOf("style", "two"), globalScope);
      assert.strictEqual(different.conflict, "different");
      assert.deepStrictEqual(different.changes, [{ path: "SKILL.md", change: "changed" }]);
      assert.strictEqual((yield* skills.preview(one, preset)).conflict, "new");
    }),
  );

  it.effect("is refused for a name that no folder could have: skill.name_invalid", () =>
    Effect.gen(function* () {
      const { skills } = yield* empty;
      assert.strictEqual(yield* codeOf(skills.install(Support.packageOf("../x"), into())), "skill.name_invalid");
      assert.strictEqual(
        yield* codeOf(skills.install(Support.packageOf("a".repeat(129)), into())),
        "skill.name_invalid",
      );
      assert.strictEqual((yield* skills.install(Support.packageOf("a".repeat(128)), into())).action, "installed");
    }),
  );

  it.effect("of several is for each by itself", () =>
    Effect.gen(function* () {
      const { skills } = yield* empty;
      yield* skills.install(Support.packageOf("b", "one"), into());
      const done = yield* skills.installAll(
        [Support.packageOf("a"), Support.packageOf("b", "two"), Support.packageOf("c")],
        into(),
      );
      assert.deepStrictEqual(
        done.map((one) => (Result.isSuccess(one) ? one.success.action : one.failure.reason.code)),
        ["installed", "skill.conflict", "installed"],
      );
      assert.deepStrictEqual(namesIn(yield* skills.list()), ["global a", "global b", "global c"]);
    }),
  );
});

describe("a Skill whose index cannot be written", () => {
  it.effect("is not installed, and what was installed under its name stays as it was", () =>
    Effect.gen(function* () {
      const { ports, skills } = yield* empty;
      const broken = yield* Support.over(refusing(ports));
      assert.strictEqual(yield* codeOf(broken.install(Support.packageOf("style"), into())), "storage.full");
      assert.deepStrictEqual(namesIn(yield* skills.list()), []);
      yield* skills.install(Support.packageOf("style", "one"), into());
      const replacing = broken.install(Support.packageOf("style", "two"), into(globalScope, "replace"));
      assert.strictEqual(yield* codeOf(replacing), "storage.full");
      assert.deepStrictEqual((yield* skills.read(globalScope, "style")).files, Support.packageOf("style", "one").files);
    }),
  );

  it.effect("is not moved by halves: it stays where it was, and the other scope keeps what it had", () =>
    Effect.gen(function* () {
      for (const had of [false, true]) {
        const { ports, skills } = yield* empty;
        yield* skills.install(Support.packageOf("style", "one"), into());
        if (had) yield* skills.install(Support.packageOf("style", "two"), into(preset));
        const before = namesIn(yield* skills.list());
        // The second write, which takes it out of its old scope, is refused; giving back is not.
        const count = { puts: 0 };
        const broken = yield* Support.over({
          ...ports,
          documents: {
            ...ports.documents,
            put: (...args) => {
              count.puts += 1;
              return count.puts === 2
                ? Effect.fail(new Unavailable({ operation: "put", kind: "other", detail: "torn" }))
                : ports.documents.put(...args);
            },
          },
        });
        assert.strictEqual(yield* codeOf(broken.move("style", globalScope, preset, "replace")), "storage.failed");
        assert.deepStrictEqual(namesIn(yield* skills.list()), before);
        assert.deepStrictEqual(
          (yield* skills.read(globalScope, "style")).files,
          Support.packageOf("style", "one").files,
        );
        if (had)
          assert.deepStrictEqual((yield* skills.read(preset, "style")).files, Support.packageOf("style", "two").files);
      }
    }),
  );

  it.effect("is not removed", () =>
    Effect.gen(function* () {
      const { ports, skills } = yield* empty;
      yield* skills.install(Support.packageOf("style"), into());
      const broken = yield* Support.over(refusing(ports));
      assert.strictEqual(yield* codeOf(broken.remove(globalScope, "style")), "storage.full");
      assert.deepStrictEqual(namesIn(yield* skills.list()), ["global style"]);
    }),
  );
});

describe("files of a Skill that cannot be stored", () => {
  it.effect("leave nothing behind, and nothing is installed", () =>
    Effect.gen(function* () {
      const { ports, storage } = yield* empty;
      const count = { puts: 0 };
      const broken = yield* Support.over({
        ...ports,
        blobs: {
          ...ports.blobs,
          put: (scope, bytes) => {
            count.puts += 1;
            return count.puts > 1
              ? Effect.fail(new Unavailable({ operation: "put", kind: "full", detail: "no room" }))
              : ports.blobs.put(scope, bytes);
          },
        },
      });
      assert.strictEqual(
        yield* codeOf(broken.install(Support.packageOf("style", "x", { "a.md": "a" }), into())),
        "storage.full",
      );
      assert.strictEqual(storage.blobs.scopes.size, 0);
      assert.deepStrictEqual(yield* broken.list(), { skills: [], damaged: [] });
    }),
  );

  it.effect("and are lost later are told of, and stored anew when the Skill is installed again", () =>
    Effect.gen(function* () {
      const { skills, storage } = yield* empty;
      yield* skills.install(Support.packageOf("style"), into());
      storage.blobs.scopes.clear();
      assert.strictEqual(yield* codeOf(skills.read(globalScope, "style")), "blob.missing");
      assert.strictEqual((yield* skills.install(Support.packageOf("style"), into())).action, "replaced");
      assert.deepStrictEqual((yield* skills.read(globalScope, "style")).files, Support.packageOf("style").files);
    }),
  );
});

describe("moving a Skill", () => {
  it.effect("takes it to another scope with its sources, and leaves nothing", () =>
    Effect.gen(function* () {
      const { skills } = yield* empty;
      yield* skills.install(Support.packageOf("style"), into());
      const { action, skill } = yield* skills.move("style", globalScope, character);
      assert.strictEqual(action, "installed");
      assert.deepStrictEqual(skill.sources, [Support.source()]);
      assert.deepStrictEqual(namesIn(yield* skills.list()), ["character style"]);
      assert.deepStrictEqual((yield* skills.read(character, "style")).files, Support.packageOf("style").files);
      assert.strictEqual(yield* codeOf(skills.move("style", globalScope, preset)), "skill.not_installed");
      assert.strictEqual((yield* skills.move("style", character, character)).action, "already_installed");
    }),
  );

  it.effect("meets another of its name there as an installation does", () =>
    Effect.gen(function* () {
      const { skills } = yield* empty;
      yield* skills.install(Support.packageOf("style", "one"), into());
      yield* skills.install(Support.packageOf("style", "two"), into(preset));
      assert.strictEqual(yield* codeOf(skills.move("style", globalScope, preset)), "skill.conflict");
      assert.strictEqual((yield* skills.move("style", globalScope, preset, "skip")).action, "skipped");
      assert.deepStrictEqual(namesIn(yield* skills.list()), ["global style", "preset style"]);
      assert.strictEqual((yield* skills.move("style", globalScope, preset, "replace")).action, "replaced");
      assert.deepStrictEqual(namesIn(yield* skills.list()), ["preset style"]);
      assert.deepStrictEqual((yield* skills.read(preset, "style")).files, Support.packageOf("style", "one").files);
    }),
  );

  it.effect("to where the same content is merges the sources", () =>
    Effect.gen(function* () {
      const { skills } = yield* empty;
      yield* skills.install(Support.packageOf("style"), into());
      yield* skills.install(Support.packageOf("style"), { scope: preset, source: Support.source("preset", "Novel") });
      const { action, skill } = yield* skills.move("style", globalScope, preset);
      assert.strictEqual(action, "already_installed");
      assert.deepStrictEqual(skill.sources, [Support.source("preset", "Novel"), Support.source()]);
      assert.deepStrictEqual(namesIn(yield* skills.list()), ["preset style"]);
    }),
  );
});

describe("a source that is gone", () => {
  it.effect("takes the Skills with it that only it brought; others lose the source and stay", () =>
    Effect.gen(function* () {
      const { skills } = yield* empty;
      const gone = Support.source("preset", "Novel");
      yield* skills.install(Support.packageOf("alone"), { scope: preset, source: gone });
      yield* skills.install(Support.packageOf("shared"), { scope: preset, source: gone });
      yield* skills.install(Support.packageOf("shared"), into(preset));
      yield* skills.install(Support.packageOf("other"), { scope: preset, source: Support.source("preset", "Else") });
      yield* skills.install(Support.packageOf("named"), {
        scope: preset,
        source: Support.source("character", "Novel"),
      });
      const { kept, removed } = yield* skills.removeSource(gone);
      assert.deepStrictEqual(
        removed.map(({ manifest }) => manifest.name),
        ["alone"],
      );
      assert.deepStrictEqual(
        kept.map(({ sources }) => sources),
        [[Support.source()]],
      );
      assert.deepStrictEqual(namesIn(yield* skills.list()), ["preset named", "preset other", "preset shared"]);
      const again = yield* skills.removeSource(gone);
      assert.deepStrictEqual(again, { removed: [], kept: [], damaged: [] });
    }),
  );
});

describe("an entry of the index that cannot be read", () => {
  const damage = Effect.gen(function* () {
    const made = yield* empty;
    yield* made.skills.install(Support.packageOf("style"), into());
    yield* made.skills.install(Support.packageOf("plot"), into());
    const id = SkillIndex.idOf(globalScope, "style");
    return { ...made, id };
  });

  const ways = [
    {
      title: "damaged on disk",
      valueOf: (id: string) => new Corrupt({ entity: "document", id: `skills/${id}`, detail: "torn" }),
    },
    {
      title: "of a later version",
      valueOf: (id: string) => ({ id, revision: 3, value: { kind: "cahier.skill", schemaVersion: 9 } }),
    },
  ];

  it.effect.each(ways)(
    "is told of beside the others, hides none of them and is nobody's answer: $title",
    ({ valueOf }) =>
      Effect.gen(function* () {
        const { id, skills, storage } = yield* damage;
        storage.documents.collections.get(SkillIndex.skillsCollection)?.set(id, valueOf(id));
        const listed = yield* skills.list();
        assert.deepStrictEqual(namesIn(listed), ["global plot"]);
        assert.strictEqual(listed.damaged.length, 1);
        assert.strictEqual(listed.damaged[0]?.failure.reason.code, "skill.entry_invalid");
        assert.include(listed.damaged[0]?.failure.message ?? "", "style");
        assert.strictEqual(yield* codeOf(skills.read(globalScope, "style")), "skill.entry_invalid");
        assert.strictEqual(yield* codeOf(skills.install(Support.packageOf("style"), into())), "skill.entry_invalid");
        assert.strictEqual((yield* skills.removeSource(Support.source("preset"))).damaged.length, 1);
        const replaced = yield* skills.install(Support.packageOf("style"), into(globalScope, "replace"));
        assert.strictEqual(replaced.action, "installed");
        assert.deepStrictEqual(namesIn(yield* skills.list()), ["global plot", "global style"]);
      }),
  );

  it.effect.each(ways)("is removed by the name that it was installed under: $title", ({ valueOf }) =>
    Effect.gen(function* () {
      const { id, skills, storage } = yield* damage;
      storage.documents.collections.get(SkillIndex.skillsCollection)?.set(id, valueOf(id));
      yield* skills.remove(globalScope, "style");
      assert.deepStrictEqual((yield* skills.list()).damaged, []);
      assert.strictEqual(yield* codeOf(skills.remove(globalScope, "style")), "skill.not_installed");
    }),
  );
});

describe("two who change one Skill at once", () => {
  it.effect("are decided one after the other: the second sees what the first did", () =>
    Effect.gen(function* () {
      const { ports, skills } = yield* empty;
      const count = { puts: 0 };
      const late = yield* Support.over({
        ...ports,
        documents: {
          ...ports.documents,
          put: (...args) => {
            count.puts += 1;
            const write = ports.documents.put(...args);
            return count.puts === 1
              ? Effect.andThen(Effect.orDie(skills.install(Support.packageOf("style", "first"), into())), write)
              : write;
          },
        },
      });
      assert.strictEqual(yield* codeOf(late.install(Support.packageOf("style", "second"), into())), "skill.conflict");
      assert.deepStrictEqual(
        (yield* skills.read(globalScope, "style")).files,
        Support.packageOf("style", "first").files,
      );
    }),
  );
});
