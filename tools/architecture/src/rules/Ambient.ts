/**
 * Time, randomness and the process enter the core as arguments or services, never as globals.
 */
import { isAllowed, type Located, type Ring } from "../Repository.ts";
import type { Rule, Violation } from "../Rule.ts";

const id = "ambient";
const core: ReadonlySet<Ring> = new Set<Ring>(["domain", "ports", "application"]);

const forbidden = new Map<string, ReadonlySet<string> | "all">([
  ["process", "all"],
  ["crypto", "all"],
  ["performance", "all"],
  ["console", "all"],
  ["Date", new Set(["now"])],
  ["Math", new Set(["random"])],
  ["globalThis", new Set(["process", "crypto", "performance", "console", "Date", "fetch", "setTimeout"])],
]);

export const rule: Rule = {
  id,
  title: "domain, ports and application read no clock, no randomness, no environment and no process",
  check: (repository) =>
    [...repository.modules.values()]
      .filter((module) => module.part === "src" && core.has(module.package.ring))
      .flatMap((module) =>
        reads(module)
          .filter(({ what }) => !isAllowed(repository, id, module, what))
          .map(({ what, line }) => ({
            path: module.path,
            line,
            message: `${what} is a global; take it as an argument or from a service`,
          })),
      )
      .map((violation): Violation => violation),
};

const reads = (module: Located): ReadonlyArray<{ readonly what: string; readonly line: number }> => {
  const own = new Set([...module.declared, ...module.imports.flatMap(({ locals }) => [...locals.keys()])]);
  return [
    ...module.members
      .filter(({ object }) => !own.has(object))
      .filter(({ object, property }) => {
        const properties = forbidden.get(object);
        return properties === "all" || (properties?.has(property) ?? false);
      })
      .map(({ object, property, line }) => ({ what: `${object}.${property}`, line })),
    ...module.clockReads.map((line) => ({ what: "new Date()", line })),
  ];
};
