/**
 * Names that say nothing are not given: to folders, files, packages, and to exports by their mechanism.
 */
import type { Rule, Violation } from "../Rule.ts";

const emptyNames = new Set(["shared", "common", "util", "utils", "types"]);

export const rule: Rule = {
  id: "name",
  title: "no folder, file or package is called shared, common, utils or types, and no export XLive or XImpl",
  check: (repository) => [
    ...repository.packages
      .filter(({ name }) => emptyNames.has(name.split("/").at(-1) ?? ""))
      .map(({ folder, name }): Violation => ({ path: folder, message: `${name} says nothing; name it by its noun` })),
    ...[...repository.modules.values()].flatMap((module) => [
      ...module.path
        .split("/")
        .map((segment) => segment.replace(/(?:\.test)?\.\w+$/u, ""))
        .filter((segment) => emptyNames.has(segment.toLowerCase()))
        .map((segment): Violation => ({ path: module.path, message: `${segment} says nothing; name it by its noun` })),
      ...module.exports
        .filter((name) => /^[A-Z]\w*(?:Live|Impl)$/u.test(name))
        .map((name): Violation => ({ path: module.path, message: `export ${name} as make or layer of its module` })),
    ]),
  ],
};
