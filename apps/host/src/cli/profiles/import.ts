/**
 * `cahier profiles import`: profiles of others, from their files and from presets and cards that carry some.
 *
 * Owns that each is imported for itself, and that what became of its fields is told. Does not own what they become
 * (`ProfileFile`).
 */
import { isDeepStrictEqual } from "node:util";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { ProfileIssue } from "@cahier/domain/profile/ProfileIssue";
import * as ProfileFile from "@cahier/sillytavern/profile/ProfileFile";
import type { ReportLine } from "@cahier/sillytavern/profile/ProfileReport";
import type { Embedded } from "@cahier/sillytavern/profile/Embedded";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { exitCodeOfFailure } from "../exitCode.ts";
import { lookAtTools } from "../lookAtTools.ts";
import * as Output from "../Output.ts";
import { has, invalid, type ParsedCommand, valueOf } from "../parse.ts";
import { printable } from "../printable.ts";
import { readCard, readPreset } from "../readEmbedded.ts";
import { readProfileFile } from "../readInput.ts";
import { catalogue, look, placed, put, refusal } from "./store.ts";

/** Imports what is named, or with --dry-run says what would be. Gives the worst exit code of its profiles. */
export const importFiles = Effect.fn("cli.profiles.import")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const given = yield* givenTo(command);
  const work = Effect.gen(function* () {
    const items: Array<Item> = [];
    for (const one of given) {
      const item = yield* imported(command, one);
      items.push(item);
      if (!has(command, "json")) yield* tell(item, has(command, "dry-run"));
    }
    const failures = items.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
    if (has(command, "json"))
      yield* Output.json({
        items: items.map(plainOf),
        ...(failures[0] === undefined ? {} : { error: errorOf(failures[0]) }),
      });
    else if (items.length === 0) yield* Output.line("There is no profile in what was named.");
    return Math.max(0, ...failures.map(exitCodeOfFailure));
  });
  return yield* lookAtTools(command, work);
});

/** A profile's parsed JSON or why there is none, and what a person calls its place. */
interface Given {
  readonly origin: string;
  readonly input: Result.Result<unknown, Fatal>;
}

const givenTo = Effect.fnUntraced(function* (command: ParsedCommand): Effect.fn.Return<ReadonlyArray<Given>, Fatal> {
  const [preset, card] = [valueOf(command, "preset"), valueOf(command, "card")];
  if (command.positionals.length === 0 && preset === undefined && card === undefined)
    return yield* invalid('"profiles import" needs FILE.json, --preset FILE.json or --card FILE.');
  const files = yield* Effect.forEach(command.positionals, (path) =>
    Effect.map(Effect.result(readProfileFile(path)), (input): Given => ({ origin: path, input })),
  );
  return [
    ...files,
    ...(preset === undefined ? [] : carriedBy(preset, yield* readPreset(preset))),
    ...(card === undefined ? [] : carriedBy(card, (yield* readCard(card)).embedded)),
  ];
});

const carriedBy = (path: string, { problems, profiles }: Embedded): ReadonlyArray<Given> => [
  ...profiles.map((profile): Given => ({ origin: path, input: Result.succeed(profile) })),
  ...problems
    .filter((problem) => problem.path.includes(".agentProfiles"))
    .map((problem): Given => ({
      origin: path,
      input: Result.fail(
        fatal(
          "agent.profile_contract_invalid",
          `What ${path} carries at ${problem.path} cannot be used. ${problem.note}`,
        ),
      ),
    })),
];

type Action = "imported" | "replaced" | "already_stored";

/** `action` is null where `failure` says why. */
interface Item {
  readonly origin: string;
  readonly id: string | null;
  readonly action: Action | null;
  readonly report: ReadonlyArray<ReportLine>;
  readonly issues: ReadonlyArray<ProfileIssue>;
  readonly failure?: Fatal;
}

const imported = Effect.fnUntraced(function* (command: ParsedCommand, { input, origin }: Given) {
  const none = { origin, id: null, action: null, report: [], issues: [] };
  if (Result.isFailure(input)) return { ...none, failure: input.failure } satisfies Item;
  const read = ProfileFile.read(input.success, {
    catalogue: yield* catalogue,
    keepsConnection: has(command, "keep-connection"),
  });
  const what = `The profile in ${origin} cannot be imported`;
  if (Result.isFailure(read))
    return { ...none, issues: read.failure, failure: refusal(read.failure, what) } satisfies Item;
  const { issues, profile, report } = read.success;
  const told = { origin, id: profile.id, report, issues };
  if (issues.length > 0) return { ...told, action: null, failure: refusal(issues, what) } satisfies Item;
  const done = yield* Effect.result(kept(command, profile));
  return Result.isSuccess(done)
    ? ({ ...told, action: done.success } satisfies Item)
    : ({ ...told, action: null, failure: done.failure } satisfies Item);
});

const kept = Effect.fnUntraced(function* (command: ParsedCommand, profile: ProfileFile.ReadProfile["profile"]) {
  const { id } = profile;
  const found = yield* look(id);
  const before = found === undefined ? null : "_tag" in found ? damaged : found.value;
  if (before !== null && isDeepStrictEqual(before, profile)) return "already_stored";
  if (before !== null && !has(command, "force"))
    return yield* fatal(
      "usage.invalid",
      `Another profile ${id} is stored. Give --force to replace it, or change the id in the file.`,
    );
  if (before === damaged)
    return yield* fatal("journal.corrupt", `What is stored of the profile ${id} cannot be read. Delete it before.`);
  if (!has(command, "dry-run")) yield* put(id, found === undefined || "_tag" in found ? 0 : found.revision, profile);
  return before === null ? ("imported" satisfies Action) : ("replaced" satisfies Action);
});

const damaged = Symbol("damaged");

const errorOf = ({ message, reason }: Fatal) => ({ code: reason.code, message });

const plainOf = ({ failure, ...item }: Item) => (failure === undefined ? item : { ...item, error: errorOf(failure) });

const tell = Effect.fnUntraced(function* ({ action, failure, id, issues, origin, report }: Item, isPreview: boolean) {
  if (failure !== undefined) {
    const { message, reason } = failure;
    yield* Output.complain(message.includes(origin) ? message : `${origin}: ${message}`, reason.code);
  }
  const said = [
    ...(action === null ? [] : [`${id ?? ""}: ${(isPreview ? plans : deeds)[action]} (from ${origin})`]),
    ...report.filter(({ action: what, note }) => what !== "kept" || note !== "").map(reportText),
    ...(issues.length > 1 ? issues.map((found) => `  ${placed(found)} [${found.code}]`) : []),
  ];
  yield* Effect.forEach(said, (text) => Output.line(indented(text)), { discard: true });
});

const reportText = ({ action, note, path }: ReportLine): string =>
  `  ${action} ${path}${note === "" ? "" : `: ${note}`}`;

const indented = (text: string): string => `${/^ */.exec(text)?.[0] ?? ""}${printable(text)}`;

const deeds: { readonly [Each in Action]: string } = {
  imported: "imported",
  replaced: "imported in place of the one before",
  already_stored: "stored already as it is",
};

const plans: { readonly [Each in Action]: string } = {
  imported: "would be imported",
  replaced: "would be imported in place of the one before",
  already_stored: "is stored already as it is",
};
