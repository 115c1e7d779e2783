/**
 * Effects are run at the edge of the program, once.
 */
import { isAllowed, type Located } from "../Repository.ts";
import type { Rule, Violation } from "../Rule.ts";

const id = "effect-run";

/** The program's entry with the part that it loads late, and programs that tests start as processes of their own. */
const edge =
  /^(?:apps\/host\/src\/(?:main|runtime)\.ts|examples\/[^/]+\/src\/main\.ts|(?:packages|apps)\/[^/]+\/test\/(?:programs|processes)\/.*)$/u;

export const rule: Rule = {
  id,
  title: "Effect.run* stands in the entry of a program and nowhere else",
  check: (repository) =>
    [...repository.modules.values()]
      .filter((module) => module.package.ring !== "other" && !edge.test(module.path))
      .filter((module) => !isAllowed(repository, id, module, "Effect.run"))
      .flatMap(runs),
};

const runs = (module: Located): ReadonlyArray<Violation> => {
  const namespaces = namesOf(module, (specifier, name) => /^effect(?:\/Effect)?$/u.test(specifier) && name !== "type");
  const mains = namesOf(module, (specifier) => /\/(?:Node|Bun)Runtime$/u.test(specifier));
  return [
    ...module.members
      .filter(
        ({ object, property }) =>
          (namespaces.has(object) && /^run[A-Z]/u.test(property)) || (mains.has(object) && property === "runMain"),
      )
      .map(({ object, property, line }): Violation => ({
        path: module.path,
        line,
        message: `${object}.${property} belongs to the program's entry; return the effect instead`,
      })),
    ...module.imports
      .filter(({ specifier }) => specifier === "effect/Effect")
      .flatMap(({ locals, line }) =>
        [...locals.values()]
          .filter((name) => /^run[A-Z]/u.test(name))
          .map((name): Violation => ({ path: module.path, line, message: `${name} belongs to the program's entry` })),
      ),
  ];
};

const namesOf = (module: Located, matches: (specifier: string, name: string) => boolean): ReadonlySet<string> =>
  new Set(
    module.imports.flatMap(({ specifier, locals }) =>
      [...locals].filter(([, name]) => matches(specifier, name)).map(([local]) => local),
    ),
  );
