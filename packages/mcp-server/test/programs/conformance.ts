/**
 * Runs the official conformance packages against a server of the sample, prints what came out, and compares it with what is
 * expected. Ends with 1 where something else fails, or something that is expected to fail does not.
 */
import * as Effect from "effect/Effect";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expected, suites, type Suite } from "../conformance/expected.ts";
import * as Clients from "../support/Clients.ts";
import * as Front from "../support/Front.ts";
import * as Sample from "../support/Sample.ts";

interface Check {
  readonly scenario: string;
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

const program = Effect.gen(function* () {
  const server = yield* Clients.serve(Sample.offer);
  const url = yield* Front.make(server, Clients.token);
  const differences = yield* Effect.forEach(suites, (suite) =>
    Effect.map(
      Effect.promise(() => run(suite, url)),
      (checks) => report(suite, checks),
    ),
  );
  return differences.flat();
});

const run = async (suite: Suite, url: string): Promise<ReadonlyArray<Check>> => {
  const folder = await mkdtemp(join(tmpdir(), "mcp-conformance-"));
  const main = fileURLToPath(suite.program);
  const given = [main, "server", "--url", url, "--output-dir", folder, ...suite.arguments];
  // What it ends with is of no account: here it is decided what may fail.
  await new Promise<void>((resolve) => void execFile(process.execPath, given, { timeout: 60_000 }, () => resolve()));
  const found = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
      const checks = JSON.parse(await readFile(join(folder, name, "checks.json"), "utf8")) as ReadonlyArray<Check>;
      return checks.map((check) => ({ ...check, scenario }));
    }),
  );
  await rm(folder, { recursive: true });
  return found.flat();
};

/** What is not as expected. */
const report = (suite: Suite, checks: ReadonlyArray<Check>): ReadonlyArray<string> => {
  const nameOf = ({ id, scenario }: Check) => `${scenario} ${id}`;
  const failed = new Map(checks.filter(({ status }) => status === "FAILURE").map((check) => [nameOf(check), check]));
  const passed = checks.filter(({ status }) => status === "SUCCESS").length;
  const scenarios = new Set(checks.map(({ scenario }) => scenario));
  const known = expected.map(({ checks: names, reason }) => ({
    reason,
    names: names.filter((name) => scenarios.has(name.split(" ")[0] ?? "")),
  }));
  const named = new Set(known.flatMap(({ names }) => names));
  const unexpected = [...failed].filter(([name]) => !named.has(name));
  const stale = [...named].filter((name) => !failed.has(name));
  console.log(
    `${suite.name}: ${passed} checks passed, ${failed.size} failed, of which ${failed.size - unexpected.length} are expected`,
  );
  for (const { names, reason } of known) if (names.length > 0) console.log(`  ${names.length} expected: ${reason}`);
  return [
    ...(passed === 0 ? [`${suite.name}: nothing passed`] : []),
    ...unexpected.map(([name, check]) => `${suite.name}: ${name} failed: ${check.errorMessage ?? ""}`),
    ...stale.map((name) => `${suite.name}: ${name} is expected to fail and does not`),
  ];
};

const differences = await Effect.runPromise(Effect.scoped(program));
for (const difference of differences) console.error(difference);
process.exitCode = differences.length === 0 ? 0 : 1;
