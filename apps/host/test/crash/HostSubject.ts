/**
 * The program of this package as the sweep strikes it: worker processes over one kind of storage, with chats in files.
 *
 * Owns the places of trials, starting and killing workers, and what outside saw of a run. Does not own what a worker does.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Counts } from "@cahier/testkit/crash/Boundary";
import type { Ending } from "@cahier/testkit/crash/Ending";
import { type Subject, SubjectFault, type Work, type Worker } from "@cahier/testkit/crash/Subject";
import * as Effect from "effect/Effect";
import { chat } from "../../src/demonstration/material.ts";
import { node } from "../support/node.ts";
import { endings } from "./endings.ts";
import type { OutsideCounter } from "./OutsideCounter.ts";
import type { StoryName } from "./stories.ts";
import type { Said, SweepOrder, Told } from "./SweepOrder.ts";

/** `storageOf` names fresh storage for a trial whose folder is given, and what removes it again. */
export interface SubjectOptions {
  readonly name: string;
  readonly story: StoryName;
  readonly storageOf: (folder: string) => { readonly storage: string; readonly remove: () => void };
  /** Where trials have their folders. */
  readonly folder: string;
  /** The bundled worker. */
  readonly worker: string;
  readonly counter: OutsideCounter;
  readonly mutant?: string;
  /** Keeps the folder of every trial, to be looked into. */
  readonly keep?: boolean;
}

/** What a worker that nobody struck came past, and the milliseconds from its beginning to the end of its runs. */
export interface Uninterrupted {
  readonly ending: Ending;
  readonly counts: Counts;
  readonly wholeMs: number;
}

/** The subject of a sweep. */
export const make = (options: SubjectOptions): Subject => ({
  name: options.name,
  place: (runs) =>
    Effect.map(lay(options, runs), (laid) => ({
      start: (work) => Effect.map(startWorker(options, laid, work), ({ worker }) => worker),
      finish: finish(options, laid),
    })),
});

/** Carries `runs` runs to their end without a strike. Fails when they do not all end alike. */
export const measure = Effect.fnUntraced(function* (options: SubjectOptions, runs: number) {
  const laid = yield* lay(options, runs);
  const { saying, worker } = yield* startWorker(options, laid, {
    task: "begin",
    boundaries: Array.from({ length: runs }, () => null),
  });
  yield* worker.begun;
  const before = performance.now();
  const { counts } = yield* heard(saying, "done");
  const wholeMs = performance.now() - before;
  yield* worker.kill;
  const endings = yield* finish(options, laid);
  const [ending] = endings;
  const [first] = counts;
  const forms = new Set(endings.map(formOf));
  if (ending?.standing !== "completed" || first === undefined || forms.size !== 1)
    return yield* new SubjectFault({ detail: `Runs that nobody strikes end as ${[...forms].join(" and ")}.` });
  return { ending, counts: first, wholeMs } satisfies Uninterrupted;
});

/** An ending without what is of this run alone. */
const formOf = ({ detail, effects, faults, standing, unknown }: Ending): string =>
  JSON.stringify([
    standing,
    detail,
    faults,
    unknown,
    effects
      .map(({ key, name }) => `${name} ${key === undefined ? "once" : "by key"}`)
      .toSorted((one, other) => (one < other ? -1 : 1)),
  ]);

/** The place of one trial. */
interface Laid {
  readonly trial: string;
  readonly storage: string;
  readonly chats: ReadonlyArray<string>;
  /** The chats in which a worker has said that a run is started. */
  readonly started: Set<string>;
}

const lay = ({ counter, folder, keep, storageOf }: SubjectOptions, runs: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const place = mkdtempSync(join(folder, "trial-"));
      mkdirSync(join(place, "chats"));
      const chats = Array.from({ length: runs }, (_, index) => join(place, "chats", `${index}.jsonl`));
      for (const path of chats) writeFileSync(path, chat);
      return { place, trial: place.split("/").at(-1) ?? "", chats, started: new Set<string>(), ...storageOf(place) };
    }),
    ({ place, remove, trial }) =>
      Effect.sync(() => {
        counter.forget(trial);
        if (keep === true) return;
        remove();
        rmSync(place, { recursive: true, force: true });
      }),
  );

interface Saying {
  readonly exit: Promise<unknown>;
  /** The first thing of each kind that the worker says; rejects when it ends before. */
  readonly first: <Tag extends Said["_tag"]>(tag: Tag) => Promise<Extract<Said, { _tag: Tag }>>;
  readonly ended: () => number;
  /** What it logged and complained about. */
  readonly errors: () => string;
}

const startWorker = (
  { counter, folder, mutant, story, worker: bundle }: SubjectOptions,
  laid: Laid,
  work: Work | FinishWork,
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const order: SweepOrder = {
        ...work,
        story,
        storage: laid.storage,
        chats: laid.chats,
        outside: counter.urlOf(laid.trial),
        // What is broken breaks while runs are struck; in the end they are looked at with sound eyes.
        ...(mutant === undefined || work.task === "finish" ? {} : { mutant }),
      };
      const child = spawn(node, [bundle, JSON.stringify(order)], {
        stdio: ["pipe", "pipe", "pipe"],
        env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") },
      });
      return { child, saying: listen(child, laid.started) };
    }),
    ({ child, saying }) =>
      Effect.promise(() => {
        child.kill("SIGKILL");
        return saying.exit;
      }),
  ).pipe(Effect.map(({ child, saying }) => ({ saying, worker: workerOf(child, saying, work.boundaries.length) })));

/** A worker that nobody strikes and that reports on the runs in the end. */
interface FinishWork {
  readonly task: "finish";
  readonly boundaries: Work["boundaries"];
}

const workerOf = (child: ChildProcess, saying: Saying, runs: number): Worker => {
  // What is told to a worker that is gone concerns nobody.
  child.stdin?.on("error", () => undefined);
  const tell = (word: Told) => Effect.sync(() => void child.stdin?.write(`${word}\n`));
  return {
    begun: Effect.asVoid(heard(saying, "begun")),
    settled: Effect.map(heard(saying, "settled"), ({ held }) => held),
    letGo: tell("letGo"),
    free: tell("free"),
    done: Effect.asVoid(heard(saying, "done")),
    running: () => runs - saying.ended(),
    kill: Effect.promise(() => {
      child.kill("SIGKILL");
      return saying.exit;
    }),
  };
};

const heard = <Tag extends Said["_tag"]>(saying: Saying, tag: Tag) =>
  Effect.tryPromise({
    try: () => saying.first(tag),
    catch: (cause) => new SubjectFault({ detail: String(cause), cause }),
  });

const listen = (child: ChildProcess, started: Set<string>): Saying => {
  const said = new Map<string, PromiseWithResolvers<Said>>();
  const errors: Array<string> = [];
  const count = { ended: 0 };
  const of = (tag: string): PromiseWithResolvers<Said> => {
    const known = said.get(tag) ?? Promise.withResolvers<Said>();
    // Nobody waits for most of what a killed worker did not say.
    known.promise.catch(() => undefined);
    said.set(tag, known);
    return known;
  };
  child.stderr?.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (!line.startsWith("{")) {
        errors.push(`${line}\n`);
        return;
      }
      const one = JSON.parse(line) as Said;
      if (one._tag === "ended") count.ended += 1;
      if (one._tag === "started") started.add(one.chat);
      of(one._tag).resolve(one);
    });
  const exit = once(child, "close").then((ended) => {
    for (const tag of ["begun", "settled", "done", "reports"])
      of(tag).reject(new Error(`a worker ended (${ended.join(" ")}) before it was ${tag}: ${errors.join("")}`));
    return ended;
  });
  return {
    exit,
    first: (tag) => of(tag).promise as Promise<Extract<Said, { _tag: typeof tag }>>,
    ended: () => count.ended,
    errors: () => errors.join(""),
  };
};

/** The longest that runs may take to be carried to their end and looked at. */
const finishWithin = "2 minutes";

const finish = (options: SubjectOptions, laid: Laid) =>
  Effect.scoped(
    Effect.flatMap(startWorker(options, laid, { task: "finish", boundaries: [] }), ({ saying }) =>
      Effect.map(heard(saying, "reports"), ({ reports }) => {
        // Nobody strikes this process, so whatever it complains about is worth knowing.
        process.stderr.write(saying.errors());
        return endings(reports, laid, options.counter.counted(laid.trial));
      }),
    ),
  ).pipe(
    Effect.timeoutOrElse({
      duration: finishWithin,
      orElse: () => Effect.fail(new SubjectFault({ detail: `The runs did not end within ${finishWithin}.` })),
    }),
  );
