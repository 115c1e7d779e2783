/**
 * The laws of RunMirror.
 */
import { RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { MirroredRun, RunMirror } from "@cahier/ports/RunMirror";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type * as Scope from "effect/Scope";
import * as Expectation from "../Expectation.ts";
import * as Law from "../Law.ts";

/** `open` gives a fresh view of the same storage, as another process would have. */
export interface RunMirrorHarness {
  readonly open: Effect.Effect<RunMirror["Service"], unknown, Scope.Scope>;
  /**
   * Puts a symbolic link named `name` into the run's folder, to a folder outside that holds one file `kept` with the
   * text `outside`. Gives an effect that reads that folder: the text of each file by its name.
   */
  readonly plantLink?: (
    run: MirroredRun,
    name: string,
  ) => Effect.Effect<Effect.Effect<Readonly<Record<string, string>>, unknown>, unknown>;
  /** Puts what is no projection, such as the run's journal, beside it. Gives an effect that tells if it is untouched. */
  readonly plantJournal?: (run: MirroredRun) => Effect.Effect<Effect.Effect<boolean, unknown>, unknown>;
}

const law = Law.of<RunMirrorHarness>();

export const laws: ReadonlyArray<Law.Law<RunMirrorHarness>> = [
  law({
    id: "MIR-01",
    title: "a file is read as it was written, in folders as deep as its path",
    *check(harness) {
      const mirror = yield* harness.open;
      const files: ReadonlyArray<readonly [string, Uint8Array]> = [
        ["manifest.json", text("{}\n")],
        ["output/main.md", text("\u{1f600}\r\n")],
        ["input/invocations/inv_1/prompt snapshot.json", Uint8Array.from({ length: 256 }, (_, index) => index)],
        ["scratch/empty", new Uint8Array(0)],
        ["output/größe 中.md", text("unicode")],
      ];
      for (const [path, bytes] of files) yield* mirror.write(run, path, bytes);
      const other = yield* harness.open;
      for (const [path, bytes] of files) yield* Expectation.sameBytes(path, yield* other.read(run, path), bytes);
    },
  }),
  law({
    id: "MIR-02",
    title: "writing replaces a file whole",
    *check(harness) {
      const mirror = yield* harness.open;
      yield* mirror.write(run, "output/main.md", text("a long first version"));
      yield* mirror.write(run, "output/main.md", text("short"));
      yield* Expectation.sameBytes("file", yield* mirror.read(run, "output/main.md"), text("short"));
      yield* Expectation.same("list", yield* mirror.list(run), ["output/main.md"]);
    },
  }),
  law({
    id: "MIR-03",
    title: "a reader never sees half of a file",
    *check(harness) {
      const [writer, reader] = [yield* harness.open, yield* harness.open];
      yield* writer.write(run, "output/main.md", pattern(0));
      const writing = yield* Effect.forkChild(
        Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], (n) =>
          Effect.andThen(Effect.yieldNow, writer.write(run, "output/main.md", pattern(n))),
        ),
      );
      const seen = yield* Effect.forEach(Array.from({ length: 30 }), () =>
        Effect.andThen(Effect.yieldNow, reader.read(run, "output/main.md")),
      );
      yield* Fiber.join(writing);
      for (const bytes of seen) {
        const whole = bytes.length === pattern(0).length && bytes.every((byte) => byte === bytes[0]);
        yield* Expectation.isTrue(whole, `a reader saw ${bytes.length} bytes that nobody wrote together`);
      }
    },
  }),
  law({
    id: "MIR-04",
    title: "what was not written is not found, a folder included",
    *check(harness) {
      const mirror = yield* harness.open;
      yield* mirror.write(run, "output/main.md", text("x"));
      for (const path of ["output/other.md", "output", "manifest.json"]) {
        yield* Expectation.failsWith(path, mirror.read(run, path), "NotFound");
      }
      yield* Expectation.failsWith("other run", mirror.read(otherRun, "output/main.md"), "NotFound");
    },
  }),
  law({
    id: "MIR-05",
    title: "a list holds all paths of one run in order; an unknown run has none",
    *check(harness) {
      const mirror = yield* harness.open;
      const paths = ["output/b.md", "output/a.md", "manifest.json", "output/a/deep.md", "input/x.json", "output-2/y"];
      for (const path of paths) yield* mirror.write(run, path, text(path));
      yield* mirror.write(otherRun, "elsewhere", text("x"));
      yield* Expectation.same("list", yield* (yield* harness.open).list(run), paths.toSorted());
      yield* Expectation.same("unknown run", yield* mirror.list({ ...run, runId: RunId.make("run_unknown") }), []);
    },
  }),
  law({
    id: "MIR-06",
    title: "removing takes one file and the folders that it leaves empty, and again is no error",
    *check(harness) {
      const mirror = yield* harness.open;
      yield* mirror.write(run, "plan/deep/one.md", text("1"));
      yield* mirror.write(run, "output/main.md", text("2"));
      yield* mirror.write(run, "output/side.md", text("3"));
      yield* mirror.remove(run, "plan/deep/one.md");
      yield* mirror.remove(run, "plan/deep/one.md");
      yield* mirror.remove(run, "output/side.md");
      yield* mirror.remove(otherRun, "never/there");
      yield* Expectation.same("list", yield* mirror.list(run), ["output/main.md"]);
      yield* mirror.write(run, "plan", text("a file where the folder was"));
      yield* Expectation.same("list", yield* mirror.list(run), ["output/main.md", "plan"]);
    },
  }),
  law({
    id: "MIR-07",
    title: "clearing removes the projection of one run and of no other, and again is no error",
    *check(harness) {
      const mirror = yield* harness.open;
      yield* mirror.write(run, "output/main.md", text("1"));
      yield* mirror.write(run, "manifest.json", text("2"));
      yield* mirror.write(otherRun, "output/main.md", text("3"));
      yield* mirror.clear(run);
      yield* mirror.clear(run);
      yield* Expectation.same("cleared", yield* mirror.list(run), []);
      yield* Expectation.sameBytes("other run", yield* mirror.read(otherRun, "output/main.md"), text("3"));
      yield* mirror.write(run, "output/main.md", text("rebuilt"));
      yield* Expectation.same("rebuilt", yield* mirror.list(run), ["output/main.md"]);
    },
  }),
  law({
    id: "MIR-08",
    title: "a path that would leave the run's folder is refused by write, read and remove",
    *check(harness) {
      const mirror = yield* harness.open;
      const bad = [
        "../x",
        "output/../../x",
        "/etc/cahier-law",
        "",
        ".",
        "..",
        "output/..",
        "a/\u0000b",
        "output//../../x",
      ];
      for (const path of bad) {
        const calls = [mirror.write(run, path, text("x")), mirror.read(run, path), mirror.remove(run, path)];
        for (const call of calls) {
          const fault = yield* Expectation.failsWith(JSON.stringify(path), call, "Unavailable");
          yield* Expectation.same("kind", fault.kind, "invalid");
        }
      }
      yield* Expectation.same("list", yield* mirror.list(run), []);
    },
  }),
  law({
    id: "MIR-09",
    title: "no symbolic link is followed on the way to a file",
    needs: ["plantLink"],
    *check(harness) {
      const outside = yield* harness.plantLink(run, "linked");
      const mirror = yield* harness.open;
      const calls = [
        mirror.write(run, "linked/new", text("x")),
        mirror.write(run, "linked/kept", text("x")),
        mirror.read(run, "linked/kept"),
        mirror.remove(run, "linked/kept"),
      ];
      for (const call of calls) {
        const fault = yield* Expectation.failsWith("linked", call, "Unavailable");
        yield* Expectation.same("kind", fault.kind, "symlink");
      }
      const listed = yield* mirror.list(run);
      yield* Expectation.same(
        "listed through the link",
        listed.filter((path) => path.startsWith("linked/")),
        [],
      );
      yield* mirror.clear(run);
      yield* Expectation.same("outside", yield* outside, { kept: "outside" });
    },
  }),
  law({
    id: "MIR-10",
    title: "what is no projection, such as the journal, is neither listed nor cleared",
    needs: ["plantJournal"],
    *check(harness) {
      const untouched = yield* harness.plantJournal(run);
      const mirror = yield* harness.open;
      yield* mirror.write(run, "output/main.md", text("x"));
      yield* Expectation.same("list", yield* mirror.list(run), ["output/main.md"]);
      yield* mirror.clear(run);
      yield* Expectation.isTrue(yield* untouched, "clearing the projection touched the journal");
    },
  }),
];

const run: MirroredRun = {
  runId: RunId.make("run_00000000000000000000000000000001"),
  workspaceId: WorkspaceId.make("chat_00000000000000aa"),
};
const otherRun: MirroredRun = { ...run, runId: RunId.make("run_00000000000000000000000000000002") };

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

const pattern = (n: number): Uint8Array => new Uint8Array(200_000).fill(n);
