/**
 * What a child has to read of the machine: the code that it runs.
 *
 * Owns finding the folders of that code, installed in whatever way and bundled or not. Does not own that nothing else is read, which
 * Node sees to.
 */
import * as fs from "node:fs";
import * as nodePath from "node:path";
import * as url from "node:url";

/** What runs commands; these and what they depend on are loaded by name. */
const interpreters: ReadonlyArray<string> = ["just-bash", "@pydantic/monty", "quickjs-wasi"];

/** Of just-bash's dependencies those of commands that a child has not, and native ones, which it may not load any more. */
const unused: ReadonlySet<string> = new Set(["@mongodb-js/zstd", "node-liblzma", "quickjs-emscripten", "undici"]);

/** By its text the library of Python knows which C library the machine has. */
const machine: ReadonlyArray<string> = ["/usr/bin/ldd"];

/**
 * Absolute paths of files and folders that a child which runs `entry` has to read, with the links that lead to them. Looked for
 * once: code that is installed later is code of another program.
 */
export const readableBy = (entry: string): ReadonlyArray<string> => {
  const paths = known.get(entry) ?? look(entry);
  known.set(entry, paths);
  return paths;
};

const known = new Map<string, ReadonlyArray<string>>();

const look = (entry: string): ReadonlyArray<string> => {
  const found = new Set<string>();
  for (const folder of [nodePath.dirname(entry), nodePath.dirname(url.fileURLToPath(import.meta.url))]) {
    for (const path of [folder, ...realPathOf(folder)]) {
      found.add(path);
      for (const description of nearest(path, "package.json")) found.add(description);
    }
  }
  for (const name of interpreters) addPackage(found, nodePath.dirname(entry), name);
  return [...found, ...machine.filter((path) => fs.existsSync(path))];
};

/** A package that is not there is an optional one, or missed when it is loaded. */
const addPackage = (found: Set<string>, from: string, name: string): void => {
  for (const path of nearest(from, nodePath.join("node_modules", name))) {
    const [folder = path] = realPathOf(path);
    const isKnown = found.has(folder);
    found.add(path).add(folder);
    if (isKnown) continue;
    for (const dependency of dependenciesOf(folder)) if (!unused.has(dependency)) addPackage(found, folder, dependency);
  }
};

/** The first of that name beside or above a folder, where there is one. */
const nearest = (from: string, name: string): ReadonlyArray<string> => {
  const path = nodePath.join(from, name);
  if (fs.existsSync(path)) return [path];
  const above = nodePath.dirname(from);
  return above === from ? [] : nearest(above, name);
};

const realPathOf = (path: string): ReadonlyArray<string> => (fs.existsSync(path) ? [fs.realpathSync(path)] : []);

interface Description {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const dependenciesOf = (folder: string): ReadonlyArray<string> => {
  const path = nodePath.join(folder, "package.json");
  if (!fs.existsSync(path)) return [];
  const { dependencies, optionalDependencies } = JSON.parse(fs.readFileSync(path, "utf8")) as Description;
  return Object.keys({ ...dependencies, ...optionalDependencies });
};
