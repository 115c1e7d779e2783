/**
 * Who may import whom: the table of the rings.
 */
import { isAllowed, join, type Located, packageName, type Ring } from "../Repository.ts";
import type { Rule, Violation } from "../Rule.ts";
import type { Import } from "../SourceModule.ts";

const id = "import-table";

const dataModules: ReadonlySet<string> = new Set([
  "Array",
  "Brand",
  "Data",
  "DateTime",
  "Duration",
  "Match",
  "Option",
  "Order",
  "Predicate",
  "Record",
  "Result",
  "Schema",
]);
const portModules: ReadonlySet<string> = new Set([...dataModules, "Context", "Effect", "Scope", "Stream"]);
const unstableModules: ReadonlySet<string> = new Set([
  "Arbitrary",
  "ExecutionPlan",
  "FileSystem",
  "LayerMap",
  "Path",
  "PlatformError",
  "Stdio",
  "Terminal",
]);
const testRunners = new Set(["vitest", "@effect/vitest"]);

interface Row {
  readonly rings: ReadonlySet<Ring>;
  readonly node: boolean;
  /** Whether every declared third-party dependency is open, or only those of the allow-list. */
  readonly thirdParty: boolean;
  readonly effect: (module: string) => boolean;
}

const isCore = (module: string): boolean => /^[A-Z]\w*$/u.test(module) && !unstableModules.has(module);

const everything: Row = {
  rings: new Set(["domain", "ports", "application", "testkit", "adapter", "app"]),
  node: true,
  thirdParty: true,
  effect: () => true,
};

const table: Record<Ring, Row> = {
  domain: { rings: new Set(), node: false, thirdParty: false, effect: (module) => dataModules.has(module) },
  ports: {
    rings: new Set(["domain"]),
    node: false,
    thirdParty: false,
    effect: (module) => portModules.has(module),
  },
  application: { rings: new Set(["domain", "ports"]), node: false, thirdParty: false, effect: isCore },
  testkit: {
    rings: new Set(["domain", "ports"]),
    node: false,
    thirdParty: false,
    effect: (module) => isCore(module) || module.startsWith("testing/"),
  },
  adapter: { rings: new Set(["domain", "ports"]), node: true, thirdParty: true, effect: () => true },
  app: everything,
  example: { ...everything, rings: new Set(["domain", "ports", "application", "testkit", "adapter"]) },
  other: everything,
};

/** Packages whose row differs from their ring's: what runs in a browser has no `node:*`. */
const withoutNode = new Set(["packages/host-api"]);

export const rule: Rule = {
  id,
  title: "a module imports only what its ring may see",
  check: (repository) =>
    [...repository.modules.values()].flatMap((module) =>
      module.imports.flatMap((imported): ReadonlyArray<Violation> => {
        const owner = repository.packages.find((candidate) => candidate.name === packageName(imported.specifier));
        const target =
          owner !== undefined && owner !== module.package ? { name: owner.name, ring: owner.ring } : undefined;
        const message = refusal(module, imported, target);
        if (message === undefined || isAllowed(repository, id, module, imported.specifier)) return [];
        return [{ path: module.path, line: imported.line, message }];
      }),
    ),
};

const refusal = (
  module: Located,
  { specifier }: Import,
  target: { readonly name: string; readonly ring: Ring } | undefined,
): string | undefined => {
  if (specifier.startsWith(".")) return leavesPackage(module, specifier);
  if (module.part === "script") return undefined;
  if (specifier.split("/").includes("internal") && specifier.startsWith("@cahier/")) {
    return `${specifier} is internal to its package`;
  }
  const row = table[module.package.ring];
  if (module.package.ring === "example" && target !== undefined && !row.rings.has(target.ring)) {
    return `${target.name} is not published; an example imports what its readers can install`;
  }
  if (module.part === "test") return undeclared(module, specifier, target);
  if (target !== undefined) {
    if (module.package.ring === "other" || row.rings.has(target.ring)) return undeclared(module, specifier, target);
    return `${module.package.ring} may not import ${target.name} (${target.ring})`;
  }
  if (specifier.startsWith("node:")) {
    return row.node && !withoutNode.has(module.package.folder)
      ? undefined
      : `${module.package.folder} may not import node:*`;
  }
  if (packageName(specifier) === "effect") {
    const effectModule = specifier.slice("effect/".length);
    // The barrel has a rule of its own.
    return effectModule === "" || row.effect(effectModule)
      ? undefined
      : `${module.package.ring} may not import ${specifier}`;
  }
  if (testRunners.has(packageName(specifier))) {
    return module.path === "packages/testkit/src/vitest.ts" || module.package.ring === "other"
      ? undefined
      : "only tests and the testkit's vitest entry may import the test runner";
  }
  if (row.thirdParty) return undeclared(module, specifier, target);
  return `${module.package.ring} may import ${packageName(specifier)} only by the allow-list`;
};

const leavesPackage = (module: Located, specifier: string): string | undefined => {
  if (join(module.path, specifier).startsWith(`${module.package.folder}/`)) return undefined;
  return `${specifier} leaves the package; import it by its name`;
};

const undeclared = (
  module: Located,
  specifier: string,
  target: { readonly name: string } | undefined,
): string | undefined => {
  if (specifier.startsWith("node:")) return undefined;
  const name = target?.name ?? packageName(specifier);
  const { package: owner, part } = module;
  if (name === owner.name || owner.dependencies.has(name)) return undefined;
  if ((part === "test" || owner.ring === "other") && owner.devDependencies.has(name)) return undefined;
  return `${name} is not declared in ${owner.folder}/package.json`;
};
