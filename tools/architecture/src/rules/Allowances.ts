/**
 * The allow-list stays honest: each entry has a reason and is needed.
 */
import type { AllowedEntry, Repository } from "../Repository.ts";
import type { Rule, Violation } from "../Rule.ts";
import * as Ambient from "./Ambient.ts";
import * as ImportTable from "./ImportTable.ts";
import * as Running from "./Running.ts";

const path = "tools/architecture/allowed.json";
const rules = [ImportTable.rule, Running.rule, Ambient.rule];

export const rule: Rule = {
  id: "allowance",
  title: "every entry of the allow-list has a reason and permits something that is there",
  check: (repository) =>
    repository.allowed.flatMap((entry): ReadonlyArray<Violation> => {
      const told = `${entry.rule} for ${entry.for}: ${entry.what}`;
      if (entry.reason.trim() === "") return [{ path, message: `${told} has no reason` }];
      return isNeeded(repository, entry) ? [] : [{ path, message: `${told} permits nothing; remove it` }];
    }),
};

const isNeeded = (repository: Repository, entry: AllowedEntry): boolean => {
  const without = { ...repository, allowed: repository.allowed.filter((other) => other !== entry) };
  const checked = rules.find(({ id }) => id === entry.rule);
  return checked !== undefined && checked.check(without).length > checked.check(repository).length;
};
