/**
 * A process of the crash sweep: begins runs or carries them on, holds each at its boundary, and is killed by the sweep.
 *
 * Its one argument is a `SweepOrder` as JSON. It says a `Said` as JSON on each line of standard output, and is told a word
 * a line on standard input. It ends by itself only after `finish`.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import * as Application from "@cahier/application/Application";
import { loadState } from "@cahier/application/run/loadState";
import { Runs } from "@cahier/application/run/Runs";
import type { RunHandle } from "@cahier/application/run/supervise";
import { startRunFromChat } from "@cahier/application/run/startRun";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { awaitingCalls, type RunState } from "@cahier/domain/run/RunState";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import { BlobStore } from "@cahier/ports/BlobStore";
import { ChatHost } from "@cahier/ports/ChatHost";
import { HostProcess } from "@cahier/ports/HostProcess";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import * as UndiciTransport from "@cahier/provider-gateway/transport/UndiciTransport";
import * as SillyTavernChatHost from "@cahier/sillytavern/SillyTavernChatHost";
import * as SillyTavernPromptAssembler from "@cahier/sillytavern/SillyTavernPromptAssembler";
import * as Gate from "@cahier/testkit/crash/Gate";
import * as GatedPorts from "@cahier/testkit/crash/GatedPorts";
import { pairing } from "@cahier/testkit/crash/pairing";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { checkRuns } from "../../src/cli/checkRuns.ts";
import * as Storage from "../../src/composition/Storage.ts";
import * as EnvironmentSecretStore from "../../src/process/EnvironmentSecretStore.ts";
import * as NodeHostProcess from "../../src/process/NodeHostProcess.ts";
import type { RunReport, Said, SweepOrder } from "../crash/SweepOrder.ts";
import * as SweepStory from "../crash/SweepStory.ts";
import { sound, sweepMutants } from "../crash/sweepMutants.ts";

const order = JSON.parse(process.argv[2] ?? "") as SweepOrder;
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
  apply: (run, effect) => asked("", { run, effect }),
  wasApplied: (run, name) => asked(`?${new URLSearchParams({ run, name }).toString()}`),
};

const { ports: breakPorts, reaching } = sweepMutants.find(({ name }) => name === order.mutant) ?? sound;

const tools = SweepStory.tools(outside, gate, reaching);

/** Journal, blobs and chat host as the product has them, broken where that is asked for, with the gate around them. */
const gated = Layer.effectContext(
  Effect.gen(function* () {
    const broken = breakPorts({ journal: yield* RunJournal, blobs: yield* BlobStore, chatHost: yield* ChatHost });
    return Context.make(RunJournal, GatedPorts.runJournal(broken.journal, gate)).pipe(
      Context.add(BlobStore, GatedPorts.blobStore(broken.blobs, gate)),
      Context.add(ChatHost, GatedPorts.chatHost(broken.chatHost, gate)),
    );
  }),
);

/** A model whose calls are counted outside. */
const model = Layer.effect(
  ModelGateway,
  Effect.map(ModelGateway, (gateway) =>
    GatedPorts.modelGateway(
      {
        ...gateway,
        generate: (request, onDelta) =>
          Effect.andThen(
            Effect.orDie(asked("", { run: request.sessionId.split(":")[0], modelCall: true })),
            gateway.generate(request, onDelta),
          ),
      },
      gate,
    ),
  ),
).pipe(
  Layer.provide(Gateway.layer()),
  Layer.provide(Layer.merge(UndiciTransport.layer(), EnvironmentSecretStore.layer({}))),
);

/** Whoever takes over believes that every other process is gone. */
const host = Layer.effect(
  HostProcess,
  Effect.map(HostProcess, (process) =>
    order.task === "takeOver" ? { ...process, liveness: () => Effect.succeed("gone" as const) } : process,
  ),
).pipe(Layer.provide(NodeHostProcess.layer));

const storage = Storage.layer(Storage.choose({ storage: order.storage }, {}));

const runtime = Application.layer(tools).pipe(
  Layer.provideMerge(gated.pipe(Layer.provideMerge(Layer.merge(storage, SillyTavernChatHost.layer())))),
  Layer.provideMerge(Layer.mergeAll(model, SillyTavernPromptAssembler.layer, host)),
);

/** Waits for the end of a run and answers whatever it asks about on the way. */
const untilEnd = Effect.fnUntraced(function* (started: RunHandle) {
  const runs = yield* Runs;
  for (let handle: RunHandle | undefined = started; handle !== undefined;) {
    const { status } = yield* handle.outcome;
    if (status !== "awaiting_approval") return;
    handle = yield* answerAll(runs, handle.runId, handle.state());
  }
});

/** Allows every call that waits; the last answer gives the run that goes on. */
const answerAll = Effect.fnUntraced(function* (runs: Runs["Service"], runId: RunId, state: RunState) {
  const handles = yield* Effect.forEach(awaitingCalls(state), ({ call }) =>
    runs.decide(runId, { callId: call.callId, approved: true }),
  );
  return handles.find((handle) => handle !== undefined);
});

const begin = (location: string) =>
  startRunFromChat({
    chat: { location },
    binding: SweepStory.binding,
    profile: { document: SweepStory.profile },
  }).pipe(Effect.flatMap(untilEnd));

const resume = Effect.fnUntraced(function* (runId: RunId) {
  const runs = yield* Runs;
  yield* untilEnd(yield* runs.resume(runId));
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

/** The runs that can be carried on, in the order of their beginning. */
const unended = Effect.gen(function* () {
  const journal = yield* RunJournal;
  const records = yield* journal.list({ limit: 200 });
  const loaded = yield* Effect.forEach(records, ({ runId }) =>
    Effect.map(Effect.result(loadState(journal, runId)), (result) => ({ runId, result })),
  );
  return loaded.flatMap(({ result, runId }) =>
    result._tag === "Success" && (result.success.state.foreground === null || isTerminal(result.success.state.status))
      ? []
      : [runId],
  );
});

/** A gate that waits for runs which are not there would never be settled. */
const carryOn = Effect.gen(function* () {
  const runIds = yield* unended;
  for (let lacking = order.boundaries.length - runIds.length; lacking > 0; lacking -= 1) gate.ended();
  yield* eachEnds(runIds.map(resume));
});

const reportOf = Effect.fnUntraced(function* (runId: RunId, finding: string | undefined) {
  const journal = yield* RunJournal;
  const events: Array<StoredEvent> = [];
  const { damage, state } = yield* loadState(journal, runId, (event) => events.push(event));
  const { attempts, calls, faults } = pairing(events);
  const trouble = finding ?? damage?.detail ?? (state.status === "completed" ? undefined : standingOf(state));
  const begun = state.foreground !== null;
  return {
    runId,
    chat: state.target?.location ?? null,
    standing: !begun ? "neverBegun" : trouble === undefined ? "completed" : "stuck",
    ...(trouble === undefined ? {} : { detail: trouble }),
    unknown: calls.flatMap(({ callId, code }) => (code === "tool.outcome_unknown" ? [callId] : [])),
    faults: begun ? faults : [],
    attempts,
  } satisfies RunReport;
});

const standingOf = ({ failure, status }: RunState): string =>
  `it is ${status}${failure === null ? "" : `: ${failure.message} [${failure.code}]`}`;

const unread = (runId: RunId, detail: string): RunReport => ({
  runId,
  chat: null,
  standing: "stuck",
  detail,
  unknown: [],
  faults: [],
  attempts: 0,
});

/** What became of every run, read back from the storage. */
const reports = Effect.gen(function* () {
  const journal = yield* RunJournal;
  const findings = new Map(
    (yield* checkRuns).map(({ check, detail, outcome }) => [check, outcome === "failed" ? detail : undefined]),
  );
  const records = yield* journal.list({ limit: 200 });
  return yield* Effect.forEach(records, ({ runId }) =>
    reportOf(runId, findings.get(runId)).pipe(
      Effect.catch((failure) => Effect.succeed(unread(runId, failure.message))),
    ),
  );
});

const program = Effect.gen(function* () {
  say({ _tag: "begun" });
  yield* Effect.forkChild(Effect.flatMap(gate.settled, (held) => Effect.sync(() => say({ _tag: "settled", held }))));
  yield* order.task === "begin" ? eachEnds(order.chats.map(begin)) : carryOn;
  say({ _tag: "done", counts: gate.counts() });
  if (order.task !== "finish") return yield* Effect.never;
  say({ _tag: "reports", reports: yield* reports });
});

createInterface({ input: process.stdin })
  .on("line", (word) => {
    Effect.runFork(word === "free" ? gate.free : gate.letGo);
  })
  // Nobody is there any more to kill it.
  .on("close", () => process.exit(1));

await Effect.runPromise(program.pipe(Effect.provide(runtime), Effect.scoped));
process.exit(0);
