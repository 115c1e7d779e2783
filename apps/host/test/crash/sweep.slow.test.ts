import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { assert, describe, it } from "@effect/vitest";
import type { Boundary } from "@cahier/testkit/crash/Boundary";
import { trial } from "@cahier/testkit/crash/Trial";
import * as Effect from "effect/Effect";
import { bundleWorker } from "./bundleWorker.ts";
import * as HostSubject from "./HostSubject.ts";
import * as OutsideCounter from "./OutsideCounter.ts";
import type { StoryName } from "./stories.ts";
import { fastFolder } from "../support/fastFolder.ts";

/** The sweep's program over SQLite, in a folder that goes with the scope. */
const subjectOptions = Effect.fnUntraced(function* (story: StoryName) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(fastFolder, "cahier-sweep-test-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true })),
  );
  const counter = yield* Effect.acquireRelease(Effect.promise(OutsideCounter.start), (started) =>
    Effect.sync(started.close),
  );
  return {
    name: "sqlite",
    story,
    folder,
    counter,
    worker: yield* Effect.promise(() => bundleWorker(folder)),
    storageOf: (place) => ({ storage: `sqlite:${join(place, "cahier.sqlite")}`, remove: () => undefined }),
  } satisfies HostSubject.SubjectOptions;
});

/** One run that waits before its admission, one within an append, and one at every answer of the outside. */
const boundaries = ({ answers }: { readonly answers: number }): ReadonlyArray<Boundary> => [
  { kind: "beforeAppend", at: 2 },
  { kind: "withinAppend", at: 12 },
  ...Array.from({ length: answers }, (_, index) => ({ kind: "beforeAnswer" as const, at: index + 1 })),
];

describe("runs whose process is killed", () => {
  it.live(
    "are resumed with nothing lost and nothing done twice, and a resume that calls again what it must not is noticed",
    () =>
      Effect.gen(function* () {
        const options = yield* subjectOptions("solo");
        const { counts, ending } = yield* HostSubject.measure(options, 2);
        const at = boundaries(counts);
        const rounds = [{ _tag: "AtBoundaries" as const, boundaries: at, afterMs: 3 }];
        const sound = yield* trial(HostSubject.make(options), rounds, ending, at.length);
        assert.deepStrictEqual(sound.violations, []);
        assert.sameDeepMembers(
          [...sound.strikes],
          [
            { kind: "beforeAppend", kills: 1, struck: 1 },
            { kind: "withinAppend", kills: 1, struck: 1 },
            { kind: "beforeAnswer", kills: 1, struck: counts.answers },
          ],
        );
        const broken = HostSubject.make({ ...options, mutant: "repeated-call" });
        const { violations } = yield* trial(broken, rounds, ending, at.length);
        assert.sameMembers(
          violations
            .map(({ at: boundary, kind }) => `${kind} ${boundary}`)
            .filter((one, index, all) => all.indexOf(one) === index),
          ["doubled beforeAnswer"],
        );
        // The irreversible calls of the story, of which one could have been asked about.
        assert.lengthOf(violations, 4);
      }),
  );

  it.live(
    "go on with all their agents: no result is lost or told twice, and a resume that tells one again is noticed",
    () =>
      Effect.gen(function* () {
        const options = yield* subjectOptions("team");
        const { counts, ending } = yield* HostSubject.measure(options, 2);
        const told = ending.effects.flatMap(({ name }) => (/ is told$| knows /.test(name) ? [name] : []));
        assert.sameMembers(told, [
          ...["swept-critic", "swept-critic-002", "swept-reader"].map((task) => `${task} is told`),
          ...["gaps", "slips", "reading"].map((result) => `swept-lead 0 knows [[result ${result}]]`),
        ]);
        const at = Array.from({ length: 24 }, (_, index) => ({
          kind: "afterAppend" as const,
          at: Math.ceil(((index + 1) * counts.appends) / 25),
        }));
        const rounds = [{ _tag: "AtBoundaries" as const, boundaries: at, afterMs: 3 }];
        const sound = yield* trial(HostSubject.make(options), rounds, ending, at.length);
        assert.deepStrictEqual(sound.violations, []);
        // In how many appends concurrent agents are written differs from run to run.
        assert.isAtLeast(sound.strikes[0]?.struck ?? 0, 20);
        const broken = HostSubject.make({ ...options, mutant: "told-again" });
        const { violations } = yield* trial(broken, rounds, ending, at.length);
        const kinds = new Set(violations.map(({ kind }) => kind));
        assert.isTrue(kinds.has("doubled"));
      }),
  );
});
