/**
 * How much of the outside cases of shells and jq the interpreter gets right. All of them take a minute: a part of them is run
 * unless `CAHIER_SLOW` is set, as the script `test:slow` does.
 */
import type { ShellRequest } from "@cahier/ports/Shell";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as CommandShell from "../src/internal/child/CommandShell.ts";
import * as OilsHelpers from "./OilsHelpers.ts";
import * as OutsideCases from "./OutsideCases.ts";
import { bytes, limits } from "./Requests.ts";

const { missing } = OutsideCases;

const all = process.env["CAHIER_SLOW"] !== undefined;

/** Every eighth case, or every one. */
const some = <A>(cases: ReadonlyArray<A>): ReadonlyArray<A> => cases.filter((_, index) => all || index % 8 === 0);

const shell = Effect.promise(() => CommandShell.make([() => OilsHelpers.commands]));

const request = (changes: Partial<ShellRequest>): ShellRequest => ({
  command: "",
  workdir: "",
  files: [],
  folders: [],
  writableRoots: [""],
  limits,
  ...changes,
});

const passes = Effect.fnUntraced(function* <A>(
  cases: ReadonlyArray<A>,
  isRight: (shell: CommandShell.CommandShell, one: A) => Promise<boolean>,
) {
  const running = yield* shell;
  const results = yield* Effect.forEach(cases, (one) => Effect.promise(() => isRight(running, one)));
  return results.filter((right) => right).length;
});

const oilsIsRight = async (running: CommandShell.CommandShell, one: OutsideCases.OilsCase): Promise<boolean> => {
  const command = `export HOME=/tmp TMP=/tmp SH=bash\n${one.script}\n`;
  const { exitCode, output } = await running.run(request({ command, workdir: "tmp", folders: ["tmp/_tmp"] }));
  const printed = output.text.trimEnd();
  return (
    (one.stdout.length === 0 || one.stdout.some((expected) => expected.trimEnd() === printed)) &&
    (one.status.length === 0 || (exitCode !== null && one.status.includes(exitCode)))
  );
};

const jqIsRight = async (running: CommandShell.CommandShell, one: OutsideCases.JqCase): Promise<boolean> => {
  const program = ` ${one.program}`.replaceAll("'", "'\\''");
  const { exitCode, output } = await running.run(
    request({
      command: `export PAGER=less; jq -c '${program}' < input`,
      files: [{ path: "input", bytes: bytes(one.input) }],
    }),
  );
  if (one.expected === null) return exitCode !== 0;
  const printed = output.text.split("\n").filter((line) => line !== "");
  return (
    printed.length === one.expected.length &&
    printed.every((line, index) => canonical(line) === canonical(one.expected?.[index] ?? ""))
  );
};

/** The same for equal values; a text that is no JSON stands for itself. */
const canonical = (text: string): string => {
  try {
    return JSON.stringify(ordered(JSON.parse(text)));
  } catch {
    return text;
  }
};

const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, ordered(inner)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
};

describe(`outside cases${missing === null ? "" : ` (not run: ${missing})`}`, () => {
  it.live.skipIf(missing !== null)(
    "at least 85 % of the cases of Oils are right",
    () =>
      Effect.gen(function* () {
        const cases = some(OutsideCases.oils());
        const right = yield* passes(cases, oilsIsRight);
        yield* Effect.log(`Oils: ${right} of ${cases.length}`);
        assert.isAtLeast(right / cases.length, all ? 0.85 : 0.8);
      }),
    300_000,
  );

  it.live.skipIf(missing !== null)(
    "at least 671 of the 858 cases of jq are right",
    () =>
      Effect.gen(function* () {
        const cases = some(OutsideCases.jq());
        const right = yield* passes(cases, jqIsRight);
        yield* Effect.log(`jq: ${right} of ${cases.length}`);
        if (all) assert.isAtLeast(right, 671);
        assert.isAtLeast(right / cases.length, 0.72);
      }),
    300_000,
  );
});
