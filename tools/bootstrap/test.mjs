/** `npm test [-- ARGS]`: the whole test suite, or what the arguments of vitest choose. */
import { ensureInstalled } from "./install.mjs";
import { nodeExecutable } from "./node.mjs";
import { runProgram } from "./program.mjs";
import { at, root } from "./repository.mjs";

await ensureInstalled();
await runProgram(nodeExecutable(), [at("node_modules", "vitest", "vitest.mjs"), "run", ...process.argv.slice(2)], {
  cwd: root,
});
