/**
 * All benchmarks one after the other, each in a process of its own. Ends with code 3 when everything was measured and a
 * limit was missed, with code 1 when something could not be measured.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { missedExitCode } from "./measure/Table.ts";

const ended = [
  "stepCost",
  "appendCost",
  "bytesCost",
  "parallelCost",
  "resumeCost",
  "pageCost",
  "startCost",
  "toolCost",
  "promptCost",
  "delegationCost",
  "gatewayCost",
  "shellCost",
  "mcpCost",
  "extensionCost",
  "openStreams",
].map((name) => {
  const program = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [...process.execArgv, program, ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  return { name, status };
});
const missed = ended.filter(({ status }) => status === missedExitCode);
const broken = ended.filter(({ status }) => status !== 0 && status !== missedExitCode);
if (missed.length > 0) process.stdout.write(`\nA limit was missed: ${missed.map(({ name }) => name).join(", ")}\n`);
if (broken.length > 0) process.stdout.write(`\nNot measured: ${broken.map(({ name }) => name).join(", ")}\n`);
process.exitCode = broken.length > 0 ? 1 : missed.length > 0 ? missedExitCode : 0;
