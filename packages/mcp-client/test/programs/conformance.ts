/**
 * Runs the official conformance tests of the protocol against the client, scenario by scenario, and holds what comes of it
 * against the list of what is expected. Prints `N passed, M expected failures`, and every difference, with which it ends
 * with 1. With `--short` it runs what the package for the older protocol versions asks of every client.
 *
 *     npm run conformance
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as Effect from "effect/Effect";
import { type Expected, expected, type Package } from "../support/expectedConformance.ts";

const isShort = process.argv.includes("--short");

const client = [process.execPath, "--conditions=@cahier/source", "--no-warnings"]
  .concat(fileURLToPath(new URL("conformanceClient.ts", import.meta.url)))
  .join(" ");

const require = createRequire(import.meta.url);

const descriptions: Readonly<Record<Package, string>> = {
  "@modelcontextprotocol/conformance": require.resolve("@modelcontextprotocol/conformance/package.json"),
  "mcp-conformance-next": require.resolve("mcp-conformance-next/package.json"),
};

/** The program of a package, which stands beside its description. */
const programOf = (name: Package): string => join(descriptions[name], "..", "dist", "index.js");

const started = promisify(execFile);

const run = (name: Package, given: ReadonlyArray<string>, folder: string) =>
  Effect.promise(() =>
    started(process.execPath, [programOf(name), ...given], { cwd: folder, maxBuffer: 64 * 1024 * 1024 }).catch(
      // It ends with 1 where a check has failed, which is read from what it has written.
      (error: unknown) => error as { readonly stdout: string },
    ),
  ).pipe(Effect.map(({ stdout }) => stdout));

interface Scenario {
  readonly name: string;
  readonly versions: ReadonlyArray<string>;
}

const scenariosOf = (name: Package, folder: string) =>
  Effect.map(run(name, ["list", "--client"], folder), (listed) =>
    [...listed.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)].map(([, scenario = "", versions = ""]): Scenario => ({
      name: scenario,
      versions: versions.split(","),
    })),
  );

type Outcome = "passes" | "fails" | "checks nothing";

interface Check {
  readonly id: string;
  readonly status: string;
}

const outcomeOf = (name: Package, scenario: string, folder: string) =>
  Effect.gen(function* () {
    const output = join(folder, `${name}-${scenario}`.replaceAll("/", "-"));
    const given = ["client", "--command", client, "--scenario", scenario, "--timeout", "60000", "-o", output];
    yield* run(name, given, folder);
    const checks = yield* Effect.promise(async () => {
      const files = (await readdir(output, { recursive: true })).filter((file) => file.endsWith("checks.json"));
      const texts = await Promise.all(files.map((file) => readFile(join(output, file), "utf8")));
      return texts.flatMap((text) => JSON.parse(text) as ReadonlyArray<Check>);
    });
    const failed = checks.filter(({ status }) => status === "FAILURE").map(({ id }) => id);
    const passed = checks.filter(({ status }) => status === "SUCCESS").length;
    const outcome: Outcome = failed.length > 0 ? "fails" : passed > 0 ? "passes" : "checks nothing";
    return { scenario, outcome, failed };
  });

const differencesOf = (
  { failures, unchecked }: Expected,
  found: ReadonlyArray<{
    readonly scenario: string;
    readonly outcome: Outcome;
    readonly failed: ReadonlyArray<string>;
  }>,
): ReadonlyArray<string> =>
  found.flatMap(({ scenario, outcome, failed }) => {
    const wanted: Outcome = scenario in failures ? "fails" : scenario in unchecked ? "checks nothing" : "passes";
    return wanted === outcome ? [] : [`${scenario} ${outcome}: ${failed.join(", ")}; expected: ${wanted}`];
  });

const isInShort = ({ versions }: Scenario): boolean =>
  versions.some((version) => version === "2025-06-18" || version === "2025-11-25");

const measured = (name: Package, folder: string) =>
  Effect.gen(function* () {
    const all = yield* scenariosOf(name, folder);
    const list = expected[name];
    const known = [...list.passes, ...Object.keys(list.failures), ...Object.keys(list.unchecked)];
    const names = all.map((scenario) => scenario.name);
    const chosen = all.filter((scenario) => !isShort || isInShort(scenario));
    const found = yield* Effect.forEach(chosen, (scenario) => outcomeOf(name, scenario.name, folder), {
      concurrency: 2,
    });
    return {
      passed: found.filter(({ outcome }) => outcome === "passes").length,
      failures: found.filter(({ outcome }) => outcome === "fails").length,
      differences: [
        ...differencesOf(list, found),
        ...names.filter((scenario) => !known.includes(scenario)).map((scenario) => `${scenario} is in no list`),
        ...known.filter((scenario) => !names.includes(scenario)).map((scenario) => `${scenario} is there no more`),
      ].map((text) => `${name}: ${text}`),
    };
  });

const packages: ReadonlyArray<Package> = isShort
  ? ["@modelcontextprotocol/conformance"]
  : ["@modelcontextprotocol/conformance", "mcp-conformance-next"];

const results = await Effect.runPromise(
  Effect.acquireUseRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "cahier-conformance-"))),
    (folder) => Effect.forEach(packages, (name) => measured(name, folder)),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true })),
  ),
);

const differences = results.flatMap((result) => result.differences);
const sum = (which: "passed" | "failures"): number => results.reduce((total, result) => total + result[which], 0);
for (const difference of differences) process.stdout.write(`${difference}\n`);
process.stdout.write(
  `${sum("passed")} passed, ${sum("failures")} expected failures, ${differences.length} differences\n`,
);
process.exit(differences.length === 0 ? 0 : 1);
