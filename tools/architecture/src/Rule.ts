/**
 * The form of a rule and of what breaks it.
 */
import type { Repository } from "./Repository.ts";

/** Where a rule is broken and how, in a sentence that says what to do. */
export interface Violation {
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

/** A pure check over the whole repository. The title is a sentence. */
export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly check: (repository: Repository) => ReadonlyArray<Violation>;
}

/** One line of text a person can click: `path:line rule: message`. */
export const format = (rule: Rule, { path, line, message }: Violation): string =>
  `${path}${line === undefined ? "" : `:${line}`} ${rule.id}: ${message}`;
