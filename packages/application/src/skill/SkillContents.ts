/**
 * The files of installed Skills: each installation has a scope of blobs of its own, which never changes.
 *
 * Owns how such a scope is named and filled. Does not own which of them are in use (`SkillIndex`) nor removing those that are
 * not (`collectBlobs`): an agent may read a Skill long after it was replaced.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { Sha256 } from "@cahier/domain/payload/Sha256";
import * as Skill from "@cahier/domain/skill/Skill";
import { BlobStore } from "@cahier/ports/BlobStore";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as Identifiers from "../identity/Identifiers.ts";

/** What scopes of Skills begin with; no other ones do. */
export const scopePrefix = "skill_";

/** When a scope was made, in milliseconds; NaN of one that is not named so. */
export const madeAt = (content: string): number =>
  Number(/^skill_(\d+)_[0-9a-f]{32}$/.exec(content)?.[1] ?? Number.NaN);

export interface SkillContents {
  /** Stores the files and their listing in a new scope and gives its name. Nobody knows it before it is whole. */
  readonly store: (files: ReadonlyArray<Skill.PackageFile>) => Effect.Effect<string, Fatal>;
  /** The files of a Skill by its hash. */
  readonly listing: (content: string, hash: Sha256) => Effect.Effect<ReadonlyArray<Skill.ListedFile>, Fatal>;
  /** The bytes of one file; `blob.missing` and `blob.hash_mismatch` when they are gone or damaged. */
  readonly bytes: (content: string, sha256: Sha256) => Effect.Effect<Uint8Array, Fatal>;
  /** Whether everything that the index says of a Skill is there. */
  readonly isWhole: (
    content: string,
    skill: Pick<Skill.InstalledSkill, "files" | "hash">,
  ) => Effect.Effect<boolean, Fatal>;
}

/** The files of Skills in the storage of this process. */
export const make: Effect.Effect<SkillContents, never, BlobStore> = Effect.gen(function* () {
  const blobs = yield* BlobStore;
  const { next } = yield* Identifiers.Identifiers;

  const store: SkillContents["store"] = Effect.fn("SkillContents.store")(function* (files) {
    const content = `${scopePrefix}${yield* Clock.currentTimeMillis}_${next()}`;
    const listing = new TextEncoder().encode(Skill.packageListing(Skill.filesOf(files)));
    yield* Effect.forEach([...files.map(({ bytes }) => bytes), listing], (bytes) => blobs.put(content, bytes), {
      concurrency: writeConcurrency,
      discard: true,
    }).pipe(
      Effect.mapError(classifyStorage),
      Effect.onError(() => Effect.ignore(blobs.removeScope(content))),
    );
    return content;
  });

  const bytes: SkillContents["bytes"] = (content, sha256) =>
    blobs
      .get(content, sha256)
      .pipe(
        Effect.mapError((fact) =>
          fact._tag === "NotFound"
            ? fatal("blob.missing", "A file of a Skill is gone. Install the Skill again.", { cause: fact })
            : classifyStorage(fact),
        ),
      );

  const listing: SkillContents["listing"] = (content, hash) =>
    Effect.map(bytes(content, hash), (found) => Skill.readListing(new TextDecoder().decode(found)));

  const isWhole: SkillContents["isWhole"] = Effect.fnUntraced(function* (content, { files, hash }) {
    const stored = new Set(
      (yield* blobs.list(content).pipe(Effect.mapError(classifyStorage))).map((one) => one.sha256),
    );
    return stored.has(hash) && files.every(({ sha256 }) => stored.has(sha256));
  });

  return { store, listing, bytes, isWhole };
});

const writeConcurrency = 8;
