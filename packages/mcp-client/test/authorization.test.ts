import { assert, describe, it, vi } from "@effect/vitest";
import { type McpAuthorization, McpFault, type McpOutcome } from "@cahier/ports/McpGateway";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import * as Gateway from "./support/Gateway.ts";
import * as Guarded from "./support/Guarded.ts";
import * as Person from "./support/Person.ts";

const person: McpAuthorization = { grant: "person" };

const guardedServer = (url: string, authorization: McpAuthorization = person) =>
  Gateway.http(url, { protocolVersion: "2025-11-25", authorization });

const echo = { tool: "echo", arguments: {}, timeoutMs: 10_000 };

const said = (outcome: McpOutcome): string =>
  "code" in outcome ? `${outcome._tag} ${outcome.code}: ${"detail" in outcome ? outcome.detail : ""}` : outcome._tag;

const paths = (guarded: Guarded.Guarded) => guarded.requests.map(({ path }) => path.replace(/\?.*$/, ""));

describe("a server that a person has to authorize", () => {
  it.live("is used once the page has led back, and what was granted is kept for the next time", () =>
    Effect.gen(function* () {
      const guarded = yield* Guarded.serve();
      const authorizer = Person.make();
      const first = yield* Gateway.make({ authorizer });
      assert.strictEqual(said(yield* first.call(guardedServer(guarded.url), echo)), "Known");
      assert.lengthOf(authorizer.pages, 1);
      const second = yield* Gateway.make({ authorizer });
      assert.lengthOf((yield* second.discover(guardedServer(guarded.url))).tools, 1);
      assert.lengthOf(authorizer.pages, 1);
      assert.lengthOf(
        paths(guarded).filter((path) => path === "/register"),
        1,
      );
    }),
  );

  it.live("is shown once for all requests that want it at the same time", () =>
    Effect.gen(function* () {
      const guarded = yield* Guarded.serve();
      const authorizer = Person.make();
      const gateway = yield* Gateway.make({ authorizer });
      const server = guardedServer(guarded.url);
      yield* gateway.discover(server);
      guarded.expire("for good");
      const outcomes = yield* Effect.forEach([1, 2, 3], () => gateway.call(server, echo), { concurrency: 3 });
      assert.deepStrictEqual(outcomes.map(said), ["Known", "Known", "Known"]);
      assert.lengthOf(authorizer.pages, 2);
    }),
  );

  it.live("renews what has expired without asking the person again", () =>
    Effect.gen(function* () {
      const guarded = yield* Guarded.serve();
      const authorizer = Person.make();
      const gateway = yield* Gateway.make({ authorizer });
      const server = guardedServer(guarded.url);
      yield* gateway.discover(server);
      const before = authorizer.kept.get("server");
      guarded.expire("refreshable");
      assert.strictEqual(said(yield* gateway.call(server, echo)), "Known");
      assert.lengthOf(authorizer.pages, 1);
      assert.notStrictEqual(authorizer.kept.get("server"), before);
    }),
  );

  it.live("is asked for more when a call needs more, and the call is made once", () =>
    Effect.gen(function* () {
      const guarded = yield* Guarded.serve();
      guarded.demand("write");
      const authorizer = Person.make();
      const gateway = yield* Gateway.make({ authorizer });
      assert.strictEqual(said(yield* gateway.call(guardedServer(guarded.url), echo)), "Known");
      assert.deepStrictEqual(
        authorizer.pages.map((page) => new URL(page).searchParams.get("scope")),
        ["read", "read write"],
      );
      assert.deepStrictEqual(guarded.calls, ["read write"]);
    }),
  );

  it.live("is not shown where the page's address repeats a secret of the server", () =>
    Effect.gen(function* () {
      const key = "sk-cahier!test~0123456789";
      const guarded = yield* Guarded.serve();
      guarded.demand(`write:${key}`);
      const authorizer = Person.make();
      const gateway = yield* Gateway.make({ authorizer, secrets: { KEY: key } });
      const server = Gateway.http(guarded.url, {
        protocolVersion: "2025-11-25",
        authorization: person,
        headers: { "x-key": { secret: { key: "KEY" } } },
      });
      const outcome = yield* gateway.call(server, echo);
      assert.strictEqual(
        said(outcome),
        "NotSent mcp.call_not_queued: the server could not be authorized: the address of the page repeats a secret",
      );
      assert.lengthOf(authorizer.pages, 1);
    }),
  );

  it.live("gets nothing of what was granted for another address", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* Guarded.serve(), yield* Guarded.serve()];
      const authorizer = Person.make();
      const gateway = yield* Gateway.make({ authorizer });
      yield* gateway.discover(guardedServer(one.url));
      const { access_token } = (JSON.parse(authorizer.kept.get("server") ?? "") as { tokens: { access_token: string } })
        .tokens;
      yield* gateway.discover(guardedServer(other.url));
      assert.lengthOf(authorizer.pages, 2);
      assert.isFalse(JSON.stringify(other.requests).includes(access_token));
    }),
  );

  it.live("leaves a call unsent when the person does not grant it, and says why", () =>
    Effect.gen(function* () {
      const guarded = yield* Guarded.serve();
      const answers: ReadonlyArray<readonly [(back: string) => Effect.Effect<string, McpFault>, string]> = [
        [
          (back) => Effect.succeed(back.replace(/code=[^&]*/, "error=access_denied")),
          "the page led back without a grant (access_denied)",
        ],
        [
          (back) => Effect.succeed(back.replace(/state=[^&]*/, "state=another")),
          "the page led back from another request",
        ],
        [
          (back) => Effect.succeed(back.replace(/iss=[^&]*/, "iss=http%3A%2F%2Fevil.example")),
          "the authorization server is another than the one that was asked",
        ],
        [() => Effect.fail(new McpFault({ code: "mcp.request_failed", detail: "nobody is there" })), "nobody is there"],
      ];
      for (const [answer, reason] of answers) {
        const gateway = yield* Gateway.make({ authorizer: Person.make(undefined, answer) });
        assert.strictEqual(
          said(yield* gateway.call(guardedServer(guarded.url), echo)),
          `NotSent mcp.call_initialize_failed: the server could not be authorized: ${reason}`,
        );
      }
      const alone = yield* Gateway.make();
      const outcome = yield* alone.call(guardedServer(guarded.url), echo);
      assert.include(said(outcome), "NotSent mcp.call_initialize_failed");
      assert.lengthOf(guarded.calls, 0);
    }),
  );

  it.live("leaves a call of an open session unsent when what was granted cannot be renewed", () =>
    Effect.gen(function* () {
      const guarded = yield* Guarded.serve();
      const state = { isThere: true };
      const absent = new McpFault({ code: "mcp.request_failed", detail: "nobody is there" });
      const authorizer = Person.make(undefined, (back) => (state.isThere ? Effect.succeed(back) : Effect.fail(absent)));
      const gateway = yield* Gateway.make({ authorizer });
      const server = guardedServer(guarded.url);
      yield* gateway.discover(server);
      guarded.expire("for good");
      state.isThere = false;
      assert.strictEqual(
        said(yield* gateway.call(server, echo)),
        "NotSent mcp.call_not_queued: the server could not be authorized: nobody is there",
      );
      state.isThere = true;
      assert.strictEqual(said(yield* gateway.call(server, echo)), "Known");
    }),
  );

  it.effect("waits for the person for as long as it takes", () =>
    Effect.gen(function* () {
      const guarded = yield* Guarded.serve();
      const [shown, allowed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()];
      const authorizer = Person.make(undefined, (back) =>
        Deferred.succeed(shown, undefined).pipe(Effect.andThen(Deferred.await(allowed)), Effect.as(back)),
      );
      const gateway = yield* Gateway.make({ authorizer });
      const asking = yield* Effect.forkChild(gateway.discover(guardedServer(guarded.url)));
      yield* Deferred.await(shown);
      yield* TestClock.adjust("10 minutes");
      yield* Deferred.succeed(allowed, undefined);
      assert.lengthOf((yield* Fiber.join(asking)).tools, 1);
    }),
  );
});

describe("a server that is authorized for what this side is registered as", () => {
  const registration = { id: "cahier", secret: { secret: { key: "KEY" } } } as const;
  const secrets = { KEY: "a-secret-value" };

  it.live("is shown the secret at its token endpoint, and nobody is asked", () =>
    Effect.gen(function* () {
      const guarded = yield* Guarded.serve();
      const gateway = yield* Gateway.make({ secrets });
      const server = guardedServer(guarded.url, { grant: "client", registration });
      assert.strictEqual(said(yield* gateway.call(server, echo)), "Known");
      const asked = guarded.requests.find(({ path }) => path === "/token");
      assert.strictEqual(asked?.headers.authorization, `Basic ${btoa("cahier:a-secret-value")}`);
      assert.strictEqual(new URLSearchParams(asked?.body).get("resource"), guarded.url);
    }),
  );

  it.live("does not get the secret at another issuer than the stated one", () =>
    Effect.gen(function* () {
      const guarded = yield* Guarded.serve();
      const gateway = yield* Gateway.make({ secrets });
      const server = guardedServer(guarded.url, {
        grant: "client",
        registration: { ...registration, issuer: "https://other.example" },
      });
      assert.include(said(yield* gateway.call(server, echo)), "NotSent mcp.call_initialize_failed");
      assert.notInclude(paths(guarded), "/token");
    }),
  );

  it.live("does not show its headers to the authorization server, and no fault or warning repeats a secret", () =>
    Effect.gen(function* () {
      const guarded = yield* Guarded.serve((form, seen, response) => {
        Guarded.answer(response, 400, {
          error: "invalid_client",
          error_description: `no ${form.toString()} ${seen.headers.authorization ?? ""}`,
        });
        return true;
      });
      const warnings = yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(console, "warn").mockImplementation(() => undefined)),
        (spy) => Effect.sync(() => spy.mockRestore()),
      );
      const gateway = yield* Gateway.make({ secrets: { ...secrets, HEADER: "a-header-value" } });
      const base = guardedServer(guarded.url, { grant: "client", registration });
      const headers = { "x-key": { secret: { key: "HEADER" } } };
      const server = { ...base, endpoint: { ...base.endpoint, transport: "http", url: guarded.url, headers } } as const;
      const text = said(yield* gateway.call(server, echo));
      assert.include(text, "[redacted]");
      const heard = text + JSON.stringify(warnings.mock.calls);
      assert.include(heard, "[mcp-sdk]");
      assert.notInclude(heard, "a-secret-value");
      assert.notInclude(heard, btoa("cahier:a-secret-value"));
      const shown = guarded.requests.filter(({ headers: { "x-key": value } }) => value !== undefined);
      assert.deepStrictEqual([...new Set(shown.map(({ path }) => path))], ["/mcp"]);
    }),
  );
});
