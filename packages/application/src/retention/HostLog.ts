/**
 * What a host removed and why: the record of what is not in any journal any more.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { Identifiers } from "../identity/Identifiers.ts";

/** The collection of entries; ids sort by time. */
export const hostLogCollection = "host-log";

const fields = {
  action: Schema.Literals(["run_slimmed", "run_deleted", "blobs_collected", "states_pruned", "chats_forgotten"]),
  subject: Schema.String,
  reason: Schema.String,
};

/** An entry before it is carried out: what is done (`action`) to what (`subject`, an id), and why. */
export const HostAction = Schema.Struct(fields);
export type HostAction = typeof HostAction.Type;

/** `intended` stands there before anything is removed: an entry that still says so was broken off. `at` is ISO 8601. */
export const HostLogEntry = Schema.Struct({
  ...fields,
  at: Schema.String,
  outcome: Schema.Literals(["intended", "done", "failed"]),
  details: Schema.Record(Schema.String, Schema.Json),
});
export type HostLogEntry = typeof HostLogEntry.Type;

/** Records the intent, does it, and records what came of it. Without the first record nothing is done. */
export const recording = Effect.fnUntraced(function* <A extends { readonly [key: string]: Schema.Json }, R>(
  action: HostAction,
  work: Effect.Effect<A, Fatal, R>,
): Effect.fn.Return<A, Fatal, R | DocumentStore> {
  const documents = yield* DocumentStore;
  const at = new Date(yield* Clock.currentTimeMillis).toISOString();
  const id = `${at.replaceAll(/[^0-9]/g, "")}_${(yield* Identifiers).next().slice(0, 12)}`;
  const entry = { ...action, at };
  const put = (revision: number, outcome: HostLogEntry["outcome"], details: HostLogEntry["details"]) =>
    documents
      .put(hostLogCollection, id, revision, { ...entry, outcome, details })
      .pipe(Effect.mapError(classifyStorage));
  yield* put(0, "intended", {});
  const done = yield* work.pipe(
    Effect.tapError(({ message, reason }) => Effect.ignore(put(1, "failed", { code: reason.code, message }))),
  );
  yield* put(1, "done", done);
  return done;
});

const decode = Schema.decodeUnknownOption(HostLogEntry);

/** Every readable entry, oldest first. */
export const entries = Effect.fn("HostLog.entries")(function* (): Effect.fn.Return<
  ReadonlyArray<HostLogEntry>,
  Fatal,
  DocumentStore
> {
  const documents = yield* DocumentStore;
  const listed = yield* documents.list(hostLogCollection).pipe(Effect.mapError(classifyStorage));
  return listed.documents.flatMap(({ value }) => {
    const entry = decode(value);
    return entry._tag === "Some" ? [entry.value] : [];
  });
});

/** Runs of which what is no core history was removed: that their content is gone is no damage. */
export const slimmedRuns = Effect.map(entries(), (all): ReadonlySet<string> => subjectsOf(all, "run_slimmed"));

/** Runs that were deleted, wholly or as far as it came. */
export const deletedRuns = Effect.map(entries(), (all): ReadonlySet<string> => subjectsOf(all, "run_deleted"));

const subjectsOf = (all: ReadonlyArray<HostLogEntry>, action: HostAction["action"]): ReadonlySet<string> =>
  new Set(all.filter((entry) => entry.action === action && entry.outcome !== "failed").map(({ subject }) => subject));
