/**
 * `cahier runs resume`: one run whose process is gone, or every such run.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { allRecords } from "@cahier/application/run/allRecords";
import { summaryOf } from "@cahier/application/run/RunSummary";
import { findResumable } from "@cahier/application/run/findResumable";
import { type ResumedRun, resumeAll } from "@cahier/application/run/resumeAll";
import { parseRunId } from "@cahier/application/run/RunReader";
import { type CarryOnOptions, Runs } from "@cahier/application/run/Runs";
import type { RunHandle } from "@cahier/application/run/supervise";
import { HostProcess } from "@cahier/ports/HostProcess";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Runtime from "../composition/Runtime.ts";
import { carryOnOptions } from "./carryOnOptions.ts";
import { extensionOptions } from "./extensionOptions.ts";
import { untilEnd } from "./carryOn.ts";
import { exitCodeOf } from "./exitCode.ts";
import { wordsOf } from "./wordsOf.ts";
import { lastSeqOf } from "./lastSeqOf.ts";
import * as Output from "./Output.ts";
import { has, invalid, type ParsedCommand } from "./parse.ts";
import { promptOptions } from "./promptMaterial.ts";
import { storageOf, storageWords } from "./storageOf.ts";
import { withExtensions } from "./withExtensions.ts";

/** `cahier runs resume`: the same loop on the folded journal. */
export const resume = Effect.fn("cli.resume")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [stated] = command.positionals;
  if ((stated === undefined) !== has(command, "all")) return yield* invalid('"runs resume" takes either ID or --all.');
  const runId = stated === undefined ? undefined : yield* parseRunId(stated);
  const options = yield* carryOnOptions(command);
  const extensions = yield* extensionOptions(command);
  const prompt = yield* promptOptions(command);
  const work =
    runId === undefined
      ? every(command, { ...options, isAttended: has(command, "attended") })
      : one(command, runId, options);
  return yield* withExtensions(command, extensions, work).pipe(
    Effect.provide(Runtime.layer({ storage: storageOf(command), prompt })),
    Effect.scoped,
  );
});

const one = Effect.fnUntraced(function* (command: ParsedCommand, runId: RunId, options: CarryOnOptions) {
  const runs = yield* Runs;
  const before = yield* lastSeqOf(runId);
  return yield* untilEnd(command, yield* runs.resume(runId, options), before, options);
});

/** Resumes all that may go on by themselves, and names those that wait to be asked. */
const every = Effect.fnUntraced(function* (command: ParsedCommand, options: CarryOnOptions) {
  const ended = yield* allUntilStopped(options);
  const left = yield* findResumable();
  const asked = left.filter(({ mode }) => mode === "manual");
  const unreadable = yield* unreadableRuns;
  if (has(command, "json"))
    yield* Output.json({ runs: ended.map(plainOf), left: asked.map(({ runId }) => ({ runId })), unreadable });
  else {
    for (const run of ended) yield* Output.line(`${run.runId}: ${sentenceOf(run)}`);
    for (const { runId } of asked)
      yield* Output.line(
        `${runId}: its profile wants to be asked; go on with: ${["cahier runs resume", ...storageWords(command), runId].join(" ")}`,
      );
    for (const runId of unreadable) yield* Output.line(`${runId}: it cannot be read whole; cahier doctor tells why`);
    if (ended.length + asked.length + unreadable.length === 0) yield* Output.line("No run was left lying.");
  }
  return Math.max(unreadable.length === 0 ? 0 : 3, ...ended.map(codeOf));
});

/** Runs of which it is not known whether they could go on. */
const unreadableRuns = Effect.gen(function* () {
  const summaries = yield* Effect.forEach(yield* allRecords(), summaryOf);
  return summaries
    .filter(({ standing }) => standing === "damaged" || standing === "unreadable")
    .map(({ runId }) => runId);
});

/** A stop signal cancels the runs that are carried on by then, as it does with a single one, and no further one is begun. */
export const allUntilStopped = Effect.fnUntraced(function* (options: Parameters<typeof resumeAll>[0]) {
  const host = yield* HostProcess;
  const handles: Array<RunHandle> = [];
  const asked = { toStop: false };
  const stop = host.stopRequested.pipe(
    Effect.andThen(
      Effect.suspend(() => {
        asked.toStop = true;
        return Effect.forEach(handles, ({ cancel }) => cancel, { concurrency: "unbounded" });
      }),
    ),
    Effect.andThen(Effect.never),
  );
  const resuming = resumeAll({
    ...options,
    goOn: () => !asked.toStop,
    onResumed: (handle) => handles.push(handle),
  });
  return yield* Effect.raceFirst(resuming, stop);
});

const plainOf = ({ result, runId }: ResumedRun) => {
  if (Result.isSuccess(result)) return result.success;
  const { code, message } = result.failure.reason;
  return { runId, status: "interrupted", error: { code, message } };
};

/** What became of a resumed run, for people. */
export const sentenceOf = ({ result }: ResumedRun): string => {
  if (Result.isFailure(result)) return `${result.failure.message} [${result.failure.reason.code}]`;
  const { error } = result.success;
  const ended = wordsOf(result.success);
  return error === undefined ? ended : `${ended}: ${error.message} [${error.code}]`;
};

const codeOf = ({ result }: ResumedRun): number => (Result.isFailure(result) ? 3 : exitCodeOf(result.success));
