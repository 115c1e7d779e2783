/**
 * Makes the readable tree of a run from its journal: everything that an event names, and the files as they stand.
 */
import * as PathMap from "@cahier/domain/run/PathMap";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { Payload } from "@cahier/domain/payload/Payload";
import { payloadsIn } from "@cahier/domain/payload/payloadsIn";
import { checkpointsOf } from "@cahier/domain/run/checkpoint";
import { compareFiles } from "@cahier/domain/run/compareFiles";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { RunState } from "@cahier/domain/run/RunState";
import { isRootName } from "@cahier/domain/workspace/WorkspaceRoot";
import { RunJournal } from "@cahier/ports/RunJournal";
import { type MirroredRun, RunMirror } from "@cahier/ports/RunMirror";
import type { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as Payloads from "../payload/Payloads.ts";
import { filesOf, make as makeFiles, viewsOf } from "../workspace/WorkspaceFiles.ts";
import { loadState } from "./loadState.ts";

/** Paths of payloads that are shown as files of their own. File versions are shown as the files that they became. */
const shown = /^(?:input|agent-results|tool-args|tool-results|model-responses)\//;

/**
 * Writes the whole tree of a run, and takes out what is no file of its workspace any more; without a mirror it does nothing.
 * Idempotent. A file that cannot be read, written or removed does not keep the others from it: the failure at the end has the
 * code of the first and says how many there were.
 */
export const mirrorRun = Effect.fn("RunMirror.mirrorRun")(function* (
  runId: RunId,
): Effect.fn.Return<void, Fatal, RunJournal | Payloads.Requirements> {
  const found = yield* Effect.serviceOption(RunMirror);
  if (Option.isNone(found)) return;
  const mirror = found.value;
  const journal = yield* RunJournal;
  const payloads = yield* Payloads.make(runId);
  const named = new Map<string, Payload>();
  const { state } = yield* loadState(journal, runId, (event) => collect(event, named));
  if (state.workspaceId === null) return;
  const run = { runId, workspaceId: state.workspaceId };
  const files = makeFiles(payloads);
  const contents: ReadonlyArray<Content> = [
    { path: "manifest.json", bytes: json(manifestOf(runId, state)) },
    { path: "checkpoints.json", bytes: json(historyOf(runId, state)) },
    ...Array.from(named.values(), (payload) => ({
      path: payload.path,
      bytes: Effect.map(payloads.read(payload), encode),
    })),
    ...filesOf(state).map((file) => ({ path: file.path, bytes: files.bytes(file) })),
    ...viewsOf(state)
      .filter(({ path }) => !named.has(path))
      .map((file) => ({ path: file.path, bytes: files.bytes(file) })),
  ];
  const others = yield* othersOf(mirror, run, state).pipe(Effect.mapError(classifyStorage));
  // A folder may stand where there was a file.
  const steps: ReadonlyArray<Step> = [
    ...others.map((path) => ({ path, work: mirror.remove(run, path).pipe(Effect.mapError(classifyStorage)) })),
    ...contents.map(({ bytes, path }) => ({
      path,
      work: Effect.flatMap(bytes, (found) => mirror.write(run, path, found).pipe(Effect.mapError(classifyStorage))),
    })),
  ];
  const [, failed] = yield* Effect.partition(steps, ({ path, work }) =>
    Effect.mapError(work, (failure) => ({ path, failure })),
  );
  const [first] = failed;
  if (first === undefined) return;
  const { code, message } = first.failure.reason;
  return yield* fatal(
    code,
    `${failed.length} of ${steps.length} files were not written. The first is ${first.path}: ${message}`,
  );
});

interface Step {
  readonly path: string;
  readonly work: Effect.Effect<void, Fatal>;
}

/** What the tree shows of the workspace and is no file there any more. */
const othersOf = (
  mirror: RunMirror["Service"],
  run: MirroredRun,
  { files }: RunState,
): Effect.Effect<ReadonlyArray<string>, Unavailable> =>
  Effect.map(mirror.list(run), (paths) =>
    paths.filter((path) => isRootName(path.slice(0, path.indexOf("/"))) && PathMap.get(files, path) === undefined),
  );

interface Content {
  readonly path: string;
  readonly bytes: Effect.Effect<Uint8Array, Fatal>;
}

const encoder = new TextEncoder();

const encode = (text: string): Uint8Array => encoder.encode(text);

const json = (value: unknown): Content["bytes"] => Effect.succeed(encode(`${JSON.stringify(value, null, 2)}\n`));

const collect = (event: StoredEvent, named: Map<string, Payload>): void => {
  // What is written down in base64 is shown as the file that it is.
  if (event.type === "tool_result_attachment_stored") return;
  for (const payload of payloadsIn(event.payload)) if (shown.test(payload.path)) named.set(payload.path, payload);
};

/** The checkpoints of a run, each with the files that are others than at the one before. */
const historyOf = (runId: RunId, state: RunState) => ({
  runId,
  checkpoints: checkpointsOf(state).map(({ files, id, label, reason, seq }, index, all) => ({
    id,
    seq,
    reason,
    ...(label === null ? {} : { label }),
    changes: compareFiles(all[index - 1]?.files ?? PathMap.empty, files).map(({ after, path, status }) => ({
      path,
      status,
      ...(after === null ? {} : { sha256: after.sha256, bytes: after.bytes }),
    })),
  })),
});

const manifestOf = (runId: RunId, state: RunState) => ({
  workspaceVersion: 1,
  runId,
  status: state.status,
  createdAt: state.createdAt,
  updatedAt: state.updatedAt,
  target: state.target,
  profileId: state.profileId,
  commits: state.commits,
  failure: state.failure,
  files: filesOf(state).map(({ path, sha256, bytes, chars, words, encoding }) => ({
    path,
    sha256,
    bytes,
    ...(encoding === undefined ? { chars, words } : { binary: true }),
  })),
});
