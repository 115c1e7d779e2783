/**
 * Which Skills are installed: one document for each scope and name.
 *
 * Owns their form and revisions. One document each, so that damage to one hides no other, that installations of two Skills
 * never meet, and that a run which begins reads what is small. A document once made stays, with nothing installed when the
 * Skill was removed: it says until when contents were in use. Does not own the contents.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import { InstalledSkill } from "@cahier/domain/skill/Skill";
import { scopeKey, scopeLabel, scopeOrder, SkillScope } from "@cahier/domain/skill/SkillScope";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import type { Conflict } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";

/** The collection of installed Skills. */
export const skillsCollection = "skills";

/** An installed Skill and the scope of blobs that has its files. */
export const StoredSkill = Schema.Struct({ ...InstalledSkill.fields, content: Schema.String });
export type StoredSkill = typeof StoredSkill.Type;

/** `retired` are contents that this document named before, each with the time from which it does not any more. */
export const SkillEntry = Schema.Struct({
  kind: Schema.Literal("cahier.skill"),
  schemaVersion: Schema.Literal(1),
  scope: SkillScope,
  name: Schema.String,
  installed: Schema.NullOr(StoredSkill),
  retired: Schema.Array(Schema.Struct({ content: Schema.String, at: Schema.String })),
});
export type SkillEntry = typeof SkillEntry.Type;

/** A document as it stands; revision 0 when there is none. */
export interface Found {
  readonly id: string;
  readonly revision: number;
  readonly entry: SkillEntry;
}

/** An entry that cannot be read, and why. Its id begins with the Skill's name. */
export interface DamagedEntry {
  readonly id: string;
  readonly failure: Fatal;
}

/** Installed Skills by scope, from the widest, and name; and the entries of which nothing is known. */
export interface Listed {
  readonly skills: ReadonlyArray<StoredSkill>;
  readonly damaged: ReadonlyArray<DamagedEntry>;
}

export interface SkillIndex {
  /** What is kept of a scope and name; `skill.entry_invalid` when that cannot be read. */
  readonly find: (scope: SkillScope, name: string) => Effect.Effect<Found, Fatal>;
  /** Writes what is installed now, in place of what was found; `Conflict` when another has written since. */
  readonly put: (found: Found, installed: StoredSkill | null, at: string) => Effect.Effect<void, Fatal | Conflict>;
  /** Removes an entry that cannot be read. */
  readonly discard: (scope: SkillScope, name: string) => Effect.Effect<void, Fatal>;
}

/** The index in the storage of this process. */
export const make: Effect.Effect<SkillIndex, never, DocumentStore> = Effect.gen(function* () {
  const documents = yield* DocumentStore;

  const find: SkillIndex["find"] = Effect.fnUntraced(function* (scope, name) {
    const id = idOf(scope, name);
    const found = yield* documents.get(skillsCollection, id).pipe(
      Effect.catchTag("NotFound", () => Effect.undefined),
      Effect.mapError((fact) => (fact._tag === "Corrupt" ? damaged(id, fact) : classifyStorage(fact))),
    );
    if (found === undefined) return { id, revision: 0, entry: { ...fresh, scope, name } };
    const entry = decodeEntry(found.value);
    if (Option.isNone(entry)) return yield* damaged(id);
    return { id, revision: found.revision, entry: entry.value };
  });

  const put: SkillIndex["put"] = ({ entry, id, revision }, installed, at) => {
    const before = entry.installed?.content;
    const retired =
      before === undefined || before === installed?.content
        ? entry.retired
        : [...entry.retired, { content: before, at }];
    const after: SkillEntry = { ...entry, installed, retired };
    return documents.put(skillsCollection, id, revision, after).pipe(
      Effect.asVoid,
      Effect.mapError((fact) => (fact._tag === "Conflict" ? fact : classifyStorage(fact))),
    );
  };

  const discard: SkillIndex["discard"] = (scope, name) =>
    documents.remove(skillsCollection, idOf(scope, name)).pipe(Effect.mapError(classifyStorage));

  return { find, put, discard };
});

/** Everything that is installed. */
export const list = Effect.fn("SkillIndex.list")(function* (): Effect.fn.Return<Listed, Fatal, DocumentStore> {
  const { damaged: unread, found } = yield* entries();
  return {
    skills: found.flatMap(({ entry }) => (entry.installed === null ? [] : [entry.installed])).toSorted(byScopeAndName),
    damaged: unread,
  };
});

/** Every document of the index, with those that name nothing any more. */
export const entries = Effect.fnUntraced(function* (): Effect.fn.Return<
  { readonly found: ReadonlyArray<Found>; readonly damaged: ReadonlyArray<DamagedEntry> },
  Fatal,
  DocumentStore
> {
  const documents = yield* DocumentStore;
  const listed = yield* documents.list(skillsCollection).pipe(Effect.mapError(classifyStorage));
  const read = listed.documents.map(({ id, revision, value }) => ({ id, revision, decoded: decodeEntry(value) }));
  return {
    found: read.flatMap(({ decoded, id, revision }) =>
      Option.isSome(decoded) ? [{ id, revision, entry: decoded.value }] : [],
    ),
    damaged: [
      ...read.flatMap(({ decoded, id }) => (Option.isNone(decoded) ? [{ id, failure: damaged(id) }] : [])),
      ...listed.damaged.map((fact) => {
        // Some storages say the collection before the id.
        const id = fact.id.slice(fact.id.lastIndexOf("/") + 1);
        return { id, failure: damaged(id, fact) };
      }),
    ],
  };
});

/** Takes contents that are gone out of the entry that named them; another that writes meanwhile leaves it for the next time. */
export const forget = Effect.fnUntraced(function* (
  { entry, id, revision }: Found,
  gone: ReadonlySet<string>,
): Effect.fn.Return<void, Fatal, DocumentStore> {
  const documents = yield* DocumentStore;
  const retired = entry.retired.filter(({ content }) => !gone.has(content));
  if (retired.length === entry.retired.length) return;
  yield* documents.put(skillsCollection, id, revision, { ...entry, retired }).pipe(
    Effect.asVoid,
    Effect.catchTag("Conflict", () => Effect.void),
    Effect.mapError(classifyStorage),
  );
});

/** The name for people, and a digest that no other scope and name has. */
export const idOf = (scope: SkillScope, name: string): string =>
  `${name.slice(0, 60)}_${Sha256.ofText(JSON.stringify([scopeKey(scope), name])).slice(0, 32)}`;

const fresh = { kind: "cahier.skill", schemaVersion: 1, installed: null, retired: [] } as const;

const decodeEntry = Schema.decodeUnknownOption(SkillEntry);

const damaged = (id: string, cause?: unknown): Fatal =>
  fatal(
    "skill.entry_invalid",
    `What is kept of the Skill ${id.slice(0, Math.max(0, id.lastIndexOf("_")))} (skills/${id}) cannot be read. Install it again in place of that, or remove it.`,
    cause === undefined ? {} : { cause },
  );

const byScopeAndName = (left: StoredSkill, right: StoredSkill): number => {
  const [one, other] = [scopeOrder.indexOf(left.scope.kind), scopeOrder.indexOf(right.scope.kind)];
  if (one !== other) return one - other;
  const [name, otherName] = [
    `${scopeLabel(left.scope)}\n${left.manifest.name}`,
    `${scopeLabel(right.scope)}\n${right.manifest.name}`,
  ];
  return name < otherName ? -1 : 1;
};
