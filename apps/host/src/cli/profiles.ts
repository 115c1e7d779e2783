/**
 * `cahier profiles list|show|save|delete`: the stored profiles of agents.
 *
 * Owns what is said of them. Does not own what a profile may say (`domain/profile`) nor using one (`findProfile`).
 */
import { findProfile, profilesCollection } from "@cahier/application/profile/findProfile";
import { classifyStorage } from "@cahier/application/failure/classifyStorage";
import { Tools } from "@cahier/application/tool/Tools";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { checkProfile } from "@cahier/domain/profile/checkProfile";
import * as Profile from "@cahier/domain/profile/Profile";
import { issue, type ProfileIssue } from "@cahier/domain/profile/ProfileIssue";
import { checkReadiness, type ProfilePurpose } from "@cahier/domain/profile/resolveProfile";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type * as Schema from "effect/Schema";
import { lookAtTools } from "./lookAtTools.ts";
import * as Output from "./Output.ts";
import { has, type ParsedCommand } from "./parse.ts";
import { printable } from "./printable.ts";
import { readProfileFile } from "./readInput.ts";
import { table } from "./table.ts";

/** Every stored profile, and what keeps one from being used. */
export const list = Effect.fn("cli.profiles.list")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const work = Effect.gen(function* () {
    const documents = yield* DocumentStore;
    const found = yield* documents.list(profilesCollection).pipe(Effect.mapError(classifyStorage));
    const profiles = yield* Effect.forEach(found.documents, ({ id, revision, value }) => rowOf(id, revision, value));
    const unreadable = found.damaged
      .map((fault) => classifyStorage(fault))
      .map(({ message, reason }) => ({ code: reason.code, message }));
    if (has(command, "json")) yield* Output.json({ profiles, unreadable });
    else if (profiles.length + unreadable.length === 0)
      yield* Output.line("No profile is stored; cahier profiles save FILE.json stores one.");
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
    for (const found of issues) yield* Output.line(printable(`${placed(found)} [${found.code}]`));
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Stores a profile in place of the one with its id; one that breaks a rule is refused and changes nothing. */
export const save = Effect.fn("cli.profiles.save")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [path = ""] = command.positionals;
  const input = yield* readProfileFile(path);
  const work = Effect.gen(function* () {
    const documents = yield* DocumentStore;
    const profile = yield* Effect.fromResult(Result.mapError(Profile.decode(input), refusal));
    const issues = yield* issuesOf(input, profile.id);
    if (issues.length > 0) return yield* refusal(issues);
    const before = yield* documents.get(profilesCollection, profile.id).pipe(
      Effect.map(({ revision }) => revision),
      Effect.catchTag("NotFound", () => Effect.succeed(0)),
      Effect.mapError(classifyStorage),
    );
    const revision = yield* documents
      .put(profilesCollection, profile.id, before, input as Schema.Json)
      .pipe(Effect.mapError(classifyStorage));
    if (has(command, "json")) yield* Output.json({ id: profile.id, revision });
    else yield* Output.line(`${profile.id} is stored${before === 0 ? "" : " in place of the one before"}.`);
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Removes a profile. Runs that have it keep it: it is frozen with them. */
export const remove = Effect.fn("cli.profiles.delete")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const work = Effect.gen(function* () {
    const documents = yield* DocumentStore;
    yield* stored(id);
    yield* documents.remove(profilesCollection, id).pipe(Effect.mapError(classifyStorage));
    yield* has(command, "json") ? Output.json({ deleted: id }) : Output.line(`${id} is deleted.`);
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

const stored = Effect.fnUntraced(function* (id: string) {
  const documents = yield* DocumentStore;
  const none = fatal(
    "agent.profile_not_found",
    `No profile "${id}" is stored; "cahier profiles list" names those that are.`,
  );
  if (!/^[a-z0-9_-]{1,128}$/.test(id)) return yield* none;
  return yield* documents.get(profilesCollection, id).pipe(
    Effect.catchTag("NotFound", () => Effect.fail(none)),
    Effect.mapError((fault) => (fault._tag === "Fatal" ? fault : classifyStorage(fault))),
  );
});

/** What is wrong with a profile that is kept under an id, whatever it is to be used for. */
const issuesOf = Effect.fnUntraced(function* (value: unknown, id: string) {
  const decoded = Profile.decode(value);
  if (Result.isFailure(decoded)) return decoded.failure;
  const { catalog } = yield* Tools;
  const complete = withDefaults(decoded.success);
  const broken = checkProfile(complete, { catalogue: catalog.map(({ descriptor }) => descriptor) });
  return complete.id === id
    ? broken
    : [issue("agent.profile_contract_invalid", ["id"], `It is kept as ${id}; save it anew.`), ...broken];
});

const refusal = (issues: ReadonlyArray<ProfileIssue>): Fatal => {
  const [first, ...others] = issues;
  if (first === undefined) return fatal("agent.profile_contract_invalid", "The profile cannot be stored.");
  const more = others.length === 0 ? "" : ` ${others.length} more: ${others.map(({ code }) => code).join(", ")}.`;
  return fatal(first.code, `The profile cannot be stored; correct it: ${placed(first)}${more}`, {
    details: { issues: issues.map(({ code, path, message }) => ({ code, path, message })) },
  });
};

const placed = ({ message, path }: ProfileIssue): string => (path === "" ? message : `${message} (${path})`);

/** A line of JSON with its indent, which cannot command the terminal. */
const visible = (line: string): string => `${/^ */.exec(line)?.[0] ?? ""}${printable(line.trimStart())}`;
