/**
 * Prints the golden table of a test run: a line for each scenario, a column for each route.
 *
 * A cell has a mark for each mode, streamed before whole: `ok` or `FAIL`; `-` where the wire cannot say it. Imports nothing of
 * the repository, since the runner loads it without the conditions of its packages.
 */
import type { Reporter, TestModule } from "vitest/node";

export default class GoldenReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const marks = new Map<string, ReadonlyArray<string>>();
    const failures: Array<string> = [];
    for (const module of modules) {
      for (const error of module.errors()) failures.push(error.message);
      for (const test of module.children.allTests()) {
        const [scenario, route] = test.name.split(" | ");
        const result = test.result();
        const cell = `${scenario} | ${route}`;
        marks.set(cell, [...(marks.get(cell) ?? []), result.state === "passed" ? "ok" : "FAIL"]);
        if (result.state === "failed") failures.push(`${test.name}: ${result.errors[0]?.message ?? "?"}`);
      }
    }
    process.stdout.write(`${tableOf(marks).join("\n")}\n`);
    for (const failure of failures) process.stdout.write(`${failure}\n`);
  }
}

const tableOf = (marks: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const names = [...marks.keys()].map((cell) => cell.split(" | "));
  const [scenarios, routes] = [0, 1].map((place) => [...new Set(names.map((name) => name[place] ?? ""))]);
  const cellOf = (scenario: string, route: string): string => marks.get(`${scenario} | ${route}`)?.join(" ") ?? "-";
  const rows = [
    ["scenario", ...(routes ?? [])],
    ...(scenarios ?? []).map((scenario) => [scenario, ...(routes ?? []).map((route) => cellOf(scenario, route))]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
};
