/**
 * Which contents of Skills nobody reads any more.
 *
 * Owns that a content stays which the index names, which an agent of any stored run was made ready with, or which somebody may
 * be about to name: a person who installs it, or a run that is being made ready.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { PayloadOf } from "@cahier/domain/run/RunEvent";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal, type RunRecord } from "@cahier/ports/RunJournal";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { loadState } from "../run/loadState.ts";
import { unlistedRuns } from "../run/unlistedRuns.ts";
import * as SkillContents from "../skill/SkillContents.ts";
import * as SkillIndex from "../skill/SkillIndex.ts";

type Requirements = RunJournal | BlobStore | DocumentStore;

/**
 * Those of `scopes` that may be removed: unnamed for longer than `afterMs`. None while anything that could name one cannot be
 * read. Journals are read only where the index leaves something to decide.
 */
export const unusedContents = Effect.fnUntraced(function* (
  scopes: ReadonlyArray<string>,
  records: ReadonlyArray<RunRecord>,
  afterMs: number,
): Effect.fn.Return<ReadonlySet<string>, Fatal, Requirements> {
  if (scopes.length === 0) return new Set();
  const { damaged, found } = yield* SkillIndex.entries();
  if (damaged.length > 0) return new Set();
  const live = new Set(found.flatMap(({ entry }) => (entry.installed === null ? [] : [entry.installed.content])));
  const retiredAt = new Map<string, number>();
  for (const { at, content } of found.flatMap(({ entry }) => entry.retired))
    retiredAt.set(content, Math.max(retiredAt.get(content) ?? 0, Date.parse(at)));
  const now = yield* Clock.currentTimeMillis;
  const candidates = scopes.filter(
    (scope) => !live.has(scope) && now - (retiredAt.get(scope) ?? SkillContents.madeAt(scope)) > afterMs,
  );
  if (candidates.length === 0) return new Set();
  const read = yield* contentsOfRuns(records);
  return read === undefined ? new Set() : new Set(candidates.filter((scope) => !read.has(scope)));
});

/** Takes contents that are gone out of the index. */
export const forgetContents = Effect.fnUntraced(function* (
  gone: ReadonlySet<string>,
): Effect.fn.Return<void, Fatal, DocumentStore> {
  if (gone.size === 0) return;
  const { found } = yield* SkillIndex.entries();
  yield* Effect.forEach(found, (entry) => SkillIndex.forget(entry, gone), { discard: true });
});

/** Every content that an agent of a stored run was made ready with; undefined when one of them cannot be told. */
const contentsOfRuns = Effect.fnUntraced(function* (
  records: ReadonlyArray<RunRecord>,
): Effect.fn.Return<ReadonlySet<string> | undefined, Fatal, Requirements> {
  const journal = yield* RunJournal;
  if ((yield* unlistedRuns()).length > 0) return undefined;
  const named = new Set<string>();
  for (const { runId } of records) {
    const { damage, unknownTypes } = yield* loadState(journal, runId, ({ payload, type }) => {
      if (type !== "skill_scopes_resolved") return;
      const { effectiveSkills } = payload as unknown as PayloadOf<"skill_scopes_resolved">;
      for (const { content } of effectiveSkills) named.add(content);
    });
    if (damage !== undefined || unknownTypes.length > 0) return undefined;
  }
  return named;
});
