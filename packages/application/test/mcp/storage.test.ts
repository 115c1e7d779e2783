import { cataloguesCollection } from "@cahier/application/mcp/Catalogues";
import { registrationsCollection } from "@cahier/application/mcp/Registrations";
import { Conflict, Corrupt, Unavailable } from "@cahier/ports/StorageFault";
import * as FaultyDocumentStore from "@cahier/testkit/doubles/FaultyDocumentStore";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Desk from "./support/Desk.ts";

const { codeOf, endpoint, tool } = Desk;

const full = new Unavailable({ operation: "put", kind: "full", detail: "no room" });
const overtaken = new Conflict({ entity: "document", id: "x", expected: 1, actual: 2 });

const elsewhere = { endpoint: { ...endpoint, url: "https://other.example/mcp" } };

/** A process over the storage of another one, whose puts fail so. */
const beside = (desk: Desk.Desk, plan: FaultyDocumentStore.Plan) =>
  Desk.make({
    storage: desk.storage,
    memory: desk.memory,
    documents: (documents) => FaultyDocumentStore.make(documents, plan),
  });

describe("what is stored of MCP servers", () => {
  it.effect("is changed again when another writer came first", () =>
    Effect.gen(function* () {
      const first = yield* Desk.make();
      const id = yield* Desk.register(first);
      const changing = yield* beside(first, { put: 1, fault: overtaken, moment: "beforeWriting" });
      yield* changing.servers.setPermission(id, "read", "ask");
      assert.property((yield* first.servers.get(id)).registration.toolPermissions, "read");
      const asking = yield* beside(first, { put: 1, fault: overtaken, moment: "beforeWriting" });
      assert.deepStrictEqual((yield* asking.servers.discover(id, { refresh: true })).diagnostics, []);
      const forever = yield* beside(first, { put: 1, fault: overtaken, moment: "beforeWriting", forever: true });
      assert.strictEqual(yield* codeOf(forever.servers.setPermission(id, "write", "ask")), "journal.conflict");
    }),
  );

  it.effect("is told as damaged and can be replaced and removed", () =>
    Effect.gen(function* () {
      const first = yield* Desk.make();
      const id = yield* Desk.register(first, {}, { read: "ask" });
      const damaged = new Set([cataloguesCollection, registrationsCollection]);
      const desk = yield* Desk.make({
        storage: first.storage,
        memory: first.memory,
        documents: (documents) => ({
          ...documents,
          get: (collection, document) =>
            damaged.has(collection)
              ? Effect.fail(new Corrupt({ entity: "document", id: document, detail: "it is cut off" }))
              : documents.get(collection, document),
          remove: (collection, document) =>
            Effect.andThen(
              documents.remove(collection, document),
              Effect.sync(() => damaged.delete(collection)),
            ),
        }),
      });
      assert.strictEqual(yield* codeOf(desk.servers.get(id)), "journal.corrupt");
      damaged.delete(registrationsCollection);
      assert.isUndefined(yield* desk.servers.known(id));
      assert.deepStrictEqual((yield* desk.servers.discover(id)).diagnostics, []);
      assert.strictEqual((yield* desk.documents.get(cataloguesCollection, id)).revision, 1);
      damaged.add(registrationsCollection);
      yield* desk.servers.remove(id);
      assert.deepStrictEqual((yield* desk.documents.list(registrationsCollection)).documents, []);
    }),
  );

  it.effect("holds for nothing when it was found at another place", () =>
    Effect.gen(function* () {
      const first = yield* Desk.make();
      const id = yield* Desk.register(first, {}, { read: "ask" });
      const kept = yield* first.documents.get(cataloguesCollection, id);
      yield* first.servers.update(id, elsewhere);
      yield* first.documents.put(cataloguesCollection, id, 0, kept.value);
      const later = yield* Desk.make({ storage: first.storage, memory: first.memory });
      assert.isUndefined(yield* later.servers.known(id));
    }),
  );
});

describe("what could not be stored of MCP servers", () => {
  it.effect("holds for nothing when another process has the server reached otherwise", () =>
    Effect.gen(function* () {
      const first = yield* Desk.make();
      const { registration } = yield* first.servers.create({ displayName: "Files", endpoint });
      const { id } = registration;
      first.memory.servers.set(id, { tools: [tool("read")], call: () => Effect.succeed(Desk.says("")) });
      yield* first.servers.setState(id, "active");
      const desk = yield* beside(first, { put: 1, fault: full, moment: "beforeWriting", forever: true });
      assert.strictEqual((yield* desk.servers.discover(id)).tools.length, 1);
      yield* first.servers.update(id, elsewhere);
      assert.isUndefined(yield* desk.servers.known(id));
    }),
  );

  it.effect("counts for nothing when the server is reached otherwise by the time it answers", () =>
    Effect.gen(function* () {
      const first = yield* Desk.make();
      const id = yield* Desk.register(first);
      const desk = yield* beside(first, { put: 1, fault: full, moment: "beforeWriting", forever: true });
      const server = first.memory.servers.get(id);
      assert.isDefined(server);
      const stated = { peer: { name: "f", version: "1" }, protocolVersion: "2025-11-25", tools: [], diagnostics: [] };
      const moving = Effect.as(Effect.orDie(first.servers.update(id, elsewhere)), stated);
      first.memory.servers.set(id, { ...server, discover: moving });
      assert.strictEqual(yield* codeOf(desk.servers.discover(id, { refresh: true })), "mcp.registration_changed");
    }),
  );
});
