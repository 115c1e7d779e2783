/**
 * `cahier skills install`: packages from folders, archives, addresses, presets and cards.
 *
 * Owns that each package is installed for itself and told of for itself: what one meets keeps no other from being installed.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { SkillPackage, SkillWarning } from "@cahier/domain/skill/Skill";
import type { FileChange } from "@cahier/application/skill/compareSkills";
import * as Skills from "@cahier/application/skill/Skills";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Downloads from "../../composition/Downloads.ts";
import * as Candidate from "../../skills/Candidate.ts";
import { writeScope } from "../../skills/scopeText.ts";
import { exitCodeOfFailure } from "../exitCode.ts";
import { look } from "../look.ts";
import * as Output from "../Output.ts";
import { has, invalid, type ParsedCommand, valueOf } from "../parse.ts";
import { printable } from "../printable.ts";
import { readCard, readPreset } from "../readEmbedded.ts";
import { onConflict, statedScope } from "./options.ts";
import { changeWords, warningLine } from "./plain.ts";

/** Installs what is named, or with --dry-run says what would be. Gives the worst exit code of its packages. */
export const install = Effect.fn("cli.skills.install")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const candidates = yield* candidatesOf(command);
  const decision = yield* onConflict(command);
  const work = Effect.gen(function* () {
    const store = yield* Skills.make;
    const outcomes: Array<Outcome> = [];
    for (const candidate of candidates) {
      const done = yield* Effect.result(
        Effect.flatMap(candidate.read, (read) =>
          has(command, "dry-run")
            ? previewed(store, candidate, read, decision)
            : installed(store, candidate, read, decision),
        ),
      );
      const outcome: Outcome = { candidate, done };
      outcomes.push(outcome);
      if (!has(command, "json")) yield* tell(outcome, has(command, "dry-run"));
    }
    const failures = outcomes.flatMap(({ done }) => (Result.isFailure(done) ? [done.failure] : []));
    if (has(command, "json"))
      yield* Output.json({
        items: outcomes.map(itemOf),
        ...(failures[0] === undefined ? {} : { error: errorOf(failures[0]) }),
      });
    else if (outcomes.length === 0) yield* Output.line("There is no Skill in what was named.");
    return Math.max(0, ...failures.map(exitCodeOfFailure));
  });
  return yield* look(command, work.pipe(Effect.provide(Downloads.layer)));
});

const candidatesOf = Effect.fnUntraced(function* (
  command: ParsedCommand,
): Effect.fn.Return<ReadonlyArray<Candidate.Candidate>, Fatal> {
  const scope = yield* statedScope(command);
  const [preset, card] = [valueOf(command, "preset"), valueOf(command, "card")];
  if (command.positionals.length === 0 && preset === undefined && card === undefined)
    return yield* invalid('"skills install" needs a folder, an archive, an address, --preset FILE or --card FILE.');
  if (command.positionals.includes("-"))
    return yield* invalid("A Skill is more than one text, so it is not read from standard input. Name its folder.");
  const named = yield* Effect.forEach(command.positionals, (word) => Candidate.ofWord(word, scope));
  return [
    ...named.flat(),
    ...(preset === undefined ? [] : Candidate.ofPreset(preset, yield* readPreset(preset), scope)),
    ...(card === undefined ? [] : Candidate.ofCard(card, yield* readCard(card), scope)),
  ];
});

/** `action` is null where nothing can be done without a decision. */
interface Done {
  readonly name: string;
  readonly hash: string;
  readonly action: Skills.Installation["action"] | null;
  readonly changes: ReadonlyArray<FileChange>;
  readonly warnings: ReadonlyArray<SkillWarning>;
}

interface Outcome {
  readonly candidate: Candidate.Candidate;
  readonly done: Result.Result<Done, Fatal>;
}

const installed = Effect.fnUntraced(function* (
  store: Skills.Skills,
  { scope, source }: Candidate.Candidate,
  read: SkillPackage,
  decision: Skills.OnConflict | undefined,
): Effect.fn.Return<Done, Fatal> {
  const { action, skill } = yield* store.install(read, {
    scope,
    source,
    ...(decision === undefined ? {} : { onConflict: decision }),
  });
  return { name: skill.manifest.name, hash: skill.hash, action, changes: [], warnings: read.warnings };
});

const previewed = Effect.fnUntraced(function* (
  store: Skills.Skills,
  { scope }: Candidate.Candidate,
  read: SkillPackage,
  decision: Skills.OnConflict | undefined,
): Effect.fn.Return<Done, Fatal> {
  const { changes = [], conflict, hash, name } = yield* store.preview(read, scope);
  return { name, hash, action: actionOn(conflict, decision), changes, warnings: read.warnings };
});

const actionOn = (conflict: Skills.Preview["conflict"], decision: Skills.OnConflict | undefined): Done["action"] => {
  if (conflict === "new") return "installed";
  if (conflict === "same") return "already_installed";
  if (decision === undefined) return null;
  return decision === "skip" ? "skipped" : "replaced";
};

const itemOf = ({ candidate: { origin, scope }, done }: Outcome) =>
  Result.isSuccess(done)
    ? { origin, scope: writeScope(scope), ...done.success }
    : { origin, scope: writeScope(scope), error: errorOf(done.failure), changes: changesIn(done.failure) };

const errorOf = ({ message, reason }: Fatal) => ({ code: reason.code, message });

/** What a refusal says to differ. */
const changesIn = ({ reason: { details } }: Fatal): ReadonlyArray<FileChange> => {
  const changes = details?.["changes"];
  return Array.isArray(changes) ? (changes as ReadonlyArray<FileChange>) : [];
};

const tell = Effect.fnUntraced(function* ({ candidate: { origin, scope }, done }: Outcome, isPreview: boolean) {
  if (Result.isFailure(done)) {
    const { message, reason } = done.failure;
    yield* Output.complain(message.includes(origin) ? message : `${origin}: ${message}`, reason.code);
    yield* Effect.forEach(changesIn(done.failure).map(changeLine), Output.line, { discard: true });
    if (reason.code === "skill.conflict") yield* Output.line("  Give --on-conflict replace or --on-conflict skip.");
    return;
  }
  const { action, changes, name, warnings } = done.success;
  const said = (isPreview ? plans : deeds)[action ?? "undecided"];
  const lines = [
    printable(`${name}: ${said} (${writeScope(scope)}, from ${origin})`),
    ...changes.map(changeLine),
    ...warnings.map(warningLine),
  ];
  yield* Effect.forEach(lines, Output.line, { discard: true });
});

const changeLine = ({ change, path }: FileChange): string => `  ${printable(`${changeWords[change]}  ${path}`)}`;

const undecided = "another one is installed; give --on-conflict replace or skip";

const deeds: Readonly<Record<Skills.Installation["action"] | "undecided", string>> = {
  installed: "installed",
  replaced: "installed in place of the one before",
  already_installed: "installed already",
  skipped: "left out, another one stays",
  undecided,
};

const plans: Readonly<Record<Skills.Installation["action"] | "undecided", string>> = {
  installed: "would be installed",
  replaced: "would be installed in place of another one",
  already_installed: "is installed already",
  skipped: "would be left out, another one stays",
  undecided,
};
