/**
 * Modules are imported by their own path: a barrel makes everything behind it load.
 */
import { packageName } from "../Repository.ts";
import type { Rule, Violation } from "../Rule.ts";

const barrelPackages = new Set(["effect", "@effect/platform-node"]);

export const rule: Rule = {
  id: "barrel",
  title: "inside the repository the module is imported, not the barrel",
  check: (repository) =>
    [...repository.modules.values()]
      .filter((module) => !(module.path.endsWith("/src/index.ts") && module.package.folder.startsWith("packages/")))
      .flatMap((module) =>
        module.imports.flatMap(({ specifier, line }): ReadonlyArray<Violation> =>
          isBarrel(specifier) ? [{ path: module.path, line, message: `import the module behind ${specifier}` }] : [],
        ),
      ),
};

const isBarrel = (specifier: string): boolean => {
  if (specifier.startsWith(".")) return /(?:^|\/)index(?:\.\w+)?$/u.test(specifier);
  if (specifier.startsWith("@cahier/")) return specifier === packageName(specifier) || specifier.endsWith("/index");
  // `effect/http` is the barrel of a family, `effect/http/HttpClient` a module.
  return barrelPackages.has(specifier) || /^effect\/[a-z][\w-]*$/u.test(specifier);
};
