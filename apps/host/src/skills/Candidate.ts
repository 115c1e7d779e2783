/**
 * Packages that may be installed: where each lies, for whom it is meant, and how to read it.
 *
 * Owns finding them in what a command line names: a folder, a folder of folders, an archive, an address, a preset, a card. A
 * package is read when its turn comes, so that many large ones are never held at once. Does not own what a package has to be.
 */
import { lstat, readdir, readFile, stat } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import * as Limits from "@cahier/agent-skills/Limits";
import * as SkillArchive from "@cahier/agent-skills/SkillArchive";
import * as SkillDownload from "@cahier/agent-skills/SkillDownload";
import type { SkillFault } from "@cahier/agent-skills/SkillFault";
import * as SkillFolder from "@cahier/agent-skills/SkillFolder";
import * as SkillReader from "@cahier/agent-skills/SkillReader";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { skillFile, type SkillPackage, type SkillSource } from "@cahier/domain/skill/Skill";
import { globalScope, type SkillScope } from "@cahier/domain/skill/SkillScope";
import type { Transport } from "@cahier/provider-gateway/transport/Transport";
import type { Embedded, EmbeddedSkill } from "@cahier/sillytavern/profile/Embedded";
import * as Effect from "effect/Effect";
import { fetchSkill } from "./fetchSkill.ts";
import { addressOf, writePresetRef } from "./scopeText.ts";

/** `origin` is what a person calls the place. Reading fails with what is wrong with the package. */
export interface Candidate {
  readonly origin: string;
  readonly scope: SkillScope;
  readonly source: SkillSource;
  readonly read: Effect.Effect<SkillPackage, Fatal, Transport>;
}

/** The candidates of one word of a command line. Fails when there can be none. */
export const ofWord = (word: string, scope: SkillScope = globalScope): Effect.Effect<ReadonlyArray<Candidate>, Fatal> =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(word) ? Effect.succeed([ofAddress(word, scope)]) : ofPath(word, scope);

/** The Skills that a preset carries with it, for whoever uses the preset unless another scope is named. */
export const ofPreset = (path: string, embedded: Embedded, scope: SkillScope | undefined): ReadonlyArray<Candidate> => {
  const ref = { apiId: presetApi, name: basename(path, extname(path)) };
  const source: SkillSource = { kind: "preset", id: writePresetRef(ref), label: ref.name };
  return ofEmbedded(path, embedded, source, scope ?? { kind: "preset", ...ref });
};

/** The Skills that a character's card carries with it, for that character unless another scope is named. */
export const ofCard = (
  path: string,
  { characterId, embedded }: { readonly characterId: string; readonly embedded: Embedded },
  scope: SkillScope | undefined,
): ReadonlyArray<Candidate> =>
  ofEmbedded(
    path,
    embedded,
    { kind: "character", id: characterId, label: characterId },
    scope ?? { kind: "character", characterId },
  );

/** The kind of presets that carry Skills and that prompts are made by. */
export const presetApi = "openai";

/** A package that cannot be used, as a refusal under the same code. */
export const refusalOf = (fault: SkillFault): Fatal => fatal(fault.code, fault.detail, { cause: fault });

const ofAddress = (url: string, scope: SkillScope): Candidate => ({
  origin: addressOf(url),
  scope,
  source: { kind: "download", id: addressOf(url), label: addressOf(url) },
  read: Effect.flatMap(fetchSkill(url), (bytes) => Effect.mapError(SkillDownload.accept(bytes, url), refusalOf)),
});

const ofPath = Effect.fnUntraced(function* (
  path: string,
  scope: SkillScope,
): Effect.fn.Return<ReadonlyArray<Candidate>, Fatal> {
  const found = yield* attempt(path, () => lstat(resolve(path)));
  if (found.isFile()) return [ofArchive(path, found.size, scope)];
  // A link to a folder is refused by whoever reads it, with the advice to put the folder there.
  if (!found.isDirectory() || (yield* attempt(path, () => hasSkillFile(path)))) return [ofFolder(path, scope)];
  const { links, packages } = yield* Effect.mapError(SkillFolder.find(path), refusalOf);
  const linked = yield* Effect.filter(links, (link) => Effect.promise(() => leadsToFolder(link)));
  if (packages.length + linked.length > 0) return [...packages, ...linked].map((each) => ofFolder(each, scope));
  return yield* fatal(
    "skill.skill_file_missing",
    `Neither ${path} nor a folder in it has a ${skillFile}. Give the folder that has one, or a folder of such folders.`,
  );
});

const ofFolder = (path: string, scope: SkillScope): Candidate => ({
  origin: path,
  scope,
  source: { kind: "folder", id: resolve(path), label: basename(resolve(path)) },
  read: Effect.mapError(SkillFolder.read(path), refusalOf),
});

const ofArchive = (path: string, size: number, scope: SkillScope): Candidate => ({
  origin: path,
  scope,
  source: { kind: "archive", id: resolve(path), label: basename(path) },
  read:
    size > Limits.maxArchiveBytes
      ? Effect.fail(refusalOf(SkillReader.tooLarge(`the archive has more than ${Limits.maxArchiveBytes} bytes`)))
      : Effect.flatMap(
          attempt(path, () => readFile(resolve(path))),
          (bytes) => Effect.mapError(SkillArchive.read(bytes), refusalOf),
        ),
});

const ofEmbedded = (
  path: string,
  { problems, skills }: Embedded,
  source: SkillSource,
  scope: SkillScope,
): ReadonlyArray<Candidate> => [
  ...skills.map((skill): Candidate => ({ origin: nameOf(path, skill), scope, source, read: readEmbedded(skill) })),
  ...problems
    .filter((problem) => problem.path.includes(".skills"))
    .map((problem): Candidate => ({
      origin: `${path}: ${problem.path}`,
      scope,
      source,
      read: Effect.fail(
        fatal("skill.archive_invalid", `What ${path} carries at ${problem.path} cannot be used. ${problem.note}`),
      ),
    })),
];

const nameOf = (path: string, { name }: EmbeddedSkill): string => (name === "" ? path : `${path}: ${name}`);

const readEmbedded = (skill: EmbeddedSkill): Effect.Effect<SkillPackage, Fatal> => {
  const folderName = /^[a-z0-9_-]{1,128}$/.test(skill.name) ? skill.name : undefined;
  const read =
    skill.form === "archive" ? SkillArchive.read(skill.bytes) : SkillReader.read(skill.files, { folderName });
  return Effect.mapError(read, refusalOf);
};

const hasSkillFile = async (folder: string): Promise<boolean> =>
  (await readdir(resolve(folder))).some((name) => name.toLowerCase() === skillFile.toLowerCase());

const leadsToFolder = (link: string): Promise<boolean> =>
  stat(link).then(
    (found) => found.isDirectory(),
    () => false,
  );

const attempt = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, Fatal> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      fatal("skill.skill_file_missing", `${path} is not there or cannot be read. Check the path.`, { cause }),
  });
