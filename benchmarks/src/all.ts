/**
 * All benchmarks one after the other, each in a process of its own. Ends with code 1 when any limit was missed.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const failed = ["stepCost", "appendCost", "startCost"].filter((name) => {
  const program = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [...process.execArgv, program, ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  return status !== 0;
});
if (failed.length > 0) process.stdout.write(`\nA limit was missed, or the measurement failed: ${failed.join(", ")}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
