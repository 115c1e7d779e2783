import { cataloguesCollection } from "@cahier/application/mcp/Catalogues";
import { registrationsCollection } from "@cahier/application/mcp/Registrations";
import { McpFault } from "@cahier/ports/McpGateway";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as FaultyDocumentStore from "@cahier/testkit/doubles/FaultyDocumentStore";
import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import * as Desk from "./support/Desk.ts";

const { codeOf, endpoint, tool } = Desk;

const full = new Unavailable({ operation: "put", kind: "full", detail: "no room" });

describe("registered MCP servers", () => {
  it.effect("are registered paused under a new id, listed, changed and removed", () =>
    Effect.gen(function* () {
      const { servers } = yield* Desk.make();
      assert.deepStrictEqual(yield* servers.list, { servers: [], storageIssues: [] });
      const { registration, revision } = yield* servers.create({ displayName: "Files", endpoint });
      assert.match(registration.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.strictEqual(registration.state, "paused");
      assert.strictEqual(revision, 1);
      const renamed = yield* servers.update(registration.id, { displayName: "Papers" });
      assert.strictEqual(renamed.registration.displayName, "Papers");
      assert.strictEqual((yield* servers.setState(registration.id, "active")).registration.state, "active");
      assert.strictEqual((yield* servers.setState(registration.id, "active")).revision, 3);
      const seen = { ...registration, allowsSampling: true };
      const other = yield* codeOf(servers.setState(registration.id, "paused", { seen }));
      assert.strictEqual(other, "mcp.registration_changed");
      assert.strictEqual((yield* servers.get(registration.id)).revision, 3);
      yield* servers.remove(registration.id);
      assert.strictEqual(yield* codeOf(servers.get(registration.id)), "mcp.registration_not_found");
      assert.strictEqual(yield* codeOf(servers.remove(registration.id)), "mcp.registration_not_found");
      assert.strictEqual(yield* codeOf(servers.setState("../x", "active")), "mcp.registration_not_found");
    }),
  );

  it.effect("take nothing but what a user states of them, and refuse what is wrong with its code", () =>
    Effect.gen(function* () {
      const { servers } = yield* Desk.make();
      const refused = (input: unknown) => codeOf(servers.create(input));
      assert.strictEqual(
        yield* refused({ displayName: "Files", endpoint, state: "active" }),
        "mcp.registration_contract_invalid",
      );
      assert.strictEqual(yield* refused([]), "mcp.registration_contract_invalid");
      assert.strictEqual(yield* refused({ displayName: " ", endpoint }), "mcp.display_name_empty");
      const { registration } = yield* servers.create({ displayName: "Files", endpoint });
      const toolPermissions = { read: { permission: "allow", definition: { inputSchema: {} } } };
      assert.strictEqual(
        yield* codeOf(servers.update(registration.id, { toolPermissions })),
        "mcp.registration_contract_invalid",
      );
      const inClear = { ...endpoint, headers: { Authorization: "Bearer hunter2" } };
      const failure = yield* Effect.flip(servers.update(registration.id, { endpoint: inClear }));
      assert.strictEqual(failure.reason.code, "mcp.secret_in_clear");
      assert.notInclude(failure.reason.message, "hunter2");
      assert.strictEqual((yield* servers.get(registration.id)).revision, 1);
    }),
  );

  it.effect("that cannot be read are told beside the others, and can be removed", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const id = yield* Desk.register(desk);
      yield* desk.documents.put(registrationsCollection, "broken", 0, { kind: "cahier.mcp-server", schemaVersion: 9 });
      const { registration } = yield* desk.servers.get(id);
      yield* desk.documents.put(registrationsCollection, "elsewhere", 0, registration);
      const { servers, storageIssues } = yield* desk.servers.list;
      assert.deepStrictEqual(
        servers.map((one) => one.registration.id),
        [id],
      );
      assert.deepStrictEqual(
        storageIssues.map((issue) => [issue.id, issue.failure.reason.code]),
        [
          ["broken", "mcp.registration_schema_unsupported"],
          ["elsewhere", "mcp.registration_contract_invalid"],
        ],
      );
      assert.deepStrictEqual(
        (yield* desk.source.catalogue).diagnostics.map(({ code }) => code),
        ["mcp.registration_schema_unsupported", "mcp.registration_contract_invalid"],
      );
      yield* desk.servers.remove("broken");
      yield* desk.servers.remove("elsewhere");
      assert.deepStrictEqual((yield* desk.servers.list).storageIssues, []);
    }),
  );

  it.effect("are not reached while they are paused", () =>
    Effect.gen(function* () {
      const { asked, closed, memory, servers } = yield* Desk.make();
      const { registration } = yield* servers.create({ displayName: "Files", endpoint });
      const { id } = registration;
      assert.strictEqual(yield* codeOf(servers.discover(id)), "mcp.server_paused");
      assert.strictEqual(yield* codeOf(servers.testCall(id, "read", {})), "mcp.server_paused");
      assert.strictEqual(yield* codeOf(servers.entries(id, "prompts")), "mcp.server_paused");
      assert.strictEqual(yield* codeOf(servers.readResource(id, "file:///a")), "mcp.server_paused");
      assert.strictEqual(yield* codeOf(servers.getPrompt(id, "greet", {})), "mcp.server_paused");
      assert.deepStrictEqual([asked, memory.called], [[], []]);
      yield* servers.setState(id, "active");
      yield* servers.setState(id, "paused");
      assert.deepStrictEqual(closed, [id]);
    }),
  );

  it.effect("give their resources and prompts as they stand on the wire, and say why they do not", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const id = yield* Desk.register(desk, {
        resources: [{ uri: "file:///a" }],
        prompts: [{ name: "greet" }],
        readResource: (uri) => Effect.succeed({ contents: [{ uri, text: "a" }] }),
        getPrompt: (name, given) => Effect.succeed({ name, given }),
      });
      assert.deepStrictEqual(yield* desk.servers.entries(id, "resources"), [{ uri: "file:///a" }]);
      assert.deepStrictEqual(yield* desk.servers.entries(id, "resourceTemplates"), []);
      assert.deepStrictEqual(yield* desk.servers.entries(id, "prompts"), [{ name: "greet" }]);
      assert.deepStrictEqual(yield* desk.servers.readResource(id, "file:///a"), {
        contents: [{ uri: "file:///a", text: "a" }],
      });
      assert.deepStrictEqual(yield* desk.servers.getPrompt(id, "greet", { who: "you" }), {
        name: "greet",
        given: { who: "you" },
      });
      desk.memory.servers.set(id, {
        call: () => Effect.succeed(Desk.says("")),
        readResource: () => Effect.fail(new McpFault({ code: "mcp.of_tomorrow", detail: "it is too early" })),
      });
      const failure = yield* Effect.flip(desk.servers.readResource(id, "file:///a"));
      assert.strictEqual(failure.reason.code, "mcp.request_failed");
      assert.include(failure.reason.message, "it is too early");
      desk.memory.servers.delete(id);
      assert.strictEqual(yield* codeOf(desk.servers.entries(id, "resources")), "mcp.request_initialize_failed");
    }),
  );

  it.effect("can be tried by their user, permitted or not", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const id = yield* Desk.register(desk);
      assert.deepStrictEqual(yield* desk.servers.testCall(id, "read", { path: "a" }), Desk.says("read"));
      assert.deepStrictEqual(desk.memory.called, [{ serverId: id, tool: "read", arguments: { path: "a" } }]);
      desk.memory.servers.set(id, { call: () => Effect.never });
      const fiber = yield* Effect.forkChild(desk.servers.testCall(id, "read", {}, { timeoutMs: 5000 }));
      yield* TestClock.adjust(5000);
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "Unknown", code: "mcp.call_timeout" });
    }),
  );
});

describe("what a server offers", () => {
  it.effect("is known from the network, then from memory, and in another process from the storage", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const { registration } = yield* desk.servers.create({ displayName: "Files", endpoint });
      const { id } = registration;
      desk.memory.servers.set(id, { tools: [tool("read")], call: () => Effect.succeed(Desk.says("")) });
      yield* desk.servers.setState(id, "active");
      assert.isUndefined(yield* desk.servers.known(id));
      yield* TestClock.adjust(1000);
      const found = yield* desk.servers.discover(id);
      assert.deepInclude(found, {
        from: "network",
        isStale: false,
        discoveredAt: "1970-01-01T00:00:01.000Z",
        peer: { name: id, version: "1" },
      });
      assert.deepStrictEqual(found.tools, [{ tool: tool("read"), permission: "off", standing: "off", changes: [] }]);
      assert.deepStrictEqual(yield* desk.servers.discover(id), { ...found, from: "memory" });
      const other = yield* Desk.make({ storage: desk.storage, memory: desk.memory });
      assert.deepStrictEqual(yield* other.servers.discover(id), { ...found, from: "storage" });
      assert.deepStrictEqual(yield* other.servers.known(id), { ...found, from: "memory" });
      assert.deepStrictEqual([desk.asked.length, other.asked.length], [1, 0]);
      assert.strictEqual((yield* desk.servers.discover(id, { refresh: true })).from, "network");
    }),
  );

  it.effect("is known anew in every process when one of them has asked", () =>
    Effect.gen(function* () {
      const one = yield* Desk.make();
      const id = yield* Desk.register(one, {}, { read: "allow" });
      const other = yield* Desk.make({ storage: one.storage, memory: one.memory });
      assert.strictEqual((yield* other.source.catalogue).tools.length, 1);
      Desk.offer(one, id, [tool("read", { description: "Sends a file away." })]);
      yield* one.servers.discover(id, { refresh: true });
      assert.deepStrictEqual((yield* other.source.catalogue).tools, []);
      assert.strictEqual((yield* other.servers.discover(id)).tools[0]?.standing, "changed");
    }),
  );

  it.effect("is asked for again once the server has said that it is other, and is told as stale until then", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const id = yield* Desk.register(desk, {}, { read: "ask" });
      desk.hosts[0]?.listChanged?.(id, "prompts");
      assert.isFalse((yield* desk.servers.known(id))?.isStale);
      desk.hosts[0]?.listChanged?.(id, "tools");
      assert.isTrue((yield* desk.servers.known(id))?.isStale);
      const { diagnostics, tools } = yield* desk.source.catalogue;
      assert.deepStrictEqual([tools.length, diagnostics[0]?.code], [1, "mcp.catalogue_stale"]);
      yield* desk.servers.setState(id, "paused");
      assert.isTrue((yield* desk.servers.discover(id)).isStale);
      yield* desk.servers.setState(id, "active");
      assert.deepInclude(yield* desk.servers.discover(id), { from: "network", isStale: false });
    }),
  );

  it.effect("is stale at once when the server says so while it is asked", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const id = yield* Desk.register(desk);
      const answer = yield* Deferred.make<void>();
      const server = desk.memory.servers.get(id);
      assert.isDefined(server);
      const stated = { peer: { name: "f", version: "1" }, protocolVersion: "2025-11-25", tools: [], diagnostics: [] };
      desk.memory.servers.set(id, { ...server, discover: Effect.as(Deferred.await(answer), stated) });
      const fiber = yield* Effect.forkChild(desk.servers.discover(id, { refresh: true }), { startImmediately: true });
      desk.servers.listChanged(id, "tools");
      yield* Deferred.succeed(answer, undefined);
      assert.isTrue((yield* Fiber.join(fiber)).isStale);
    }),
  );

  it.effect("is known until the process ends where it cannot be kept, and that is told", () =>
    Effect.gen(function* () {
      const first = yield* Desk.make();
      const id = yield* Desk.register(first, {}, { read: "ask" });
      const desk = yield* Desk.make({
        storage: first.storage,
        memory: first.memory,
        documents: (documents) =>
          FaultyDocumentStore.make(documents, { put: 1, fault: full, moment: "beforeWriting", forever: true }),
      });
      Desk.offer(first, id, [tool("read"), tool("list")]);
      const found = yield* desk.servers.discover(id, { refresh: true });
      assert.deepStrictEqual(
        found.diagnostics.map(({ code }) => code),
        ["mcp.catalog_persistence_failed"],
      );
      assert.strictEqual((yield* desk.servers.discover(id)).tools.length, 2);
      const { diagnostics, tools } = yield* desk.source.catalogue;
      assert.deepStrictEqual([tools.length, diagnostics[0]?.code], [1, "mcp.catalog_persistence_failed"]);
      assert.strictEqual((yield* first.servers.discover(id)).tools[1]?.tool.name, "write");
    }),
  );

  it.effect("is known until the process ends where other processes cannot be told of it", () =>
    Effect.gen(function* () {
      const first = yield* Desk.make();
      const id = yield* Desk.register(first);
      const desk = yield* Desk.make({
        storage: first.storage,
        memory: first.memory,
        documents: (documents) => FaultyDocumentStore.make(documents, { put: 2, fault: full, moment: "beforeWriting" }),
      });
      const found = yield* desk.servers.discover(id, { refresh: true });
      assert.deepStrictEqual(
        found.diagnostics.map(({ code }) => code),
        ["mcp.catalog_persistence_failed"],
      );
    }),
  );

  it.effect("counts for nothing when the server is reached otherwise, or removed, by the time it answers", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const stated = {
        peer: { name: "f", version: "1" },
        protocolVersion: "2025-11-25",
        tools: [tool("late")],
        diagnostics: [],
      };
      for (const [change, code] of [
        [
          (id: string) => desk.servers.update(id, { endpoint: { ...endpoint, url: "https://other.example" } }),
          "mcp.registration_changed",
        ],
        [(id: string) => desk.servers.remove(id), "mcp.registration_not_found"],
      ] as const) {
        const id = yield* Desk.register(desk);
        const answer = yield* Deferred.make<void>();
        desk.memory.servers.set(id, { call: () => Effect.never, discover: Effect.as(Deferred.await(answer), stated) });
        const fiber = yield* Effect.forkChild(codeOf(desk.servers.discover(id, { refresh: true })), {
          startImmediately: true,
        });
        yield* change(id);
        yield* Deferred.succeed(answer, undefined);
        assert.strictEqual(yield* Fiber.join(fiber), code);
        const kept = yield* desk.documents.list(cataloguesCollection);
        assert.deepStrictEqual(kept.documents, []);
      }
    }),
  );

  it.effect("is dropped with the permissions and the activity of a server that is reached otherwise", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const id = yield* Desk.register(desk, {}, { read: "allow" });
      const { registration } = yield* desk.servers.update(id, {
        endpoint: { ...endpoint, url: "https://other.example/mcp" },
      });
      assert.strictEqual(registration.state, "paused");
      assert.strictEqual(registration.toolPermissions["read"]?.isPaused, true);
      assert.isUndefined(yield* desk.servers.known(id));
      assert.deepStrictEqual((yield* desk.documents.list(cataloguesCollection)).documents, []);
      assert.include(desk.closed, id);
      yield* desk.servers.setState(id, "active");
      assert.strictEqual((yield* desk.servers.discover(id)).tools[0]?.standing, "paused");
      const { diagnostics, tools } = yield* desk.source.catalogue;
      assert.deepStrictEqual([tools, diagnostics.map(({ code }) => code)], [[], ["mcp.permission_paused"]]);
      yield* desk.servers.setPermission(id, "read", "allow");
      assert.strictEqual((yield* desk.source.catalogue).tools.length, 1);
    }),
  );

  it.effect("can be permitted only as it is known, and what is off is not kept", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const id = yield* Desk.register(desk);
      assert.strictEqual(yield* codeOf(desk.servers.setPermission(id, "erase", "allow")), "mcp.tool_unknown");
      const { registration } = yield* desk.servers.setPermission(id, "read", "ask");
      assert.deepStrictEqual(Object.keys(registration.toolPermissions), ["read"]);
      const { revision } = yield* desk.servers.setPermission(id, "write", "off");
      assert.deepStrictEqual((yield* desk.servers.setPermission(id, "read", "off")).registration.toolPermissions, {});
      assert.strictEqual((yield* desk.servers.get(id)).revision, revision + 1);
    }),
  );

  it.effect("is permitted as its user has seen it, or not at all", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const id = yield* Desk.register(desk);
      const { discoveredAt } = yield* desk.servers.discover(id);
      yield* TestClock.adjust(1);
      yield* desk.servers.discover(id, { refresh: true });
      const permit = (seen: string) => desk.servers.setPermission(id, "read", "allow", { discoveredAt: seen });
      assert.strictEqual(yield* codeOf(permit(discoveredAt)), "mcp.catalogue_changed");
      const now = yield* desk.servers.discover(id);
      assert.property((yield* permit(now.discoveredAt)).registration.toolPermissions, "read");
    }),
  );

  it.effect("keeps a permission whose tool has gone, and tells it as stale", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const id = yield* Desk.register(desk, {}, { read: "allow" });
      Desk.offer(desk, id, [tool("write")]);
      assert.deepStrictEqual((yield* desk.servers.discover(id, { refresh: true })).staleTools, ["read"]);
      const { diagnostics, tools } = yield* desk.source.catalogue;
      assert.deepStrictEqual([tools, diagnostics.map(({ code }) => code)], [[], ["mcp.tool_gone"]]);
      Desk.offer(desk, id, [tool("read")]);
      yield* desk.servers.discover(id, { refresh: true });
      assert.strictEqual((yield* desk.source.catalogue).tools.length, 1);
    }),
  );

  it.effect("is written by two processes at once without harm to either's changes", () =>
    Effect.gen(function* () {
      const one = yield* Desk.make();
      const id = yield* Desk.register(one);
      const other = yield* Desk.make({ storage: one.storage, memory: one.memory });
      yield* Effect.all(
        [
          one.servers.setPermission(id, "read", "ask"),
          other.servers.setPermission(id, "write", "allow"),
          other.servers.update(id, { displayName: "Papers" }),
          one.servers.discover(id, { refresh: true }),
        ],
        { concurrency: "unbounded" },
      );
      const { registration } = yield* one.servers.get(id);
      assert.deepStrictEqual(Object.keys(registration.toolPermissions).toSorted(), ["read", "write"]);
      assert.strictEqual(registration.displayName, "Papers");
    }),
  );
});
