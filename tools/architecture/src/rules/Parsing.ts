/**
 * A file that does not parse would escape every other rule.
 */
import type { Rule } from "../Rule.ts";

export const rule: Rule = {
  id: "syntax",
  title: "every source file parses",
  check: (repository) =>
    [...repository.modules.values()].flatMap(({ path, errors }) => errors.map((message) => ({ path, message }))),
};
