/**
 * What changed in a run's workspace between two of its moments.
 *
 * Both states are folds of the one journal; contents are read through payloads. Reading never carries a run on.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { CheckpointId, RunId } from "@cahier/domain/identity/Identity";
import { compareFiles, type FileChange, type FileChangeStatus } from "@cahier/domain/run/compareFiles";
import type { FileState, RunState } from "@cahier/domain/run/RunState";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Payloads from "../payload/Payloads.ts";
import * as RunPoint from "../run/RunPoint.ts";
import { workspacePathOf } from "../run/workspacePathOf.ts";
import { filesOf, make as makeFiles, type WorkspaceFiles } from "../workspace/WorkspaceFiles.ts";
import { binaryDiff, unifiedDiff } from "./unifiedDiff.ts";

/** `from` is the start and `to` is now, unless stated. `paths` name files and folders; without any, the whole workspace. */
export interface DiffOptions {
  readonly from?: RunPoint.RunPoint;
  readonly to?: RunPoint.RunPoint;
  readonly paths?: ReadonlyArray<string>;
}

/** One version of a file; `chars` are Unicode scalars. */
export type FileVersion = Pick<FileState, "sha256" | "chars" | "words">;

/**
 * One file that differs. `diff` is unified and goes from `before` to `after`, or says that one of them is no text; null is a
 * file that does not exist.
 */
export interface FileDiff {
  readonly path: string;
  readonly status: FileChangeStatus;
  readonly before: FileVersion | null;
  readonly after: FileVersion | null;
  readonly addedLines: number;
  readonly removedLines: number;
  readonly diff: string;
}

/** A moment that was compared. */
export interface DiffPoint {
  readonly seq: number;
  readonly checkpointId?: CheckpointId;
}

/** `files` are those that differ, in the order of their paths. */
export interface RunDiff {
  readonly runId: RunId;
  readonly from: DiffPoint;
  readonly to: DiffPoint;
  readonly files: ReadonlyArray<FileDiff>;
}

/**
 * The files that differ between two moments; one that the run has at neither is `workspace.file_not_found`. `from` may
 * lie after `to`: the diff then shows how to come back.
 */
export const readDiff = Effect.fn("RunReader.diff")(function* (
  runId: RunId,
  options: DiffOptions = {},
): Effect.fn.Return<RunDiff, Fatal, RunJournal | Payloads.Requirements> {
  const paths = yield* Effect.forEach(options.paths ?? [], workspacePathOf);
  const stated = options.to === undefined ? [] : [options.to];
  const { found, now } = yield* RunPoint.find(runId, [options.from ?? 0, ...stated]);
  const [from, to = { seq: now.seq, state: now }] = found;
  if (from === undefined) return yield* Effect.die(new Error("a found moment is missing"));
  yield* requireKnown(paths, [from.state, to.state, now]);
  const files = makeFiles(yield* Payloads.make(runId));
  const changes = compareFiles(from.state.files, to.state.files).filter(
    ({ path }) => paths.length === 0 || paths.some((asked) => WorkspacePath.isInside(path, asked)),
  );
  return {
    runId,
    from: nameOf(from),
    to: nameOf(to),
    files: yield* Effect.forEach(changes, (change) => diffOf(files, change)),
  };
});

const nameOf = ({ checkpointId, seq }: RunPoint.FoundPoint): DiffPoint => ({
  seq,
  ...(checkpointId === undefined ? {} : { checkpointId }),
});

const diffOf = Effect.fnUntraced(function* (
  files: WorkspaceFiles,
  { after, before, path, status }: FileChange,
): Effect.fn.Return<FileDiff, Fatal> {
  const versions = { path, status, before: versionOf(before), after: versionOf(after) };
  if (before?.encoding !== undefined || after?.encoding !== undefined)
    return { ...versions, addedLines: 0, removedLines: 0, diff: binaryDiff(path, before !== null, after !== null) };
  const { text, ...lines } = unifiedDiff(path, yield* textOf(files, before), yield* textOf(files, after));
  return { ...versions, ...lines, diff: text };
});

const textOf = (files: WorkspaceFiles, file: FileState | null): Effect.Effect<string | null, Fatal> =>
  file === null ? Effect.succeed(null) : files.content(file);

const versionOf = (file: FileState | null): FileVersion | null =>
  file === null ? null : { sha256: file.sha256, chars: file.chars, words: file.words };

/** Nobody is told that a misspelt file did not change. */
const requireKnown = (
  paths: ReadonlyArray<WorkspacePath.WorkspacePath>,
  states: ReadonlyArray<RunState>,
): Effect.Effect<void, Fatal> => {
  const known = new Set(states.flatMap((state) => filesOf(state).map(({ path }) => path)));
  const unknown = paths.find((asked) => ![...known].some((path) => WorkspacePath.isInside(path, asked)));
  return unknown === undefined
    ? Effect.void
    : Effect.fail(
        fatal(
          "workspace.file_not_found",
          `The run has no file ${unknown}. It has: ${[...known].toSorted().join(", ") || "none yet"}.`,
        ),
      );
};
