/**
 * A whole runtime in memory with one tool more, and runs of a scripted model in it.
 */
import * as Application from "@cahier/application/Application";
import { startRunFromChat } from "@cahier/application/run/startRun";
import { OwnerId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { PayloadOf, RunEventType } from "@cahier/domain/run/RunEvent";
import { HostProcess } from "@cahier/ports/HostProcess";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import { Transport, TransportFault } from "@cahier/provider-gateway/transport/Transport";
import * as MemoryStorage from "@cahier/storage-memory/MemoryStorage";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import * as PlainPromptAssembler from "@cahier/testkit/doubles/PlainPromptAssembler";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { countChapters, id } from "../../src/CountChapters.ts";

const location = "memory:chat";

/** Everything that a run needs, made afresh for whoever is provided with it. */
export const layer = Layer.suspend(() => {
  const chats = MemoryChatHost.makeStorage();
  MemoryChatHost.addChat(chats, location, [{ role: "user", text: "Write two chapters." }]);
  const outside = Layer.mergeAll(
    MemoryChatHost.layer(chats),
    PlainPromptAssembler.layer,
    Layer.succeed(HostProcess, {
      self: { ownerId: OwnerId.make("owner_here"), machine: "here", pid: 1, startedAt: "0" },
      liveness: () => Effect.succeed("running"),
      stopRequested: Effect.never,
    }),
    Layer.effect(ModelGateway, Gateway.make()).pipe(Layer.provide(noNetwork)),
  );
  return Application.layer([countChapters]).pipe(
    Layer.provideMerge(outside),
    Layer.provideMerge(MemoryStorage.layer()),
  );
});

/** One call of a tool by the model. */
export interface Call {
  readonly name: string;
  readonly arguments?: unknown;
}

/**
 * Starts a run in which the model makes these calls, one a turn, under a profile that allows the tool and has these
 * policy rules. Gives how the run stands when nobody carries it on any more, and its events.
 */
export const play = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>, policy: ReadonlyArray<unknown> = []) {
  const script = { format: "cahier.script/1", turns: calls.map((call) => ({ toolCalls: [call] })) };
  const run = yield* startRunFromChat({
    chat: { location },
    binding: { source: "scripted", format: "scripted", modelId: "script", script: JSON.stringify(script) },
    profile: { document: { ...profile, tools: { ...profile.tools, policy } } },
  });
  const outcome = yield* run.outcome;
  const { events } = yield* (yield* RunJournal).read(run.runId, { limit: 500 });
  return { outcome, events, runId: run.runId };
});

/** The payloads of all events of one type, in order. */
export const payloadsOf = <Type extends RunEventType>(
  events: ReadonlyArray<StoredEvent>,
  type: Type,
): ReadonlyArray<PayloadOf<Type>> =>
  events.filter((event) => event.type === type).map((event) => event.payload as unknown as PayloadOf<Type>);

const profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "chapter-writer",
  displayName: "Chapter writer",
  tools: {
    allow: ["builtin:workspace.write_file", id, "builtin:workspace.commit", "builtin:workspace.finish"],
    maxRounds: 10,
    maxCallsPerRun: 10,
  },
};

const noNetwork = Layer.succeed(Transport, {
  send: () => Effect.fail(new TransportFault({ kind: "connect", detail: "there is no network in this test" })),
});
