/**
 * The Skills that a person has installed: looked at, installed, moved, exported, removed.
 *
 * Owns that each of these happens whole or not at all: files are stored first, in a place that nobody knows, and one write of
 * the index makes them a Skill. Does not own reading packages nor what an agent sees (`resolveSkills`). What is replaced or
 * removed stays readable for the runs that were made ready with it.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Skill from "@cahier/domain/skill/Skill";
import { scopeKey, scopeLabel, type SkillScope } from "@cahier/domain/skill/SkillScope";
import { quote } from "@cahier/domain/workspace/Refusal";
import { type BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import type { Conflict } from "@cahier/ports/StorageFault";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type * as Result from "effect/Result";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { type Comparison, compare, type FileChange, filesThatDiffer, withSources } from "./compareSkills.ts";
import * as SkillContents from "./SkillContents.ts";
import * as SkillIndex from "./SkillIndex.ts";

/** What becomes of another Skill of the same name; nothing is decided without one of these. */
export type OnConflict = "skip" | "replace";

export interface InstallOptions {
  readonly scope: SkillScope;
  readonly source: Skill.SkillSource;
  readonly onConflict?: OnConflict;
}

/** What installing a package would meet. `changes` is there for another content. */
export interface Preview {
  readonly conflict: Comparison;
  readonly name: string;
  readonly hash: Skill.InstalledSkill["hash"];
  readonly installed?: SkillIndex.StoredSkill;
  readonly changes?: ReadonlyArray<FileChange>;
}

/** What was done. `skill` is what is installed now. */
export interface Installation {
  readonly action: "installed" | "replaced" | "already_installed" | "skipped";
  readonly skill: SkillIndex.StoredSkill;
}

/** `kept` were brought by others too. `damaged` entries may have named the source. */
export interface SourceRemoval {
  readonly removed: ReadonlyArray<SkillIndex.StoredSkill>;
  readonly kept: ReadonlyArray<SkillIndex.StoredSkill>;
  readonly damaged: ReadonlyArray<SkillIndex.DamagedEntry>;
}

export interface Skills {
  /** Installed Skills, of one scope or of all, the widest first; entries that cannot be read are told of beside them. */
  readonly list: (scope?: SkillScope) => Effect.Effect<SkillIndex.Listed, Fatal>;
  /** What installing would meet; changes nothing. */
  readonly preview: (skill: Skill.SkillPackage, scope: SkillScope) => Effect.Effect<Preview, Fatal>;
  /**
   * Installs a package whole or not at all. The same content gains a source. Other content is `skill.conflict` unless it is
   * decided what becomes of it; `replace` takes the place of an entry that cannot be read as well.
   */
  readonly install: (skill: Skill.SkillPackage, options: InstallOptions) => Effect.Effect<Installation, Fatal>;
  /** Installs each package for itself: what one meets is nothing to the others. */
  readonly installAll: (
    skills: ReadonlyArray<Skill.SkillPackage>,
    options: InstallOptions,
  ) => Effect.Effect<ReadonlyArray<Result.Result<Installation, Fatal>>>;
  /** One installed Skill with its files; `skill.not_installed` when there is none. */
  readonly read: (
    scope: SkillScope,
    name: string,
  ) => Effect.Effect<
    { readonly skill: SkillIndex.StoredSkill; readonly files: ReadonlyArray<Skill.PackageFile> },
    Fatal
  >;
  /** The package as it was installed: its files have the same hash. */
  readonly package: (scope: SkillScope, name: string) => Effect.Effect<Skill.SkillPackage, Fatal>;
  /** Removes a Skill, or an entry that cannot be read; `skill.not_installed` when there is none. */
  readonly remove: (scope: SkillScope, name: string) => Effect.Effect<void, Fatal>;
  /** Takes a Skill from one scope to another with its sources. Conflicts are those of `install`; a skipped one stays. */
  readonly move: (
    name: string,
    from: SkillScope,
    to: SkillScope,
    onConflict?: OnConflict,
  ) => Effect.Effect<Installation, Fatal>;
  /** Forgets a source that is gone: Skills that nobody else brought are removed, the others lose the source. */
  readonly removeSource: (source: Pick<Skill.SkillSource, "id" | "kind">) => Effect.Effect<SourceRemoval, Fatal>;
}

/** The Skills in the storage of this process. */
export const make: Effect.Effect<Skills, never, BlobStore | DocumentStore> = Effect.gen(function* () {
  const documents = yield* DocumentStore;
  const contents = yield* SkillContents.make;
  const index = yield* SkillIndex.make;

  const list: Skills["list"] = Effect.fn("Skills.list")(function* (scope) {
    const listed = yield* Effect.provideService(SkillIndex.list(), DocumentStore, documents);
    if (scope === undefined) return listed;
    const key = scopeKey(scope);
    return { ...listed, skills: listed.skills.filter((skill) => scopeKey(skill.scope) === key) };
  });

  const preview: Skills["preview"] = Effect.fn("Skills.preview")(function* (skill, scope) {
    const { name } = skill.manifest;
    const files = Skill.filesOf(skill.files);
    const hash = Skill.packageHash(files);
    const installed = (yield* index.find(scope, name)).entry.installed;
    const conflict = compare(installed, hash);
    return {
      conflict,
      name,
      hash,
      ...(installed === null ? {} : { installed }),
      ...(installed !== null && conflict === "different" ? { changes: filesThatDiffer(installed.files, files) } : {}),
    };
  });

  /** The entry that something is to be installed in. One that cannot be read gives way to what replaces it. */
  const findFor = (scope: SkillScope, name: string, onConflict: OnConflict | undefined) =>
    onConflict !== "replace"
      ? index.find(scope, name)
      : index
          .find(scope, name)
          .pipe(
            Effect.catchIf(isUnreadable, () => Effect.andThen(index.discard(scope, name), index.find(scope, name))),
          );

  const installOnce = Effect.fnUntraced(function* (
    skill: Skill.SkillPackage,
    { onConflict, scope, source }: InstallOptions,
  ): Effect.fn.Return<Installation, Fatal | Conflict> {
    const { manifest, sidecar, warnings } = skill;
    const files = Skill.filesOf(skill.files);
    const hash = Skill.packageHash(files);
    const found = yield* findFor(scope, manifest.name, onConflict);
    const { installed } = found.entry;
    const at = yield* now;
    if (installed !== null && installed.hash === hash && (yield* contents.isWhole(installed.content, installed))) {
      const merged = withSources(installed, [source]);
      if (merged !== installed) yield* index.put(found, merged, at);
      return { action: "already_installed", skill: merged };
    }
    if (installed !== null && installed.hash !== hash) {
      if (onConflict === "skip") return { action: "skipped", skill: installed };
      if (onConflict === undefined) return yield* conflicting(installed, files);
    }
    const stored: SkillIndex.StoredSkill = {
      scope,
      manifest,
      ...(sidecar === undefined ? {} : { sidecar }),
      files,
      hash,
      sources: installed?.sources ?? [],
      installedAt: at,
      warnings,
      content: yield* contents.store(skill.files),
    };
    const merged = withSources(stored, [source]);
    yield* index.put(found, merged, at);
    return { action: installed === null ? "installed" : "replaced", skill: merged };
  });

  const install: Skills["install"] = Effect.fn("Skills.install")(function* (skill, options) {
    yield* requireName(skill.manifest.name);
    return yield* again(installOnce(skill, options));
  });

  const found = Effect.fnUntraced(function* (
    scope: SkillScope,
    name: string,
  ): Effect.fn.Return<SkillIndex.Found & { readonly skill: SkillIndex.StoredSkill }, Fatal> {
    const entry = yield* index.find(scope, name);
    const { installed } = entry.entry;
    if (installed === null) return yield* notInstalled(scope, name);
    return { ...entry, skill: installed };
  });

  const read: Skills["read"] = Effect.fn("Skills.read")(function* (scope, name) {
    const { skill } = yield* found(scope, name);
    const files = yield* Effect.forEach(skill.files, ({ path, sha256 }) =>
      Effect.map(contents.bytes(skill.content, sha256), (bytes) => ({ path, bytes })),
    );
    return { skill, files };
  });

  const package_: Skills["package"] = (scope, name) =>
    Effect.map(read(scope, name), ({ files, skill: { manifest, sidecar, warnings } }) => ({
      manifest,
      ...(sidecar === undefined ? {} : { sidecar }),
      files,
      warnings,
    }));

  const remove: Skills["remove"] = Effect.fn("Skills.remove")(function* (scope, name) {
    yield* again(
      Effect.gen(function* () {
        yield* index.put(yield* found(scope, name), null, yield* now);
      }),
    ).pipe(Effect.catchIf(isUnreadable, () => index.discard(scope, name)));
  });

  const moveOnce = Effect.fnUntraced(function* (
    name: string,
    from: SkillScope,
    to: SkillScope,
    onConflict: OnConflict | undefined,
  ): Effect.fn.Return<Installation, Fatal | Conflict> {
    const source = yield* found(from, name);
    if (scopeKey(from) === scopeKey(to)) return { action: "already_installed", skill: source.skill };
    const target = yield* findFor(to, name, onConflict);
    const { installed } = target.entry;
    const same = compare(installed, source.skill.hash) === "same";
    if (installed !== null && !same) {
      if (onConflict === "skip") return { action: "skipped", skill: installed };
      if (onConflict === undefined) return yield* conflicting(installed, source.skill.files);
    }
    const skill = withSources(
      installed !== null && same ? installed : { ...source.skill, scope: to },
      installed !== null && same ? source.skill.sources : (installed?.sources ?? []),
    );
    const at = yield* now;
    yield* index.put(target, skill, at);
    yield* index.put(source, null, at).pipe(Effect.onError(() => Effect.ignore(undo(name, from, to, installed))));
    return { action: installed === null ? "installed" : same ? "already_installed" : "replaced", skill };
  });

  /** Gives the target back what it had, once it is certain that the Skill is still where it came from. */
  const undo = Effect.fnUntraced(function* (
    name: string,
    from: SkillScope,
    to: SkillScope,
    before: SkillIndex.StoredSkill | null,
  ): Effect.fn.Return<void, Fatal | Conflict> {
    yield* found(from, name);
    yield* index.put(yield* index.find(to, name), before, yield* now);
  });

  const removeSource: Skills["removeSource"] = Effect.fn("Skills.removeSource")(function* ({ id, kind }) {
    const isIt = (source: Skill.SkillSource) => source.kind === kind && source.id === id;
    const { damaged, skills } = yield* list();
    const removed: Array<SkillIndex.StoredSkill> = [];
    const kept: Array<SkillIndex.StoredSkill> = [];
    for (const listed of skills.filter(({ sources }) => sources.some(isIt))) {
      const left = yield* again(
        Effect.gen(function* () {
          const entry = yield* index.find(listed.scope, listed.manifest.name);
          const { installed } = entry.entry;
          if (installed === null) return null;
          const sources = installed.sources.filter((source) => !isIt(source));
          const after = sources.length === 0 ? null : { ...installed, sources };
          if (sources.length < installed.sources.length) yield* index.put(entry, after, yield* now);
          return after;
        }),
      );
      if (left === null) removed.push(listed);
      else kept.push(left);
    }
    return { removed, kept, damaged };
  });

  return {
    list,
    preview,
    install,
    installAll: (skills, options) => Effect.forEach(skills, (skill) => Effect.result(install(skill, options))),
    read,
    package: package_,
    remove,
    move: Effect.fn("Skills.move")((name, from, to, onConflict) => again(moveOnce(name, from, to, onConflict))),
    removeSource,
  };
});

const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString());

/** Decides anew when another has written meanwhile, three times. */
const again = <A>(change: Effect.Effect<A, Fatal | Conflict>): Effect.Effect<A, Fatal> =>
  change.pipe(
    Effect.retry({ times: 3, while: ({ _tag }) => _tag === "Conflict" }),
    Effect.mapError((failure) => (failure._tag === "Conflict" ? classifyStorage(failure) : failure)),
  );

const isUnreadable = (failure: Fatal | Conflict): boolean =>
  failure._tag === "Fatal" && failure.reason.code === "skill.entry_invalid";

const requireName = (name: string): Effect.Effect<void, Fatal> =>
  /^[a-z0-9_-]{1,128}$/.test(name)
    ? Effect.void
    : Effect.fail(
        fatal(
          "skill.name_invalid",
          `${quote(name)} cannot be the name of a Skill: it has lower-case letters, digits, - and _ only, at most 128. Change it in SKILL.md.`,
        ),
      );

const notInstalled = (scope: SkillScope, name: string): Fatal =>
  fatal(
    "skill.not_installed",
    `No Skill ${quote(name)} is installed in the scope ${scopeLabel(scope)}. "cahier skills list" shows those that are.`,
  );

const conflicting = (installed: SkillIndex.StoredSkill, files: ReadonlyArray<Skill.SkillFile>): Fatal => {
  const changes = filesThatDiffer(installed.files, files);
  return fatal(
    "skill.conflict",
    `Another Skill ${quote(installed.manifest.name)} is installed in the scope ${scopeLabel(installed.scope)}; ${changes.length} of its files differ. Say whether it is replaced or stays.`,
    { details: { changes: changes.map(({ change, path }) => ({ change, path })) } },
  );
};
