/**
 * How long a file may be: sources aim at 200 lines.
 */
import type { Rule, Violation } from "../Rule.ts";

const sourceEnd = 400;
const testEnd = 700;

export const rule: Rule = {
  id: "size",
  title: `a source file ends at ${sourceEnd} lines, a test file at ${testEnd}`,
  check: (repository) =>
    [...repository.modules.values()].flatMap(({ path, lines, part }): ReadonlyArray<Violation> => {
      const end = part === "test" ? testEnd : sourceEnd;
      if (lines <= end || path.includes(".generated.") || path.endsWith("/src/index.ts")) return [];
      return [{ path, message: `has ${lines} lines; split it, the end is ${end}` }];
    }),
};
