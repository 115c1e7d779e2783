/**
 * The page about the stable codes of failures, from the registry.
 */
import type { FailureEntry } from "@cahier/domain/failure/FailureCode";
import * as Page from "./Page.ts";

/** The codes of one part of the registry, under the sentence that its file begins with. */
export interface CodeGroup {
  readonly title: string;
  readonly codes: { readonly [code: string]: FailureEntry };
}

const lead = [
  "Every failure is one sentence and a code in square brackets, such as `There is no run with this id. [agent.run_not_found]`. Sentences get better from version to version; codes stay, so programs compare codes. The words before the dot name what the failure is about.",
  'In a link a code is an anchor: `error-codes.md#workspace.patch_stale_file`. "Ends" says who has to do something about it:',
  [
    "- **the model**: the failure is the result of a tool call. The model reads it, and the run goes on.",
    "- **policy**: somebody's rules, or the person who was asked, said no. The model reads it, or the run ends, as the profile says.",
    "- **the run**: the run stops with this code.",
    "- **the caller**: nothing was started, or what was asked of a run was not done.",
  ].join("\n"),
];

/** The page; codes in alphabetical order within their group. */
export const errorCodesPage = (groups: ReadonlyArray<CodeGroup>): Promise<Page.Page> =>
  Page.make("docs/reference/error-codes.md", "Codes of failures", [...lead, ...groups.flatMap(sectionOf)]);

const sectionOf = ({ codes, title }: CodeGroup): ReadonlyArray<string> => [
  `## ${title}`,
  Page.table(
    ["code", "ends", "meaning, or what to do"],
    Object.entries(codes)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([code, entry]) => [
        `${Page.anchor(code)}${Page.code(code)}`,
        ends[entry.class],
        [entry.meaning, ...hintsOf(entry)].join(" "),
      ]),
  ),
];

const ends = { recoverable: "the model", denied: "policy", fatal: "the run", host: "the caller" } as const;

const hintsOf = (entry: FailureEntry): ReadonlyArray<string> => [
  ...(entry.retryable === true ? ["The same request may succeed later."] : []),
  ...(entry.userRetryable === true ? ["Trying the run again may help."] : []),
];
