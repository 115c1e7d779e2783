/**
 * A Skill: a folder with a `SKILL.md` that tells an agent how something is done, and files beside it.
 *
 * Owns the shape of a package, of what is kept of an installed one, and the digest that names its content. Does not own reading
 * packages (`@cahier/agent-skills`) nor keeping them. The format is the Agent Skills specification's.
 */
import * as Schema from "effect/Schema";
import * as Digest from "../payload/Sha256.ts";
import { SkillScope } from "./SkillScope.ts";

/** The file that every package has. */
export const skillFile = "SKILL.md";

/** `name` has lower-case letters, digits, `-` and `_`, at most 128; `metadata` is the author's, unread. */
export const SkillManifest = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  license: Schema.optionalKey(Schema.String),
  compatibility: Schema.optionalKey(Schema.String),
  allowedTools: Schema.optionalKey(Schema.Array(Schema.String)),
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
});
export type SkillManifest = typeof SkillManifest.Type;

/** What the optional `agents/tauritavern.json` (version 1) says; nothing in it grants anything. */
export const SkillSidecar = Schema.Struct({
  displayName: Schema.optionalKey(Schema.String),
  sourceKind: Schema.optionalKey(Schema.String),
  allowImplicitInvocation: Schema.optionalKey(Schema.Boolean),
  recommendedTools: Schema.optionalKey(Schema.Array(Schema.String)),
  recommendedContext: Schema.optionalKey(
    Schema.Struct({
      defaultBudgetTokens: Schema.optionalKey(Schema.Int),
      preferredMode: Schema.optionalKey(Schema.String),
    }),
  ),
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  notes: Schema.optionalKey(Schema.String),
});
export type SkillSidecar = typeof SkillSidecar.Type;

/** A file of a package, by its path below the package's folder, with `/` between segments. */
export interface PackageFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Something odd that does not keep a package from being used. `code` is one of `SkillWarningCode`'s. */
export const SkillWarning = Schema.Struct({ code: Schema.String, message: Schema.String });
export type SkillWarning = typeof SkillWarning.Type;

/** A package that has been read and checked. `files` are ordered by path and hold `SKILL.md`. */
export interface SkillPackage {
  readonly manifest: SkillManifest;
  readonly sidecar?: SkillSidecar;
  readonly files: ReadonlyArray<PackageFile>;
  readonly warnings: ReadonlyArray<SkillWarning>;
}

export const SkillFile = Schema.Struct({ path: Schema.String, bytes: Schema.Int, sha256: Digest.Sha256 });
export type SkillFile = typeof SkillFile.Type;

/** Where an installed Skill came from; a Skill is used by everybody who brought it. `label` is for people. */
export const SkillSource = Schema.Struct({
  kind: Schema.Literals(["folder", "archive", "inline", "download", "preset", "character", "profile"]),
  id: Schema.String,
  label: Schema.String,
});
export type SkillSource = typeof SkillSource.Type;

/** What the index says of an installed Skill. `hash` is `packageHash` of its files. */
export const InstalledSkill = Schema.Struct({
  scope: SkillScope,
  manifest: SkillManifest,
  sidecar: Schema.optionalKey(SkillSidecar),
  files: Schema.Array(SkillFile),
  hash: Digest.Sha256,
  sources: Schema.Array(SkillSource),
  installedAt: Schema.String,
  warnings: Schema.Array(SkillWarning),
});
export type InstalledSkill = typeof InstalledSkill.Type;

/** The files as the index keeps them. */
export const filesOf = (files: ReadonlyArray<PackageFile>): ReadonlyArray<SkillFile> =>
  files
    .map(({ bytes, path }) => ({ path, bytes: bytes.length, sha256: Digest.ofBytes(bytes) }))
    .toSorted((left, right) => compare(left.path, right.path));

/** Names the content: equal for equal paths and bytes, whatever order or time the files have. */
export const packageHash = (files: ReadonlyArray<SkillFile>): Digest.Sha256 => Digest.ofText(packageListing(files));

/** The text that `packageHash` is the digest of: a line for each file, ordered by path. */
export const packageListing = (files: ReadonlyArray<ListedFile>): string =>
  files
    .toSorted((left, right) => compare(left.path, right.path))
    .map(({ path, sha256 }) => `${JSON.stringify(path)} ${sha256}\n`)
    .join("");

/** A file as a listing names it. */
export type ListedFile = Pick<SkillFile, "path" | "sha256">;

/** The files that a listing names. It was checked against its digest, so its lines are as `packageListing` writes them. */
export const readListing = (listing: string): ReadonlyArray<ListedFile> =>
  listing
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({
      path: JSON.parse(line.slice(0, line.lastIndexOf(" "))) as string,
      sha256: line.slice(line.lastIndexOf(" ") + 1) as Digest.Sha256,
    }));

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
