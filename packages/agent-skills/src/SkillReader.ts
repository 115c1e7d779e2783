/**
 * Makes a checked package of files, wherever they come from.
 *
 * Owns every rule about what a package is: its limits, its paths, its `SKILL.md`, its sidecar. Folders, archives and downloads only
 * bring files here. Lenient where something is merely odd, strict where it would do harm. Nothing of a package is ever run.
 */
import { type PackageFile, skillFile, type SkillPackage, type SkillWarning } from "@cahier/domain/skill/Skill";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as FrontMatter from "./FrontMatter.ts";
import * as Limits from "./Limits.ts";
import { manifestOf } from "./manifestOf.ts";
import { missingReferences } from "./internal/missingReferences.ts";
import * as PackagePath from "./PackagePath.ts";
import * as Sidecar from "./Sidecar.ts";
import { SkillFault } from "./SkillFault.ts";
import { warn } from "./SkillWarningCode.ts";
import { textOf } from "./internal/textOf.ts";

/** `folderName` is the name of the folder that the files lie in, where there is one. */
export interface ReadOptions {
  readonly folderName?: string | undefined;
}

/**
 * The package that `files` are; their bytes are kept, not copied. Paths come out in Unicode NFC and in order.
 * Fails with any code of `SkillFaultCode` but those of archives and links.
 */
export const read = Effect.fn("SkillReader.read")(function* (
  files: ReadonlyArray<PackageFile>,
  { folderName }: ReadOptions = {},
) {
  yield* requireSizes(files);
  const kept = yield* Effect.fromResult(checkedFiles(files));
  const skill = kept.files.find(({ path }) => path === skillFile);
  if (skill === undefined) return yield* missing();
  const front = FrontMatter.parse(yield* Effect.fromResult(skillText(skill.bytes)));
  const { manifest, warnings } = yield* Effect.fromResult(manifestOf(front, folderName));
  const sidecar = yield* Effect.fromResult(Sidecar.read(kept.files));
  const read: SkillPackage = {
    manifest,
    ...(sidecar === undefined ? {} : { sidecar }),
    files: kept.files,
    warnings: [...warnings, ...kept.warnings, ...contentWarnings(front.body, kept.files)],
  };
  return read;
});

/** The fault of files among which there is no `SKILL.md`. */
export const missing = (): SkillFault =>
  new SkillFault({
    code: "skill.skill_file_missing",
    detail: `There is no ${skillFile} here. Give the folder that has one, or an archive of that folder.`,
  });

/** The fault of a package that exceeds a limit. */
export const tooLarge = (reason: string, path?: string): SkillFault =>
  new SkillFault({
    code: "skill.too_large",
    ...(path === undefined ? {} : { path }),
    detail: `The package is too large: ${reason}. Leave out what the Skill does not need.`,
  });

/** The reasons that `tooLarge` gives, in one wording for all readers. */
export const reasons = {
  files: `it has more than ${Limits.maxFiles} files`,
  entries: `it has more than ${Limits.maxEntries} files and folders`,
  file: (path: string) => `${quote(path)} has more than ${Limits.maxFileBytes} bytes`,
  bytes: `its files have more than ${Limits.maxPackageBytes} bytes together`,
  skillFile: `${skillFile} has more than ${Limits.maxSkillFileBytes} bytes`,
} as const;

const requireSizes = Effect.fnUntraced(function* (files: ReadonlyArray<PackageFile>) {
  if (files.length > Limits.maxFiles) return yield* tooLarge(reasons.files);
  const large = files.find(({ bytes }) => bytes.length > Limits.maxFileBytes);
  if (large !== undefined) return yield* tooLarge(reasons.file(large.path), large.path);
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (total > Limits.maxPackageBytes) return yield* tooLarge(reasons.bytes);
});

interface CheckedFiles {
  readonly files: ReadonlyArray<PackageFile>;
  readonly warnings: ReadonlyArray<SkillWarning>;
}

const checkedFiles = (files: ReadonlyArray<PackageFile>): Result.Result<CheckedFiles, SkillFault> =>
  Result.gen(function* () {
    const wanted = files.filter(({ path }) => !PackagePath.isDesktopFile(path));
    const paths = yield* Result.all(wanted.map(({ path }) => PackagePath.parse(path)));
    yield* PackagePath.requireDistinct(paths);
    const misspelled = paths.find((path) => path !== skillFile && path.toLowerCase() === skillFile.toLowerCase());
    return {
      files: wanted
        .map(({ bytes }, index) => ({ path: paths[index] ?? "", bytes }))
        .map((file) => (file.path === misspelled ? { ...file, path: skillFile } : file))
        .toSorted((left, right) => (left.path < right.path ? -1 : 1)),
      warnings: [
        ...(misspelled === undefined
          ? []
          : [warn("skill_file_renamed", `The file ${quote(misspelled)} is kept as ${skillFile}.`)]),
        ...(wanted.length === files.length
          ? []
          : [
              warn(
                "desktop_files_left_out",
                "Files that a desktop leaves in folders, such as .DS_Store, are left out.",
              ),
            ]),
      ],
    };
  });

const skillText = (bytes: Uint8Array): Result.Result<string, SkillFault> => {
  if (bytes.length > Limits.maxSkillFileBytes) return Result.fail(tooLarge(reasons.skillFile, skillFile));
  const text = textOf(bytes);
  return text !== undefined && !text.includes("\0")
    ? Result.succeed(text)
    : Result.fail(
        new SkillFault({
          code: "skill.front_matter_invalid",
          path: skillFile,
          detail: `${skillFile} is no text in UTF-8. Save it as UTF-8.`,
        }),
      );
};

const contentWarnings = (body: string, files: ReadonlyArray<PackageFile>): ReadonlyArray<SkillWarning> => {
  const paths = files.map(({ path }) => path);
  const absent = missingReferences(body, paths).map(quote);
  const named = [...absent.slice(0, maxNamed), ...(absent.length > maxNamed ? ["…"] : [])].join(", ");
  return [
    ...(absent.length === 0
      ? []
      : [warn("references_missing", `${skillFile} links to files that the package does not have: ${named}.`)]),
    ...(paths.some((path) => path.startsWith("scripts/"))
      ? [warn("scripts_not_run", "The package has scripts. They are kept and can be read, and are never run.")]
      : []),
  ];
};

const maxNamed = 8;
