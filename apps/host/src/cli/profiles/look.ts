/**
 * `cahier profiles list|show|export`: the stored profiles of agents, looked at and given to others.
 *
 * Owns what is said of them. Does not own what a profile may say (`domain/profile`) nor using one (`findProfile`).
 */
import { findProfile } from "@cahier/application/profile/findProfile";
import { classifyStorage } from "@cahier/application/failure/classifyStorage";
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Profile from "@cahier/domain/profile/Profile";
import type { ProfileIssue } from "@cahier/domain/profile/ProfileIssue";
import { checkReadiness, type ProfilePurpose } from "@cahier/domain/profile/resolveProfile";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import * as ProfileFile from "@cahier/sillytavern/profile/ProfileFile";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { lookAtTools } from "../lookAtTools.ts";
import * as Output from "../Output.ts";
import { has, invalid, type ParsedCommand } from "../parse.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";
import { writeOut } from "../writeOut.ts";
import { all, issuesOf, placed, refusal, stored } from "./store.ts";

/** Every stored profile, and what keeps one from being used. */
export const list = Effect.fn("cli.profiles.list")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const work = Effect.gen(function* () {
    const found = yield* all();
    const profiles = yield* Effect.forEach(found.documents, ({ id, revision, value }) => rowOf(id, revision, value));
    const unreadable = found.damaged
      .map((fault) => classifyStorage(fault))
      .map(({ message, reason }) => ({ code: reason.code, message }));
    if (has(command, "json")) yield* Output.json({ profiles, unreadable });
    else if (profiles.length + unreadable.length === 0)
      yield* Output.line(
        "No profile is stored; cahier profiles new ID makes one, cahier profiles save FILE.json stores one.",
      );
    else yield* Effect.forEach(linesOf(profiles), Output.line, { discard: true });
    if (!has(command, "json"))
      for (const { code, message } of unreadable) yield* Output.line(printable(`${message} [${code}]`));
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** One profile as it is stored. */
export const show = Effect.fn("cli.profiles.show")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const work = Effect.gen(function* () {
    const { revision, value } = yield* stored(id);
    const issues = yield* issuesOf(value, id);
    if (has(command, "json")) {
      yield* Output.json({ profile: value, revision, issues });
      return 0;
    }
    for (const line of JSON.stringify(value, null, 2).split("\n")) yield* Output.line(visible(line));
    // Standard output is the document alone, so that it can be written to a file.
    for (const found of issues) yield* Output.complain(placed(found), found.code);
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Writes a profile for others, to a file or to standard output: the model that it names is left to whoever imports it. */
export const exportOne = Effect.fn("cli.profiles.export")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [id = "", path] = command.positionals;
  if (path === undefined && has(command, "force")) return yield* invalid("--force needs FILE.");
  const work = Effect.gen(function* () {
    const { value } = yield* stored(id);
    const profile = yield* Effect.fromResult(
      Result.mapError(Profile.decode(value), (issues) => refusal(issues, `The profile ${id} cannot be exported`)),
    );
    const portable = ProfileFile.portable(profile);
    const isChanged = portable !== profile;
    if (path !== undefined) yield* writeOut(path, ProfileFile.write(profile), { replaces: has(command, "force") });
    if (has(command, "json"))
      yield* Output.json({ id, file: path ?? null, profile: portable, requiresConfiguration: isChanged });
    else if (path === undefined) yield* Output.raw(ProfileFile.write(profile));
    else
      yield* Output.line(
        printable(
          `${id} is written to ${path}.${isChanged ? " Its connection is left out: whoever imports it chooses a model." : ""}`,
        ),
      );
    return 0;
  });
  return yield* lookAtTools(command, work);
});

interface Row {
  readonly id: string;
  readonly revision: number;
  readonly displayName: string | null;
  /** What a run or another agent may use it for. */
  readonly uses: ReadonlyArray<"run" | "task" | "handoff">;
  /** What keeps it from being used as its delegation says that it may be. */
  readonly lacks: ReadonlyArray<ProfileIssue & { readonly for: "task" | "handoff" }>;
  readonly issues: ReadonlyArray<ProfileIssue>;
}

const rowOf = Effect.fnUntraced(function* (id: string, revision: number, value: unknown) {
  const decoded = Profile.decode(value);
  const issues = yield* issuesOf(value, id);
  if (Result.isFailure(decoded) || issues.length > 0)
    return { id, revision, displayName: null, uses: [], lacks: [], issues } satisfies Row;
  const profile = withDefaults(decoded.success);
  const { delegation, displayName } = profile;
  const offered = [
    ...(delegation.callable && delegation.allowAsSubagent ? (["task"] as const) : []),
    ...(delegation.callable && delegation.allowAsHandoffTarget ? (["handoff"] as const) : []),
  ];
  const lacks = offered.flatMap((use) =>
    Array.from(checkReadiness(profile, purposes[use]), (found) => ({ ...found, for: use })),
  );
  const direct = yield* Effect.result(findProfile({ id }));
  const uses: Row["uses"] = [
    ...(Result.isSuccess(direct) ? (["run"] as const) : []),
    ...offered.filter((use) => !lacks.some((lack) => lack.for === use)),
  ];
  return { id, revision, displayName, uses, lacks, issues } satisfies Row;
});

/** What a profile is made ready as when another agent calls it. */
const purposes = { task: "subagent", handoff: "handoff" } as const satisfies Record<string, ProfilePurpose>;

const linesOf = (profiles: ReadonlyArray<Row>): ReadonlyArray<string> => [
  ...table(
    ["PROFILE", "FOR", "NAME"],
    profiles.map(({ displayName, id, issues, uses }) => [
      id,
      issues.length > 0 ? "not usable" : uses.join(", "),
      printable(displayName ?? ""),
    ]),
  ),
  ...profiles.flatMap(({ id, issues, lacks }) => [
    ...issues.map((found) => printable(`${id}: ${placed(found)} [${found.code}]`)),
    ...lacks.map((found) => printable(`${id}, not for ${found.for}: ${placed(found)} [${found.code}]`)),
  ]),
];

/** A line of JSON with its indent, which cannot command the terminal. */
const visible = (line: string): string => `${/^ */.exec(line)?.[0] ?? ""}${printable(line.trimStart())}`;
