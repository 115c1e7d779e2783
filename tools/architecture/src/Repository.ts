/**
 * The files of the repository as the rules see them: packages with their manifests, and parsed modules.
 *
 * Owns what a path means (its package, ring and part) and how an import specifier finds its module. Reads no disk.
 */
import { type Import, parse, type SourceModule } from "./SourceModule.ts";

/** `example` stands outside of all rings, as a user's own package does; `other` are benchmarks and tools. */
export type Ring = "domain" | "ports" | "application" | "testkit" | "adapter" | "app" | "example" | "other";

export interface Package {
  readonly folder: string;
  readonly name: string;
  readonly ring: Ring;
  /** Third-party and workspace packages that its source may import. */
  readonly dependencies: ReadonlySet<string>;
  /** Those that its tests may import besides. */
  readonly devDependencies: ReadonlySet<string>;
}

/** A parsed module with its place. */
export interface Located extends SourceModule {
  readonly package: Package;
  readonly part: "src" | "test" | "script";
}

/** One thing that the allow-list permits, and why. `for` is a package's name without scope, or a file. */
export interface AllowedEntry {
  readonly rule: string;
  readonly for: string;
  readonly what: string;
  readonly reason: string;
}

export interface Repository {
  readonly packages: ReadonlyArray<Package>;
  readonly modules: ReadonlyMap<string, Located>;
  readonly allowed: ReadonlyArray<AllowedEntry>;
}

/** Builds the repository from paths (relative to the root, forward slashes) and texts. */
export const fromFiles = (
  files: ReadonlyMap<string, string>,
  allowed: ReadonlyArray<AllowedEntry> = [],
): Repository => {
  const packages = [...files]
    .filter(([path]) => /^(?:(?:packages|apps|tools|examples)\/[^/]+|benchmarks)\/package\.json$/u.test(path))
    .map(([path, text]) => packageOf(path.replace(/\/package\.json$/u, ""), text));
  const modules = [...files].flatMap(([path, text]): ReadonlyArray<readonly [string, Located]> => {
    if (!/\.(?:ts|tsx|mts|mjs|js)$/u.test(path)) return [];
    const owner = packages.find((candidate) => path.startsWith(`${candidate.folder}/`)) ?? scripts;
    return [[path, { ...parse(path, text), package: owner, part: partOf(owner, path) }]];
  });
  return { packages, modules: new Map(modules), allowed };
};

/** The module that an import of `from` means, when it lies in the repository. */
export const resolve = (repository: Repository, from: Located, imported: Import): Located | undefined => {
  if (imported.specifier.startsWith(".")) {
    return repository.modules.get(join(from.path, imported.specifier));
  }
  const target = repository.packages.find((candidate) => candidate.name === packageName(imported.specifier));
  if (target === undefined) return undefined;
  const rest = imported.specifier.slice(target.name.length + 1);
  return repository.modules.get(`${target.folder}/src/${rest === "" ? "index" : rest}.ts`);
};

/** The path that a relative specifier in `from` points at. */
export const join = (from: string, specifier: string): string => {
  const segments = from.split("/").slice(0, -1);
  for (const segment of specifier.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== ".") segments.push(segment);
  }
  return segments.join("/");
};

/** The package that a bare specifier belongs to: `@scope/name` or `name`. */
export const packageName = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** Whether the allow-list permits `what` to a package or file under a rule. */
export const isAllowed = (repository: Repository, rule: string, located: Located, what: string): boolean =>
  repository.allowed.some(
    (entry) =>
      entry.rule === rule &&
      (entry.for === located.path || entry.for === located.package.folder.split("/").at(-1)) &&
      (entry.what === what || entry.what === packageName(what)),
  );

const packageOf = (folder: string, text: string): Package => {
  const manifest = JSON.parse(text) as Record<string, unknown>;
  const names = (field: string) => Object.keys(manifest[field] ?? {});
  return {
    folder,
    name: typeof manifest["name"] === "string" ? manifest["name"] : folder,
    ring: ringOf(folder),
    dependencies: new Set([...names("dependencies"), ...names("peerDependencies"), ...names("optionalDependencies")]),
    devDependencies: new Set(names("devDependencies")),
  };
};

const ringOf = (folder: string): Ring => {
  const [group, name] = folder.split("/");
  if (group === "apps") return "app";
  if (group === "examples") return "example";
  if (group !== "packages") return "other";
  return name === "domain" || name === "ports" || name === "application" || name === "testkit" ? name : "adapter";
};

const partOf = (owner: Package, path: string): Located["part"] => {
  const [part] = path.slice(owner.folder.length + 1).split("/");
  return part === "src" || part === "test" ? part : "script";
};

/** Scripts of the repository that are in no package. */
const scripts: Package = {
  folder: "tools",
  name: "tools",
  ring: "other",
  dependencies: new Set(),
  devDependencies: new Set(),
};
