/**
 * `cahier skills list|show|export`: the installed Skills, looked at and given to others.
 */
import * as SkillArchive from "@cahier/agent-skills/SkillArchive";
import * as SkillExport from "@cahier/agent-skills/SkillExport";
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import * as Skills from "@cahier/application/skill/Skills";
import * as Effect from "effect/Effect";
import { refusalOf } from "../../skills/Candidate.ts";
import { writeScope } from "../../skills/scopeText.ts";
import { look } from "../look.ts";
import * as Output from "../Output.ts";
import { has, type ParsedCommand } from "../parse.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";
import { writeOut } from "../writeOut.ts";
import { scopeOrGlobal, statedScope } from "./options.ts";
import { briefOf, warningLine, wholeOf } from "./plain.ts";

/** Every installed Skill, or those of one scope; an entry that cannot be read is told of and hides no other. */
export const list = Effect.fn("cli.skills.list")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const scope = yield* statedScope(command);
  const work = Effect.gen(function* () {
    const store = yield* Skills.make;
    const listed = yield* store.list(scope);
    const skills = listed.skills.map(briefOf);
    const damaged = listed.damaged.map(({ failure, id }) => ({
      id,
      error: { code: failure.reason.code, message: failure.message },
    }));
    if (has(command, "json")) {
      yield* Output.json({ skills, damaged });
      return 0;
    }
    if (skills.length + damaged.length === 0)
      yield* Output.line("No Skill is installed here; cahier skills install FOLDER installs one.");
    if (skills.length > 0) yield* lines(table(heads, skills.map(rowOf), columns()));
    yield* lines(damaged.map(({ error }) => printable(`${error.message} [${error.code}]`)));
    return 0;
  });
  return yield* look(command, work);
});

/** One installed Skill: what it says of itself, its files, where it came from and what is odd about it. */
export const show = Effect.fn("cli.skills.show")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [name = ""] = command.positionals;
  const scope = yield* scopeOrGlobal(command);
  const work = Effect.gen(function* () {
    const store = yield* Skills.make;
    const { skill } = yield* store.read(scope, name);
    const whole = wholeOf(skill);
    if (has(command, "json")) {
      yield* Output.json({ skill: whole });
      return 0;
    }
    const { manifest } = whole;
    yield* lines(
      [
        `${manifest.name}  ${whole.scope}`,
        manifest.description,
        ...(manifest.license === undefined ? [] : [`license  ${manifest.license}`]),
        ...(manifest.compatibility === undefined ? [] : [`needs  ${manifest.compatibility}`]),
        `installed  ${whole.installedAt}`,
        ...whole.sources.map(({ source }) => `from  ${source}`),
        `hash  ${whole.hash}`,
        ...whole.files.map(({ bytes, path }) => `file  ${path}  ${bytes} bytes`),
      ].map(printable),
    );
    yield* lines(whole.warnings.map(warningLine));
    return 0;
  });
  return yield* look(command, work);
});

/** Writes an installed Skill as an archive, which gives the same Skill where it is installed. Tells what breaks the format. */
export const exportOne = Effect.fn("cli.skills.export")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [name = "", stated] = command.positionals;
  const scope = yield* scopeOrGlobal(command);
  const path = stated ?? `${name}.zip`;
  const work = Effect.gen(function* () {
    const store = yield* Skills.make;
    const found = yield* store.package(scope, name);
    const archive = yield* Effect.mapError(SkillArchive.write(found), refusalOf);
    const warnings = SkillExport.check(found);
    yield* writeOut(path, archive, { replaces: has(command, "force") });
    if (has(command, "json"))
      yield* Output.json({
        name,
        scope: writeScope(scope),
        file: path,
        bytes: archive.length,
        sha256: Sha256.ofBytes(archive),
        warnings,
      });
    else {
      yield* Output.line(printable(`${name} is written to ${path}.`));
      if (warnings.length > 0) yield* Output.line("Other programs may refuse it:");
      yield* lines(warnings.map(warningLine));
    }
    return 0;
  });
  return yield* look(command, work);
});

const heads = ["SKILL", "SCOPE", "FILES", "DESCRIPTION"];

const rowOf = ({ description, files, name, scope }: ReturnType<typeof briefOf>): ReadonlyArray<string> => [
  printable(name),
  printable(scope),
  String(files),
  printable(description),
];

/** Where nobody looks a description is not cut. */
const columns = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns : undefined);

const lines = (texts: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(texts, Output.line, { discard: true });
