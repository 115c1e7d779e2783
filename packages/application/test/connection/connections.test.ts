import * as Connections from "@cahier/application/connection/Connections";
import { forkRun } from "@cahier/application/fork/forkRun";
import * as Policies from "@cahier/application/policy/Policies";
import { startRunFromChat } from "@cahier/application/run/startRun";
import type { ModelBinding, ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelGateway } from "@cahier/ports/ModelGateway";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as play from "../support/play.ts";
import * as World from "../support/World.ts";

const prices = { currency: "EUR", input: 3, output: 15 };

const home = {
  kind: "cahier.llmConnection",
  schemaVersion: 1,
  id: "home",
  displayName: "Home",
  provider: { chatCompletionSource: "custom" },
  endpoint: { baseUrl: "http://127.0.0.1:8080/v1" },
  auth: { secretRef: { key: "HOME_KEY", id: "default" } },
  prices,
};

const binding: ModelBinding = {
  source: "custom",
  format: "openai-chat",
  modelId: "llama",
  baseUrl: "http://127.0.0.1:8080/v1",
  secret: { key: "HOME_KEY" },
  prices,
};

/** What stands in the store without having been checked. */
const plant = (id: string, value: { readonly kind: string }) =>
  Effect.flatMap(DocumentStore, (documents) => documents.put(Connections.connectionsCollection, id, 0, value));

const codeOf = <A, R>(effect: Effect.Effect<A, { readonly reason: { readonly code: string } }, R>) =>
  Effect.map(Effect.flip(effect), (failure) => failure.reason.code);

describe("stored connections", () => {
  it.effect("are listed by id, shown with their revision, replaced and removed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Connections.list(), { connections: [], unusable: [] });
      assert.strictEqual((yield* Connections.put(home)).revision, 1);
      yield* Connections.put({ ...home, id: "another" });
      assert.strictEqual((yield* Connections.put({ ...home, displayName: "Moved" })).revision, 2);
      const { connections } = yield* Connections.list();
      assert.deepStrictEqual(
        connections.map(({ connection }) => connection.id),
        ["another", "home"],
      );
      const found = yield* Connections.get("home");
      assert.strictEqual(found.connection.displayName, "Moved");
      assert.strictEqual(found.revision, 2);
      yield* Connections.remove("home");
      assert.strictEqual(yield* codeOf(Connections.get("home")), "llm_connection.not_found");
      assert.strictEqual(yield* codeOf(Connections.remove("home")), "llm_connection.not_found");
    }).pipe(World.inProcess(World.make())),
  );

  it.effect("are refused when they are wrong, with everything that is wrong, and then nothing changes", () =>
    Effect.gen(function* () {
      yield* Connections.put(home);
      const failure = yield* Effect.flip(Connections.put({ ...home, displayName: "", auth: {} }));
      assert.strictEqual(failure.reason.code, "llm_connection.display_name_required");
      assert.include(failure.message, "2 more: llm_connection.secret_key_required, llm_connection.secret_id_required.");
      assert.strictEqual((yield* Connections.get("home")).revision, 1);
    }).pipe(World.inProcess(World.make())),
  );

  it.effect("that cannot be used are named beside the others, and are refused when they are asked for", () =>
    Effect.gen(function* () {
      yield* Connections.put(home);
      yield* plant("broken", { kind: "something else" });
      const { connections, unusable } = yield* Connections.list();
      assert.strictEqual(connections.length, 1);
      assert.deepStrictEqual(
        unusable.map(({ id, failure }) => [id, failure.reason.code]),
        [["broken", "llm_connection.kind_invalid"]],
      );
      assert.strictEqual(yield* codeOf(Connections.bind("broken", "llama")), "llm_connection.kind_invalid");
      yield* Connections.remove("broken");
    }).pipe(World.inProcess(World.make())),
  );

  it.effect("are not looked for under what is no id", () =>
    Effect.gen(function* () {
      for (const id of ["", "../home", "Home", "a".repeat(129)])
        assert.strictEqual(yield* codeOf(Connections.get(id)), "llm_connection.not_found");
    }).pipe(World.inProcess(World.make())),
  );

  it.effect("bind endpoint, secret reference, prices and model in one", () =>
    Effect.gen(function* () {
      yield* Connections.put(home);
      assert.deepStrictEqual(yield* Connections.bind("home", "llama"), binding);
    }).pipe(World.inProcess(World.make())),
  );
});

const profile = (model: object) => ({
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "plain",
    displayName: "Plain",
    tools: { allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`), maxRounds: 9 },
    model,
  },
});

const byConnection = profile({ mode: "connectionRef", connectionRef: "home", modelId: "llama" });

/** A gateway that answers every binding as the script would, and keeps what it was asked with. */
const recorded = () => {
  const asked: Array<ModelBinding> = [];
  const gateway = (inner: ModelGateway["Service"]): ModelGateway["Service"] => ({
    ...inner,
    generate: (request: ModelRequest, onDelta) => {
      asked.push(request.binding);
      return inner.generate({ ...request, binding: World.scripted(World.publishing) }, onDelta);
    },
  });
  return { asked, process: { gateway } };
};

/** How the journal names the connection. */
const named = { id: "home", displayName: "Home" };

const boundIn = (events: ReadonlyArray<{ readonly type: string; readonly payload: unknown }>) =>
  events
    .filter(({ type }) => type === "agent_model_binding_resolved")
    .map(({ payload }) => {
      const bound = payload as Readonly<Record<string, unknown>>;
      return [bound["mode"], bound["modelId"], bound["connection"]];
    });

describe("the model of a run", () => {
  it.effect("is that of the profile's connection, frozen as the connection stood at the start", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { asked, process } = recorded();
      const { outcome, events } = yield* Effect.gen(function* () {
        yield* Connections.put(home);
        const run = yield* startRunFromChat({
          chat: World.chatLocation,
          profile: byConnection,
          hostModel: Effect.die("the profile names a model"),
        });
        yield* Connections.put({ ...home, endpoint: { baseUrl: "http://127.0.0.1:9/moved" } });
        return yield* play.ended(world, run);
      }).pipe(World.inProcess(world, process));
      assert.strictEqual(outcome.status, "completed");
      assert.isAbove(asked.length, 1);
      for (const one of asked) assert.deepStrictEqual(one, binding);
      assert.deepStrictEqual(boundIn(events), [["connectionRef", "llama", named]]);
    }),
  );

  it.effect("is the one that the start asks for, before the profile's", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { asked, process } = recorded();
      const { events } = yield* Effect.gen(function* () {
        yield* Connections.put(home);
        const run = yield* startRunFromChat({
          chat: World.chatLocation,
          profile: byConnection,
          binding: { connection: "home", modelId: "qwen" },
        });
        return yield* play.ended(world, run);
      }).pipe(World.inProcess(world, process));
      assert.strictEqual(asked[0]?.modelId, "qwen");
      assert.deepStrictEqual(boundIn(events), [["connectionRef", "qwen", named]]);
    }),
  );

  it.effect("is the host's own where neither the start nor the profile names one", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { events } = yield* Effect.gen(function* () {
        const run = yield* startRunFromChat({
          chat: World.chatLocation,
          hostModel: Effect.succeed(World.scripted(World.publishing)),
        });
        return yield* play.ended(world, run);
      }).pipe(World.inProcess(world));
      assert.deepStrictEqual(boundIn(events), [["currentPromptSnapshot", "script", undefined]]);
    }),
  );

  it.effect("must be named somewhere, and its connection must exist", () =>
    Effect.gen(function* () {
      const world = World.make();
      const start = (options: object) => startRunFromChat({ chat: World.chatLocation, ...options });
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* codeOf(start({})), "model.none_configured");
        assert.strictEqual(yield* codeOf(start({ profile: byConnection })), "llm_connection.not_found");
      }).pipe(World.inProcess(world));
      assert.strictEqual(world.journals.journals.size, 0);
    }),
  );

  it.effect("is refused by the platform's policy whatever connection leads to it", () =>
    Effect.gen(function* () {
      yield* Connections.put(home);
      yield* Policies.write("platform", {
        kind: "cahier.policy",
        schemaVersion: 1,
        rules: [],
        models: { endpoints: ["https://api.openai.com"] },
      });
      const start = startRunFromChat({ chat: World.chatLocation, profile: byConnection });
      assert.strictEqual(yield* codeOf(start), "model.source_denied");
    }).pipe(World.inProcess(World.make())),
  );

  it.effect("is that of another connection in a fork that asks for one, or whose profile does", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { asked, process } = recorded();
      yield* Effect.gen(function* () {
        yield* Connections.put(home);
        const first = yield* play.start(World.publishing);
        const { events } = yield* play.ended(world, first);
        const started = events.find(({ type }) => type === "agent_invocation_started")?.seq ?? 0;
        const asks = yield* forkRun(first.runId, started, { model: { connection: "home", modelId: "qwen" } });
        assert.deepStrictEqual(boundIn((yield* play.ended(world, asks)).events).at(-1), [
          "connectionRef",
          "qwen",
          named,
        ]);
        const profiled = yield* forkRun(first.runId, started, { profile: byConnection });
        assert.deepStrictEqual(boundIn((yield* play.ended(world, profiled)).events).at(-1), [
          "connectionRef",
          "llama",
          named,
        ]);
      }).pipe(World.inProcess(world, process));
      assert.includeMembers(
        asked.map(({ modelId }) => modelId),
        ["script", "qwen", "llama"],
      );
    }),
  );
});
