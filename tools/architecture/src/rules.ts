/**
 * Every rule, in the order in which a reader wants to hear of it.
 */
import type { Repository } from "./Repository.ts";
import { format, type Rule } from "./Rule.ts";
import * as Allowances from "./rules/Allowances.ts";
import * as Ambient from "./rules/Ambient.ts";
import * as Barrels from "./rules/Barrels.ts";
import * as Codes from "./rules/Codes.ts";
import * as Cycles from "./rules/Cycles.ts";
import * as ImportTable from "./rules/ImportTable.ts";
import * as Names from "./rules/Names.ts";
import * as Parsing from "./rules/Parsing.ts";
import * as Ports from "./rules/Ports.ts";
import * as Running from "./rules/Running.ts";
import * as Sizes from "./rules/Sizes.ts";

export const rules: ReadonlyArray<Rule> = [
  Parsing.rule,
  ImportTable.rule,
  Barrels.rule,
  Cycles.rule,
  Running.rule,
  Ambient.rule,
  Ports.shape,
  Ports.laws,
  Ports.conformance,
  Codes.registered,
  Codes.tested,
  Sizes.rule,
  Names.rule,
  Allowances.rule,
];

/** What breaks the given rules, one line each. */
export const violations = (repository: Repository, chosen: ReadonlyArray<Rule> = rules): ReadonlyArray<string> =>
  chosen.flatMap((rule) => rule.check(repository).map((violation) => format(rule, violation)));
