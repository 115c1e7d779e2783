/**
 * The runtime that the sweep strikes, composed as the product composes it, with a gate around its ports.
 *
 * Owns the composition, carrying runs on to their end, and reading back what became of them. Does not own processes: the
 * sweep's worker is one, and a test may use it within its own.
 */
import { SecretStore } from "@cahier/ports/SecretStore";
import * as Application from "@cahier/application/Application";
import * as States from "@cahier/application/persist/States";
import { profilesCollection } from "@cahier/application/profile/findProfile";
import { findResumable } from "@cahier/application/run/findResumable";
import { loadState } from "@cahier/application/run/loadState";
import { Runs } from "@cahier/application/run/Runs";
import type { RunHandle } from "@cahier/application/run/supervise";
import { startRunFromChat } from "@cahier/application/run/startRun";
import type { RunId, TaskId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import { awaitingCalls, type RunState } from "@cahier/domain/run/RunState";
import { isKnown, trust } from "@cahier/domain/run/RunEvent";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import { BlobStore } from "@cahier/ports/BlobStore";
import { ChatHost } from "@cahier/ports/ChatHost";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { HostProcess } from "@cahier/ports/HostProcess";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import * as UndiciTransport from "@cahier/provider-gateway/transport/UndiciTransport";
import * as SillyTavernChatHost from "@cahier/sillytavern/SillyTavernChatHost";
import * as SillyTavernPromptAssembler from "@cahier/sillytavern/SillyTavernPromptAssembler";
import type { Applied } from "@cahier/testkit/crash/Ending";
import type * as Gate from "@cahier/testkit/crash/Gate";
import * as GatedPorts from "@cahier/testkit/crash/GatedPorts";
import { pairing } from "@cahier/testkit/crash/pairing";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import { checkRuns } from "../../src/cli/checkRuns.ts";
import * as HostSecretStore from "../../src/process/HostSecretStore.ts";
import * as NodeHostProcess from "../../src/process/NodeHostProcess.ts";
import type { RunReport } from "./SweepOrder.ts";
import * as SweepStory from "./SweepStory.ts";
import type { SweepMutant } from "./sweepMutants.ts";

/**
 * What a runtime is made of. `storage` is any layer of the storage ports; `breaking` what is broken of it; `takesOver`: it
 * believes that every other process is gone.
 */
export interface Composition<E> {
  readonly storage: Layer.Layer<RunJournal | BlobStore | DocumentStore, E>;
  readonly outside: SweepStory.Outside;
  readonly gate: Gate.Gate;
  readonly breaking: Pick<SweepMutant, "ports" | "reaching">;
  readonly takesOver: boolean;
}

/** The whole runtime. Calls of its model are counted by `outside`. */
export const layer = <E>({ breaking, gate, outside, storage, takesOver }: Composition<E>) =>
  Application.layer(SweepStory.tools(outside, gate, breaking.reaching)).pipe(
    Layer.provideMerge(
      gated(breaking, gate).pipe(Layer.provideMerge(Layer.merge(storage, SillyTavernChatHost.layer()))),
    ),
    Layer.provideMerge(Layer.mergeAll(model(outside, gate), SillyTavernPromptAssembler.layer, host(takesOver))),
  );

/** Journal, blobs and chat host as the product has them, broken where that is asked for, with the gate around them. */
const gated = ({ ports }: Composition<never>["breaking"], gate: Gate.Gate) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const broken = ports({ journal: yield* RunJournal, blobs: yield* BlobStore, chatHost: yield* ChatHost });
      return Context.make(RunJournal, GatedPorts.runJournal(broken.journal, gate)).pipe(
        Context.add(BlobStore, GatedPorts.blobStore(broken.blobs, gate)),
        Context.add(DocumentStore, GatedPorts.documentStore(yield* DocumentStore, gate)),
        Context.add(ChatHost, GatedPorts.chatHost(broken.chatHost, gate)),
      );
    }),
  );

/** A model whose calls are counted outside. */
const model = (outside: SweepStory.Outside, gate: Gate.Gate) =>
  Layer.effect(
    ModelGateway,
    Effect.map(ModelGateway, (gateway) =>
      GatedPorts.modelGateway(
        {
          ...gateway,
          generate: (request, onDelta) =>
            Effect.andThen(outside.called(...callOf(request)), gateway.generate(request, onDelta)),
        },
        gate,
      ),
    ),
  ).pipe(
    Layer.provide(Gateway.layer()),
    Layer.provide(Layer.merge(UndiciTransport.layer(), Layer.succeed(SecretStore, HostSecretStore.make({})))),
  );

/** The run of a request, and what counts of it. A successor and whoever it follows are told apart by their profiles. */
const callOf = ({ agent, messages, position, sessionId }: ModelRequest): [string, SweepStory.ModelCall] => [
  sessionId.split(":")[0] ?? "",
  {
    agent: `${agent.profileId} ${agent.ordinal}`,
    position,
    told: messages.flatMap((message) => SweepStory.resultsIn(JSON.stringify(message))),
  },
];

/** Whoever takes over believes that every other process is gone. */
const host = (takesOver: boolean) =>
  Layer.effect(
    HostProcess,
    Effect.map(HostProcess, (process) =>
      takesOver ? { ...process, liveness: () => Effect.succeed("gone" as const) } : process,
    ),
  ).pipe(Layer.provide(NodeHostProcess.layer));

/** Waits for the end of a run and answers whatever it asks about on the way; gives the last outcome. */
const untilEnd = Effect.fnUntraced(function* (started: RunHandle) {
  const runs = yield* Runs;
  for (let handle = started; ;) {
    const outcome = yield* handle.outcome;
    const { error, status } = outcome;
    if (status === "interrupted" && error !== undefined)
      yield* Effect.logError(`${handle.runId}: ${error.message} [${error.code}]`);
    const next = status === "awaiting_approval" ? yield* answerAll(runs, handle.runId, handle.state()) : undefined;
    if (next === undefined) return outcome;
    handle = next;
  }
});

/** Allows every call that waits; the last answer gives the run that goes on. */
const answerAll = Effect.fnUntraced(function* (runs: Runs["Service"], runId: RunId, state: RunState) {
  const handles = yield* Effect.forEach(awaitingCalls(state), ({ call, invocation }) =>
    runs.decide(runId, { callId: call.callId, invocationId: invocation.id, approved: true }),
  );
  return handles.find((handle) => handle !== undefined);
});

/** Stores the profiles of the agents that the first one of a story works with. */
export const prepare = Effect.fnUntraced(function* ({ profiles }: SweepStory.SweepStory) {
  const documents = yield* DocumentStore;
  yield* Effect.forEach(profiles, (profile) => documents.put(profilesCollection, profile.id, 0, { ...profile }));
});

/** Starts a run of a story in a chat and carries it to its end; `onStarted` is called when it is admitted. */
export const begin = (story: SweepStory.SweepStory, location: string, onStarted: () => void = () => undefined) =>
  startRunFromChat({
    chat: { location },
    binding: SweepStory.bindingOf(story),
    profile: { document: story.profile },
  }).pipe(Effect.tap(Effect.sync(onStarted)), Effect.flatMap(untilEnd));

/** Resumes a run and carries it to its end. */
export const resume = Effect.fnUntraced(function* (runId: RunId) {
  const runs = yield* Runs;
  return yield* untilEnd(yield* runs.resume(runId));
});

/** The runs that have a beginning and no end, in the order of the list. */
const open = Effect.gen(function* () {
  const journal = yield* RunJournal;
  const records = yield* journal.list({ limit: 200 });
  const loaded = yield* Effect.forEach(records, ({ runId }) => Effect.option(loadState(journal, runId)));
  // Of a run that cannot be read the report tells.
  return loaded.flatMap((one) => {
    if (Option.isNone(one)) return [];
    const { foreground, runId, status } = one.value.state;
    return foreground === null || runId === null || isTerminal(status) ? [] : [{ runId, state: one.value.state }];
  });
});

/** The runs that can be carried on. */
export const unended = Effect.map(open, (found) => found.map(({ runId }) => runId));

/** Those of them that a host finds when it starts, and those that wait for an answer. */
export const found = Effect.gen(function* () {
  const resumable = new Set((yield* findResumable()).map(({ runId }) => runId));
  return (yield* open)
    .filter(({ runId, state }) => resumable.has(runId) || awaitingCalls(state).length > 0)
    .map(({ runId }) => runId);
});

/** The states that the run published, and the marks in their files. */
const publishedBy = Effect.fnUntraced(function* (runId: RunId, workspaceId: WorkspaceId | null) {
  if (workspaceId === null) return [];
  const states = yield* States.make;
  const own = (yield* states.list(workspaceId)).filter((state) => state.runId === runId);
  const found = yield* Effect.forEach(own, ({ stateId }) => states.read(workspaceId, stateId));
  return found.flatMap(({ files }): ReadonlyArray<Applied> => [
    { name: "state" },
    ...files.flatMap(({ text }) => SweepStory.marksIn(text)),
  ]);
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
    published: yield* publishedBy(runId, state.workspaceId),
    tasks: taskEffects(state, events),
  } satisfies RunReport;
});

/** How each task ended, and each time that its result was told, as the journal has it. */
const taskEffects = ({ tasks }: RunState, events: ReadonlyArray<StoredEvent>): ReadonlyArray<Applied> =>
  events.map(trust).flatMap((event) => {
    if (!isKnown(event)) return [];
    const keyOf = (taskId: TaskId): string => tasks[taskId]?.workspaceKey ?? taskId;
    switch (event.type) {
      case "agent_task_completed":
      case "agent_task_failed":
      case "agent_task_cancelled":
        return [{ name: `${keyOf(event.payload.taskId)} is ${event.payload.status}` }];
      case "agent_task_results_delivered":
        return event.payload.taskIds.map((taskId) => ({ name: `${keyOf(taskId)} is told` }));
      case "agent_await_completed":
        return event.payload.deliveredTaskIds.map((taskId) => ({ name: `${keyOf(taskId)} is told` }));
      default:
        return [];
    }
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
  published: [],
  tasks: [],
});

/** What became of every run, read back from the storage. */
export const reports = Effect.gen(function* () {
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
