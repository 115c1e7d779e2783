/**
 * One run that meets a full disk: it stops with a code that says so, the chat is whole, and once there is room again a
 * resume carries it to the same end as if nothing had happened.
 *
 * Owns the trial. Does not own how a disk is filled (`Room`).
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chat } from "../../src/demonstration/material.ts";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import { type Applied, compare, type Ending } from "@cahier/testkit/crash/Ending";
import * as Gate from "@cahier/testkit/crash/Gate";
import * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import * as Logger from "effect/Logger";
import { endings } from "./endings.ts";
import { soloStory } from "./soloStory.ts";
import { sound } from "./sweepMutants.ts";
import * as SweepRuntime from "./SweepRuntime.ts";
import type * as SweepStory from "./SweepStory.ts";

/** A storage whose room can be taken. `leave` leaves so many units of it from now on; `free` gives all of it back. */
export interface Room<E> {
  readonly storage: Layer.Layer<RunJournal | BlobStore | DocumentStore, E>;
  readonly leave: (units: number) => void;
  readonly free: () => void;
}

/**
 * `stoppedBy` is the code that the run or its start ended with; null when there was room enough. `begun`: there is a run, so
 * that it could be resumed. `violations` are sentences.
 */
export interface FullResult {
  readonly stoppedBy: string | null;
  readonly begun: boolean;
  readonly ending: Ending | undefined;
  readonly violations: ReadonlyArray<string>;
}

/** A folder of its own in `folder`, with a chat in it, in which one run is tried. */
export const makePlace = (folder: string): { readonly place: string; readonly chatPath: string } => {
  const place = mkdtempSync(join(folder, "full-"));
  mkdirSync(join(place, "chats"));
  const chatPath = join(place, "chats", "chat.jsonl");
  writeFileSync(chatPath, chat);
  return { place, chatPath };
};

/** That a readable tree is not whole on a full disk is warned of again and again. */
const silent = Logger.layer([]);

/**
 * Tries one run with `units` of room. Without `uninterrupted` it only has to complete; `code` is what else it may stop with,
 * where the disk has another fault.
 */
export const meetFullDisk = Effect.fn("DiskFull.meet")(function* <E>(
  room: Room<E>,
  chatPath: string,
  units: number,
  uninterrupted?: Ending,
  code = "storage.full",
) {
  const outside = counting();
  const runtime = () =>
    SweepRuntime.layer({
      storage: room.storage,
      outside: outside.service,
      gate: Gate.make([null]),
      breaking: sound,
      takesOver: false,
    });
  room.leave(units);
  const started = new Set<string>();
  const stoppedBy = yield* SweepRuntime.begin(soloStory, chatPath, () => void started.add(chatPath)).pipe(
    Effect.map(({ error, status }) => (status === "completed" ? null : (error ?? { code: status, message: "" }))),
    Effect.provide(runtime()),
    Effect.catch((failure) => Effect.succeed(codeOf(failure))),
  );
  const chatWhole = isWhole(chatPath);
  room.free();
  const reports = yield* Effect.gen(function* () {
    yield* Effect.forEach(yield* SweepRuntime.unended, (runId) => Effect.ignore(SweepRuntime.resume(runId)));
    return yield* SweepRuntime.reports;
  }).pipe(Effect.provide(runtime()));
  const [ending] = endings(reports, { chats: [chatPath], started }, outside.counted());
  const begun = ending !== undefined && ending.standing !== "neverBegun";
  return {
    stoppedBy: stoppedBy?.code ?? null,
    begun,
    ending,
    violations: [
      ...(stoppedBy === null || stoppedBy.code === code
        ? []
        : [`it stopped with ${stoppedBy.code}: ${stoppedBy.message}`]),
      ...(chatWhole ? [] : ["the chat was not whole while the disk was full"]),
      ...(uninterrupted === undefined || ending === undefined
        ? []
        : compare(uninterrupted, ending).map(({ detail, kind }) => `${kind}: ${detail}`)),
    ],
  } satisfies FullResult;
}, Effect.provide(silent));

const codeOf = (failure: unknown): { readonly code: string; readonly message: string } => {
  const { message = String(failure), reason } = failure as Partial<Fatal>;
  return { code: reason?.code ?? "no code", message };
};

/** What was there before stands there, and whole lines after it. */
const isWhole = (path: string): boolean => {
  const text = readFileSync(path, "utf8");
  if (!text.startsWith(chat)) return false;
  return text
    .slice(chat.length)
    .split("\n")
    .filter((line) => line !== "")
    .every((line) => {
      try {
        JSON.parse(line);
        return true;
      } catch {
        return false;
      }
    });
};

/** An outside within this process: nobody kills it. */
const counting = () => {
  const effects = new Map<string, Array<Applied>>();
  const modelCalls = new Map<string, Array<SweepStory.ModelCall>>();
  const service: SweepStory.Outside = {
    apply: ({ run }, effect) => Effect.sync(() => void effects.set(run, [...(effects.get(run) ?? []), effect])),
    wasApplied: ({ run }, name) => Effect.sync(() => (effects.get(run) ?? []).some((effect) => effect.name === name)),
    called: (run, call) => Effect.sync(() => void modelCalls.set(run, [...(modelCalls.get(run) ?? []), call])),
  };
  return { service, counted: () => ({ effects, modelCalls }) };
};
