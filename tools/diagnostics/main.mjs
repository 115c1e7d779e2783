/**
 * `npm run types`: one program over the whole repository, from source, with the Effect diagnostics.
 *
 * The checker is the compiler that `@effect/tsgo` brings for this platform.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { at, root } from "../bootstrap/repository.mjs";

const manifest = createRequire(at("package.json")).resolve("@effect/tsgo/package.json");
const { bin } = createRequire(manifest)(manifest);
const script = path.join(path.dirname(manifest), typeof bin === "string" ? bin : bin["effect-tsgo"]);
const compiler = execFileSync(process.execPath, [script, "get-exe-path"], { encoding: "utf8" }).trim();
const { status } = spawnSync(compiler, ["-p", "tsconfig.json", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status ?? 1);
