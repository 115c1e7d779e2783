/**
 * Every failure code is in the registry and in a test.
 */
import type { Repository } from "../Repository.ts";
import type { Rule, Violation } from "../Rule.ts";

const registry = /^packages\/domain\/src\/failure\/(?:FailureCode|codes\/\w+)\.ts$/u;
const code = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/u;

export const registered: Rule = {
  id: "code-registered",
  title: "a code that a source file states is in the registry",
  check: (repository) => {
    const known = new Set(codesOf(repository).map((entry) => entry.code));
    return [...repository.modules.values()]
      .filter((module) => module.part === "src" && module.package.ring !== "other" && !registry.test(module.path))
      .flatMap((module) =>
        module.properties.flatMap(({ key, value, line }): ReadonlyArray<Violation> =>
          key !== "code" || value === undefined || !code.test(value) || known.has(value)
            ? []
            : [{ path: module.path, line, message: `${value} is not in the registry of failure codes` }],
        ),
      );
  },
};

export const tested: Rule = {
  id: "code-tested",
  title: "every failure code is stated in a test or a law",
  check: (repository) => {
    const stated = new Set(
      [...repository.modules.values()]
        .filter((module) => module.part === "test" || module.path.startsWith("packages/testkit/src/laws/"))
        .filter((module) => module.package.ring !== "other" && module.package.ring !== "example")
        .flatMap((module) => module.text.match(/[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+/gu) ?? []),
    );
    return codesOf(repository)
      .filter((entry) => !stated.has(entry.code))
      .map((entry): Violation => ({ path: entry.path, line: entry.line, message: `no test states ${entry.code}` }));
  },
};

const codesOf = (repository: Repository) =>
  [...repository.modules.values()]
    .filter((module) => registry.test(module.path))
    .flatMap((module) =>
      module.properties
        .filter(({ key }) => code.test(key))
        .map(({ key, line }) => ({ code: key, path: module.path, line })),
    );
