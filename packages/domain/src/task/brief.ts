/**
 * What an agent is told of work that another one gives to it, in Markdown.
 *
 * Owns the checks of what was stated and its rendering. Texts speak to whoever reads them and name nothing of the runtime.
 */
import type * as Schema from "effect/Schema";
import * as TextMetrics from "../workspace/TextMetrics.ts";

/** Most characters of each text of a task or a handoff. */
export const longestText = 8000;

/** What was stated: an objective and whatever else. */
export type Stated = { readonly [key: string]: Schema.Json };

/** What is wrong with what was stated, as a sentence; nothing when it can be given. `where` is the name of the argument. */
export const flawOf = (where: string, stated: Stated): string | undefined => {
  const { objective, title } = stated;
  if (typeof objective !== "string" || objective.trim() === "")
    return `${where}.objective must say what is to be done: it is empty.`;
  if (title !== undefined && typeof title !== "string") return `${where}.title must be text.`;
  return tooLong(where, stated);
};

const tooLong = (where: string, value: Schema.Json): string | undefined => {
  if (typeof value === "string") {
    if (value.length <= longestText) return undefined;
    const { chars } = TextMetrics.measure(value);
    return chars <= longestText
      ? undefined
      : `${where} has ${chars} characters; at most ${longestText} are taken. Put long material into a file and name its path.`;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const flaw = tooLong(Array.isArray(value) ? `${where}[${key}]` : `${where}.${key}`, part);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
};

/** The brief of a delegated task. `returnTool` is what its agent calls the tool that ends it. */
export const taskBrief = (stated: Stated, returnTool: string): string =>
  [
    "# Your Task",
    ...sections(stated, [
      ["title", "Title"],
      ["objective", "Objective"],
      ["context", "Context"],
      ["expectedOutput", "Expected Output"],
    ]),
    "## Working Notes",
    [
      "- Another agent gave you this task and goes on with its own work meanwhile. Do what is asked here and nothing else; you do not publish anything.",
      "- Paths are those of the workspace that you share: use them as they are written here.",
      `- When you are done, or cannot be, call ${returnTool} as the last call of its turn. What you put into it is all that the other agent gets; text that you answer without a tool call is lost.`,
    ].join("\n"),
  ].join("\n\n");

/** The brief of whoever takes another agent's place. `notes` say what has been done by then and how the work ends. */
export const handoffBrief = (stated: Stated, notes: ReadonlyArray<string>): string =>
  [
    "# Handoff Brief",
    ...sections(stated, [
      ["title", "Title"],
      ["reason", "Reason"],
      ["objective", "Objective"],
      ["contextSummary", "Context Summary"],
      ["workspaceRefs", "Workspace References"],
      ["mustPreserve", "Must Preserve"],
      ["completionCriteria", "Completion Criteria"],
    ]),
    "## Working Notes",
    notes.map((note) => `- ${note}`).join("\n"),
  ].join("\n\n");

/** Sections in their order, then everything else that was stated. */
const sections = (
  stated: Stated,
  named: ReadonlyArray<readonly [key: string, heading: string]>,
): ReadonlyArray<string> => {
  const known = new Set(named.map(([key]) => key));
  const others = Object.entries(stated).filter(([key, value]) => !known.has(key) && !isEmpty(value));
  return [
    ...named.flatMap(([key, heading]) => {
      const value = stated[key];
      return value === undefined || isEmpty(value) ? [] : [`## ${heading}\n\n${markdown(value)}`];
    }),
    ...(others.length === 0 ? [] : [`## Additional Instructions\n\n${markdown(Object.fromEntries(others))}`]),
  ];
};

const isEmpty = (value: Schema.Json): boolean =>
  value === null ||
  (typeof value === "string" && value.trim() === "") ||
  (typeof value === "object" && Object.keys(value).length === 0);

/** A value as Markdown: text as it is, lists and objects as lists. */
export const markdown = (value: Schema.Json, indent = ""): string => {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\n", `\n${indent}`);
  if (typeof value !== "object" || value === null) return String(value);
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return value
      .map((part: Schema.Json) => `- ${isNested(part) ? `\n${inner}` : ""}${markdown(part, inner)}`)
      .join(`\n${indent}`);
  return Object.entries(value)
    .map(([key, part]) => `- **${key.toWellFormed()}**:${isNested(part) ? `\n${inner}` : " "}${markdown(part, inner)}`)
    .join(`\n${indent}`);
};

const isNested = (value: Schema.Json): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;
