/** `npm start`: from a bare clone to the demonstration. */
import { ensureBundled } from "../bundle/bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { nodeExecutable } from "./node.mjs";
import { runProgram } from "./program.mjs";

const installed = await ensureInstalled();
const bundle = await ensureBundled(installed);
await runProgram(nodeExecutable(), [bundle, "demonstration", ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? process.cwd(),
});
