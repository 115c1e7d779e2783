/**
 * Whether every run of a storage can be read whole: its journal folds, and all content that it names is there.
 *
 * Owns what doctor says of runs. Repairs nothing.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { Payload } from "@cahier/domain/payload/Payload";
import * as Payloads from "@cahier/application/payload/Payloads";
import { loadState } from "@cahier/application/run/loadState";
import { filesOf, make as makeFiles } from "@cahier/application/workspace/WorkspaceFiles";
import * as HostLog from "@cahier/application/retention/HostLog";
import { classifyStorage } from "@cahier/application/failure/classifyStorage";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal, type RunRecord } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";

/** What a check found; `detail` says why it failed or does not apply. */
export interface Finding {
  readonly check: string;
  readonly outcome: "passed" | "failed" | "notApplicable";
  readonly detail?: string;
}

/** How many runs are listed at a time. */
const pageSize = 200;

/** One finding a run, newest first. Fails only when the runs cannot be listed. */
export const checkRuns: Effect.Effect<
  ReadonlyArray<Finding>,
  Fatal,
  RunJournal | BlobStore | DocumentStore
> = Effect.gen(function* () {
  const journal = yield* RunJournal;
  const slimmed = yield* HostLog.slimmedRuns;
  const findings: Array<Finding> = [];
  for (let last: RunRecord | undefined; ;) {
    const page = yield* journal
      .list({ limit: pageSize, ...(last === undefined ? {} : { before: last }) })
      .pipe(Effect.mapError(classifyStorage));
    findings.push(...(yield* Effect.forEach(page, ({ runId }) => findingOf(runId, slimmed.has(runId)))));
    last = page.at(-1);
    if (page.length < pageSize) return findings;
  }
});

const findingOf = (runId: RunId, isSlim: boolean): Effect.Effect<Finding, never, RunJournal | BlobStore> =>
  readWhole(runId, isSlim).pipe(
    Effect.as<Finding>({ check: runId, outcome: "passed" }),
    Effect.catch((failure) =>
      Effect.succeed<Finding>({
        check: runId,
        outcome: "failed",
        detail: `${failure.message} [${failure.reason.code}]`,
      }),
    ),
  );

const readWhole = Effect.fnUntraced(function* (
  runId: RunId,
  isSlim: boolean,
): Effect.fn.Return<void, Fatal, RunJournal | BlobStore> {
  const journal = yield* RunJournal;
  const payloads = yield* Payloads.make(runId);
  const named: Array<Payload> = [];
  const { state, damage } = yield* loadState(journal, runId, (event) => named.push(...payloadsIn(event.payload)));
  if (damage !== undefined) return yield* classifyStorage(damage);
  const files = makeFiles(payloads);
  const isGone = ({ reason }: Fatal): boolean => isSlim && reason.code === "blob.missing";
  const whole = (read: Effect.Effect<unknown, Fatal>) => Effect.catchIf(read, isGone, () => Effect.void);
  yield* Effect.forEach(named, (payload) => whole(payloads.read(payload)), { discard: true });
  yield* Effect.forEach(filesOf(state), (file) => whole(files.content(file)), { discard: true });
});

const hasPayloadFields = Schema.is(Payload);

const payloadFields = new Set(["path", "sha256", "bytes", "text", "from"]);

/** Events also say path, hash and size of files whose content they do not hold; those say more beside. */
const isPayload = (value: object): value is Payload =>
  Object.keys(value).every((key) => payloadFields.has(key)) && hasPayloadFields(value);

/** The content that an event refers to, however deep. */
const payloadsIn = (value: unknown): ReadonlyArray<Payload> => {
  if (typeof value !== "object" || value === null) return [];
  return isPayload(value) ? [value] : Object.values(value).flatMap(payloadsIn);
};
