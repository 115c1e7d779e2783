import { copyStorage } from "@cahier/application/copy/copyStorage";
import { abandonedAfterMs, collectBlobs } from "@cahier/application/retention/collectBlobs";
import * as SkillIndex from "@cahier/application/skill/SkillIndex";
import { globalScope, type SkillScope } from "@cahier/domain/skill/SkillScope";
import { Corrupt, Unavailable } from "@cahier/ports/StorageFault";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import { play } from "../support/play.ts";
import * as Support from "../support/skills.ts";
import * as World from "../support/World.ts";

const profile: SkillScope = { kind: "profile", profileId: "writer" };

const scopesIn = (world: World.World): number =>
  [...world.blobs.scopes.keys()].filter((scope) => scope.startsWith("skill_")).length;

const collected = (world: World.World) => collectBlobs().pipe(World.inProcess(world, { name: "host" }));

const later = TestClock.adjust(abandonedAfterMs + 1);

describe("the files of a Skill", () => {
  it.effect("are kept as long as the index names them", () =>
    Effect.gen(function* () {
      const world = World.make();
      const skills = yield* Support.installIn(world, [Support.packageOf("style")]);
      yield* later;
      assert.deepStrictEqual(yield* collected(world), { blobs: 0, bytes: 0 });
      assert.strictEqual((yield* skills.read(globalScope, "style")).files.length, 1);
    }),
  );

  it.effect("that was removed or replaced are collected a day later, and the index forgets them", () =>
    Effect.gen(function* () {
      const world = World.make();
      const skills = yield* Support.installIn(world, [Support.packageOf("style", "one"), Support.packageOf("plot")]);
      yield* Support.installIn(world, [Support.packageOf("style", "two")]);
      yield* later;
      yield* skills.remove(globalScope, "plot");
      assert.strictEqual(scopesIn(world), 3);
      assert.isAbove((yield* collected(world)).blobs, 0);
      assert.strictEqual(scopesIn(world), 2);
      yield* later;
      yield* collected(world);
      assert.strictEqual(scopesIn(world), 1);
      assert.deepStrictEqual((yield* skills.read(globalScope, "style")).files, Support.packageOf("style", "two").files);
      const entries = yield* SkillIndex.entries().pipe(World.inProcess(world));
      assert.deepStrictEqual(
        entries.found.map(({ entry }) => entry.retired),
        [[], []],
      );
    }),
  );

  it.effect("that was moved stay, whatever its old scope says of them", () =>
    Effect.gen(function* () {
      const world = World.make();
      const skills = yield* Support.installIn(world, [Support.packageOf("style")]);
      yield* skills.move("style", globalScope, profile);
      yield* later;
      yield* collected(world);
      assert.strictEqual((yield* skills.read(profile, "style")).files.length, 1);
      yield* skills.remove(profile, "style");
      yield* collected(world);
      assert.strictEqual(scopesIn(world), 1);
      yield* later;
      yield* collected(world);
      assert.strictEqual(scopesIn(world), 0);
    }),
  );

  it.effect("that an installation left behind which was broken off are collected a day later, not before", () =>
    Effect.gen(function* () {
      const world = World.make();
      const ports = Support.portsOf(world);
      const broken = yield* Support.over({
        ...ports,
        documents: {
          ...ports.documents,
          put: () => Effect.fail(new Unavailable({ operation: "put", kind: "full", detail: "no room" })),
        },
      });
      yield* Effect.flip(broken.install(Support.packageOf("style"), { scope: globalScope, source: Support.source() }));
      yield* collected(world);
      assert.strictEqual(scopesIn(world), 1);
      yield* later;
      yield* collected(world);
      assert.strictEqual(scopesIn(world), 0);
    }),
  );

  it.effect("stay while an entry of the index cannot be read: it may name them", () =>
    Effect.gen(function* () {
      const world = World.make();
      const skills = yield* Support.installIn(world, [Support.packageOf("style"), Support.packageOf("plot")]);
      yield* skills.remove(globalScope, "style");
      yield* later;
      const documents = world.documents.collections.get(SkillIndex.skillsCollection);
      const id = SkillIndex.idOf(globalScope, "plot");
      const whole = documents?.get(id);
      documents?.set(id, new Corrupt({ entity: "document", id: `skills/${id}`, detail: "torn" }));
      yield* collected(world);
      assert.strictEqual(scopesIn(world), 2);
      if (whole !== undefined) documents?.set(id, whole);
      yield* collected(world);
      assert.strictEqual(scopesIn(world), 1);
    }),
  );

  it.effect("stay while a run cannot be read to its end: it may have been made ready with them", () =>
    Effect.gen(function* () {
      for (const damaged of [true, false]) {
        const world = World.make();
        const { runId } = yield* play(World.publishing, { world });
        const skills = yield* Support.installIn(world, [Support.packageOf("style")]);
        yield* skills.remove(globalScope, "style");
        yield* later;
        if (damaged) yield* MemoryRunJournal.damage(world.journals, runId, 3);
        yield* collected(world);
        assert.strictEqual(scopesIn(world), damaged ? 1 : 0);
      }
    }),
  );

  it.effect("are copied to another storage with the index, and are read there", () =>
    Effect.gen(function* () {
      const from = World.make();
      const to = World.make();
      yield* Support.installIn(from, [Support.packageOf("style", "x", { "references/a.md": "a" })]);
      yield* Support.installIn(from, [Support.packageOf("plot")], profile);
      const setOf = (world: World.World) => ({
        journal: MemoryRunJournal.make(world.journals),
        ...Support.portsOf(world),
      });
      const report = yield* copyStorage(setOf(from), setOf(to)).pipe(World.inProcess(from, { name: "copier" }));
      assert.deepStrictEqual(report.leftOut, []);
      const skills = yield* Support.over(Support.portsOf(to));
      assert.deepStrictEqual(
        (yield* skills.read(globalScope, "style")).files,
        Support.packageOf("style", "x", { "references/a.md": "a" }).files,
      );
      assert.strictEqual((yield* skills.read(profile, "plot")).files.length, 1);
    }),
  );
});
