/** `npm run -s cahier -- ARGS`: the program of this clone, in the caller's folder. */
import { ensureBundled } from "../bundle/bundle.mjs";
import { ensureInstalled } from "./install.mjs";
import { nodeExecutable } from "./node.mjs";
import { runProgram } from "./program.mjs";

const installed = await ensureInstalled();
const bundle = await ensureBundled(installed);
await runProgram(nodeExecutable(), [bundle, ...process.argv.slice(2)], { cwd: process.env.INIT_CWD ?? process.cwd() });
