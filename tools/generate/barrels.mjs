/**
 * The text of each published package's `src/index.ts`: one namespace per module, in the order of their paths.
 *
 * Modules below an `internal` folder are closed, and a module with an entry of its own (it needs something that the
 * package's other users do not have) is left out.
 */
import path from "node:path";
import { filesBelow } from "../bootstrap/repository.mjs";

const separateEntries = new Set(["packages/testkit/src/vitest.ts"]);
const identifier = /^[A-Za-z_$][\w$]*$/u;
const reserved = new Set([
  "default",
  "delete",
  "export",
  "function",
  "import",
  "in",
  "new",
  "return",
  "switch",
  "typeof",
]);

/** The generated file of one package folder, or what forbids it: a clash of names, a name that is no identifier. */
export const barrelOf = (folder, files = filesBelow(`${folder}/src`)) => {
  const modules = files.filter((file) => isModule(file)).map((file) => path.posix.relative(`${folder}/src`, file));
  const byName = new Map();
  for (const file of modules) byName.set(nameOf(file), [...(byName.get(nameOf(file)) ?? []), file]);
  const problems = [...byName].flatMap(([name, sources]) => [
    ...(sources.length > 1 ? [`${folder}: ${sources.join(" and ")} would both be exported as ${name}`] : []),
    ...(identifier.test(name) && !reserved.has(name) ? [] : [`${folder}: ${sources[0]} has no name to be exported as`]),
  ]);
  const lines = modules.map((file) => `export * as ${nameOf(file)} from "./${file}";`);
  const body = lines.length === 0 ? "export {};" : lines.join("\n");
  return { path: `${folder}/src/index.ts`, text: `${body}\n`, problems };
};

const isModule = (file) =>
  file.endsWith(".ts") &&
  !file.endsWith(".d.ts") &&
  !file.endsWith("/src/index.ts") &&
  !file.includes("/internal/") &&
  !separateEntries.has(file);

const nameOf = (file) => path.posix.basename(file, ".ts");
