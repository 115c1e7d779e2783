import { assert, describe, it } from "@effect/vitest";
import * as HttpServer from "@cahier/mcp-server/HttpServer";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Scope from "effect/Scope";
import * as TestClock from "effect/testing/TestClock";
import type { Socket } from "node:net";
import { Server } from "@modelcontextprotocol/server";
import { Sessions } from "../src/internal/http/Sessions.ts";
import * as Clients from "./support/Clients.ts";
import * as raw from "./support/raw.ts";
import * as Sample from "./support/Sample.ts";

const { headers } = raw;
const runId = Sample.lastRun;

/** Requests that are not looked at, and what they are told. */
const refusals: ReadonlyArray<readonly [string, raw.Asked, status: number, says: string]> = [
  ["no token", { headers: headers({ authorization: undefined }) }, 401, "A bearer token is needed"],
  ["another token", { headers: headers({ authorization: "Bearer another-token-of-the-tests" }) }, 401, "bearer token"],
  ["the beginning of the token", { headers: headers({ authorization: "Bearer a-token-of-the" }) }, 401, "bearer token"],
  [
    "the token by another scheme",
    { headers: headers({ authorization: `Basic ${Clients.token}` }) },
    401,
    "bearer token",
  ],
  ["another host", { headers: headers({ host: "evil.example:80" }) }, 403, "The Host of the request"],
  ["a host that is none", { headers: headers({ host: "http://a b" }) }, 403, "The Host of the request"],
  ["a foreign page", { headers: headers({ origin: "https://evil.example" }) }, 403, "Pages of this origin"],
  ["a page without an origin of its own", { headers: headers({ origin: "null" }) }, 403, "Pages of this origin"],
  ["a foreign page without a token", { headers: { origin: "https://evil.example" } }, 403, "Pages of this origin"],
  ["another place", { path: "/" }, 404, "There is nothing here but /mcp."],
  ["a session that there is not", { headers: headers({ "mcp-session-id": "x" }) }, 404, "There is no such session"],
  ["another kind of body", { headers: headers({ "content-type": "text/plain" }) }, 415, "Content-Type"],
  ["a body that is no JSON", { body: "{" }, 400, "error"],
  ["a call before initialize", { body: raw.message("tools/list", {}) }, 400, "error"],
  ["too large a body", { body: "x".repeat(4 * 1024 * 1024 + 1) }, 413, "At most 4194304 bytes are read."],
  [
    "too large a body that does not say so",
    { headers: headers({ "transfer-encoding": "chunked" }), body: "x".repeat(4 * 1024 * 1024 + 1) },
    413,
    "At most 4194304 bytes are read.",
  ],
];

const sessionOf = ({ headers: given }: raw.Answer) => String(given["mcp-session-id"]);

const use = (server: HttpServer.Listening, session: string) =>
  raw.ask(server, {
    headers: headers({ "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
    body: raw.message("tools/list", {}),
  });

/** An offer whose runs are never shown, and what it has seen. */
const waiting = Effect.gen(function* () {
  const begun = yield* Deferred.make<void>();
  const interrupted = yield* Deferred.make<void>();
  const show = () =>
    Deferred.succeed(begun, undefined).pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
    );
  return { offer: { ...Sample.offer, runs: { ...Sample.offer.runs, show } }, begun, interrupted };
});

describe("a server over HTTP", () => {
  it.effect("answers whoever has the token and asks it by its name", () =>
    Effect.gen(function* () {
      const server = yield* Clients.serve(Sample.offer, { hosts: ["cahier.example"] });
      assert.strictEqual(server.url, `http://127.0.0.1:${server.port}/mcp`);
      const asked: ReadonlyArray<Readonly<Record<string, string>>> = [
        headers(),
        headers({ authorization: `bearer ${Clients.token}` }),
        headers({ host: `localhost:${server.port}` }),
        headers({ host: `[::1]:${server.port}` }),
        headers({ host: "cahier.example", origin: "https://cahier.example" }),
        headers({ origin: "http://localhost:6274" }),
      ];
      for (const given of asked) {
        const { body, status } = yield* raw.ask(server, { headers: given });
        assert.strictEqual(status, 200, JSON.stringify(given));
        assert.include(body, '"serverInfo"');
      }
    }),
  );

  it.effect("looks at no other request, says why, and opens no session for it", () =>
    Effect.gen(function* () {
      const server = yield* Clients.serve(Sample.offer);
      for (const [what, asked, status, says] of refusals) {
        const answer = yield* raw.ask(server, asked);
        assert.strictEqual(answer.status, status, what);
        assert.include(answer.body, says, what);
        assert.notInclude(answer.body, Clients.token, what);
        if (status === 401) assert.include(String(answer.headers["www-authenticate"]), "Bearer", what);
      }
      assert.strictEqual(yield* server.sessions, 0);
    }),
  );

  it.effect("takes no token that could be guessed or not be sent, and says which address it cannot have", () =>
    Effect.gen(function* () {
      for (const token of ["", "short", "a token with white space in it"]) {
        const fault = yield* Effect.flip(HttpServer.make(Sample.offer, { token: Redacted.make(token) }));
        assert.strictEqual(fault.reason, "token");
        assert.notInclude(fault.message, token === "" ? "undefined" : token);
      }
      const { port } = yield* Clients.serve(Sample.offer);
      const fault = yield* Effect.flip(Clients.serve(Sample.offer, { port }));
      assert.strictEqual(fault.reason, "EADDRINUSE");
      assert.include(fault.message, `127.0.0.1, port ${port}`);
    }),
  );

  it.effect("keeps so many sessions, and gives the one up that has been unused longest", () =>
    Effect.gen(function* () {
      const server = yield* Clients.serve(Sample.offer, { mostSessions: 2 });
      const open = Effect.map(raw.ask(server, {}), sessionOf);
      const first = yield* open;
      yield* TestClock.adjust("1 second");
      const second = yield* open;
      yield* TestClock.adjust("1 second");
      assert.strictEqual((yield* use(server, first)).status, 200);
      const third = yield* open;
      const found = yield* Effect.forEach([first, second, third], (session) => use(server, session));
      assert.deepStrictEqual(
        found.map(({ status }) => status),
        [200, 404, 200],
      );
    }),
  );

  it.effect("refuses a session when all are in use", () =>
    Effect.gen(function* () {
      const { begun, offer } = yield* waiting;
      const server = yield* Clients.serve(offer, { mostSessions: 1 });
      const session = sessionOf(yield* raw.ask(server, {}));
      yield* raw.open(server, {
        headers: headers({ "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
        body: raw.message("tools/call", { name: "show_run", arguments: { runId } }),
      });
      yield* Deferred.await(begun);
      const { body, status } = yield* raw.ask(server, {});
      assert.strictEqual(status, 503);
      assert.include(body, "All sessions are in use.");
    }),
  );

  it.effect("opens no more sessions than there may be, however many are asked for at once", () =>
    Effect.gen(function* () {
      const factory = () => new Server({ name: "a server", version: "1.0.0" }, { capabilities: {} });
      const sessions = new Sessions(factory, { most: 2, idleMs: 60_000, now: () => 0 });
      const nobodyTakes = new Promise<void>(() => undefined);
      const asked = Array.from({ length: 12 }, () =>
        sessions.answer(
          new Request("http://127.0.0.1/mcp", { method: "POST", headers: headers(), body: raw.initialize }),
          nobodyTakes,
        ),
      );
      const answers = yield* Effect.promise(() => Promise.all(asked));
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, ...Array.from({ length: 10 }, () => 503)],
      );
      yield* Effect.promise(() => sessions.close());
      assert.strictEqual(sessions.count, 0);
    }),
  );

  it.effect("ends sessions that are unused for long, and those that are closed", () =>
    Effect.gen(function* () {
      const server = yield* Clients.serve(Sample.offer, { sessionIdleMs: 60_000 });
      const session = sessionOf(yield* raw.ask(server, {}));
      yield* TestClock.adjust("59 seconds");
      assert.strictEqual((yield* use(server, session)).status, 200);
      yield* TestClock.adjust("59 seconds");
      assert.strictEqual(yield* server.sessions, 1);
      yield* TestClock.adjust("16 seconds");
      assert.strictEqual(yield* server.sessions, 0);
      assert.strictEqual((yield* use(server, session)).status, 404);
      const other = sessionOf(yield* raw.ask(server, {}));
      const ended = yield* raw.ask(server, {
        method: "DELETE",
        headers: headers({ "mcp-session-id": other }),
        body: "",
      });
      assert.strictEqual(ended.status, 200);
      assert.strictEqual(yield* server.sessions, 0);
    }),
  );

  it.effect("interrupts what a client of the newer era asked that vanishes in the middle of it", () =>
    Effect.gen(function* () {
      const { begun, interrupted, offer } = yield* waiting;
      const server = yield* Clients.serve(offer);
      const socket = yield* raw.open(server, raw.call("show_run", { runId }));
      yield* Deferred.await(begun);
      socket.destroy();
      yield* Deferred.await(interrupted);
    }),
  );

  it.effect("interrupts what a client of the older era asked that vanishes, when its session ends", () =>
    Effect.gen(function* () {
      const { begun, interrupted, offer } = yield* waiting;
      const server = yield* Clients.serve(offer, { mostSessions: 1 });
      const session = sessionOf(yield* raw.ask(server, {}));
      const socket = yield* raw.open(server, {
        headers: headers({ "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
        body: raw.message("tools/call", { name: "show_run", arguments: { runId } }),
      });
      yield* Deferred.await(begun);
      socket.destroy();
      // A new session is given as soon as the server has seen that nobody takes the answer.
      yield* opened(server);
      yield* Deferred.await(interrupted);
    }),
  );

  it.effect("cuts off whoever does not take the answer", () =>
    Effect.gen(function* () {
      // Six times as long as JSON: more than what the system keeps of a connection.
      const text = "\u0001".repeat(4 * 1024 * 1024);
      const read = () => Effect.succeed({ path: "output/main.md", sha256: "a".repeat(64), text });
      const offer = { ...Sample.offer, files: { ...Sample.offer.files, read } };
      const server = yield* Clients.serve(offer, { mostSessions: 1, stallMs: 20 });
      const session = sessionOf(yield* raw.ask(server, {}));
      const slow = yield* raw.open(server, {
        headers: headers({ "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
        body: raw.message("resources/read", { uri: `cahier://runs/${runId}/files/output/main.md` }),
      });
      yield* begunAnswer(slow);
      // There is room for another session once the answer is given up.
      yield* opened(server);
      assert.isBelow(yield* bytesUntilEnd(slow), text.length * 6);
    }),
  );

  it.effect("interrupts everything and cuts every connection when its scope ends", () =>
    Effect.gen(function* () {
      const { begun, interrupted, offer } = yield* waiting;
      const outside = yield* Effect.scope;
      const socket = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* Clients.serve(offer);
          yield* raw.ask(server, {});
          const asking = raw.open(server, raw.call("show_run", { runId }));
          const connected = yield* Scope.provide(asking, outside);
          yield* Deferred.await(begun);
          return connected;
        }),
      );
      yield* Deferred.await(interrupted);
      yield* bytesUntilEnd(socket);
    }),
  );
});

/** Asks for a session until there is one. */
const opened = (server: HttpServer.Listening): Effect.Effect<raw.Answer> =>
  raw.ask(server, {}).pipe(
    Effect.filterOrFail(({ status }) => status === 200),
    Effect.eventually,
  );

/** The first bytes of an answer are there; the rest is left where it is. */
const begunAnswer = (socket: Socket): Effect.Effect<void> =>
  Effect.callback((resume) => {
    socket.once("readable", () => resume(Effect.void));
  });

/** Takes what there is until the connection is closed. */
const bytesUntilEnd = (socket: Socket): Effect.Effect<number> =>
  Effect.callback((resume) => {
    const taken = { bytes: 0 };
    socket.removeAllListeners("readable");
    socket.on("data", (piece: Buffer) => (taken.bytes += piece.length));
    socket.on("close", () => resume(Effect.succeed(taken.bytes)));
    socket.resume();
  });
