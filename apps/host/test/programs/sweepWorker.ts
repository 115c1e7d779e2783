/**
 * A process of the crash sweep: begins runs or carries them on, holds each at its boundary, and is killed by the sweep.
 *
 * Its one argument is a `SweepOrder` as JSON. It says a `Said` as JSON on each line of standard output, and is told a word
 * a line on standard input. It ends by itself only after `finish`.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import * as Gate from "@cahier/testkit/crash/Gate";
import * as Effect from "effect/Effect";
import * as Storage from "../../src/composition/Storage.ts";
import { sound, sweepMutants } from "../crash/sweepMutants.ts";
import { stories } from "../crash/stories.ts";
import type { Said, SweepOrder } from "../crash/SweepOrder.ts";
import * as SweepRuntime from "../crash/SweepRuntime.ts";
import * as SweepStory from "../crash/SweepStory.ts";

const order = JSON.parse(process.argv[2] ?? "") as SweepOrder;
const story = stories[order.story];
const gate = Gate.make(order.boundaries);

const say = (said: Said): void => void writeSync(1, `${JSON.stringify(said)}\n`);

const ask = async (query: string, body?: object): Promise<boolean> => {
  const request = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${order.outside}${query}`, request);
  return (await response.json()) === true;
};

const asked = (query: string, body?: object): Effect.Effect<boolean, SweepStory.OutsideSilent> =>
  Effect.tryPromise({ try: () => ask(query, body), catch: (cause) => new SweepStory.OutsideSilent({ cause }) });

const outside: SweepStory.Outside = {
  apply: (asker, effect) => asked("", { ...asker, effect }),
  wasApplied: ({ epoch, run }, name) =>
    asked(`?${new URLSearchParams({ run, name, epoch: String(epoch) }).toString()}`),
  called: (run, call) => Effect.orDie(asked("", { run, modelCall: call })),
};

const runtime = SweepRuntime.layer({
  storage: Storage.layer(Storage.choose({ storage: order.storage }, {})),
  outside,
  gate,
  breaking: sweepMutants.find(({ name }) => name === order.mutant) ?? sound,
  takesOver: order.task === "takeOver",
});

/** What keeps one run from going on is told by the check in the end; the others go on. */
const eachEnds = <A, E, R>(works: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.forEach(
    works,
    (work) =>
      work.pipe(
        Effect.catch((failure) => Effect.sync(() => void process.stderr.write(`${String(failure)}\n`))),
        Effect.ensuring(
          Effect.sync(() => {
            gate.ended();
            say({ _tag: "ended" });
          }),
        ),
      ),
    { concurrency: "unbounded", discard: true },
  );

/** A gate that waits for runs which are not there would never be settled. */
const carryOn = Effect.gen(function* () {
  const runIds = yield* order.task === "finish" ? SweepRuntime.found : SweepRuntime.unended;
  for (let lacking = order.boundaries.length - runIds.length; lacking > 0; lacking -= 1) gate.ended();
  yield* eachEnds(runIds.map(SweepRuntime.resume));
});

const program = Effect.gen(function* () {
  say({ _tag: "begun" });
  yield* Effect.forkChild(Effect.flatMap(gate.settled, (held) => Effect.sync(() => say({ _tag: "settled", held }))));
  yield* order.task === "begin"
    ? Effect.andThen(
        SweepRuntime.prepare(story),
        eachEnds(order.chats.map((chat) => SweepRuntime.begin(story, chat, () => say({ _tag: "started", chat })))),
      )
    : carryOn;
  say({ _tag: "done", counts: gate.counts() });
  if (order.task !== "finish") return yield* Effect.never;
  say({ _tag: "reports", reports: yield* SweepRuntime.reports });
});

createInterface({ input: process.stdin })
  .on("line", (word) => {
    Effect.runFork(word === "free" ? gate.free : gate.letGo);
  })
  // Nobody is there any more to kill it.
  .on("close", () => process.exit(1));

await Effect.runPromise(program.pipe(Effect.provide(runtime), Effect.scoped));
process.exit(0);
