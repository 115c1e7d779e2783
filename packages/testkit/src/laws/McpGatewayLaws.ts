/**
 * The laws of McpGateway.
 *
 * They speak of a server of laws, which the harness starts as the adapter reaches servers. It names itself `law server`,
 * version `1.2.3`; offers the tools that it is given, page by page; and answers calls whether it offers the tool or not:
 *
 * - `echo {text}` with the text, and `{said: text}` as structured content;
 * - `fail {text}` with the text as an error; `refuse {text}` with an error of the protocol, -32123, of that message;
 * - `wait {text}` never;
 * - `progress` with `done`, after the progress 1 and 2 of 2;
 * - `ask {text}` with the text as a question, then with the action and the JSON of the content that came back;
 * - `sample {text}` with the text to a model, then with what came back; it says so if it may not ask;
 * - `header` with the secret that it was reached with.
 *
 * It lists the resources `law://one` and, on another page, `law://two`; reads any with the text `the text`; lists the
 * prompt `greet`, which gives `Greet <who>.`
 */
import type { McpGateway, McpOutcome, McpServer } from "@cahier/ports/McpGateway";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import * as Expectation from "../Expectation.ts";
import * as Law from "../Law.ts";
import { bad, toolOf } from "../internal/laws/mcpGateway/statedTools.ts";

/** `received` are the texts of the calls that have arrived. `waiting` and `cancelled` complete with the first `wait`. */
export interface LawServer {
  readonly server: McpServer;
  readonly received: Effect.Effect<ReadonlyArray<string>>;
  /** A call of `wait` has arrived. */
  readonly waiting: Effect.Effect<void>;
  /** The server has been told that nobody waits for a call of `wait` any more. */
  readonly cancelled: Effect.Effect<void>;
  /** Ends the server at once, without a word. */
  readonly kill: Effect.Effect<void>;
}

/** Lists of tools as they are; `isEndless`: the last page leads to another, and so on. */
export interface Pages {
  readonly pages: ReadonlyArray<ReadonlyArray<Schema.Json>>;
  readonly isEndless: boolean;
}

/** `absent` is a server that cannot be reached. */
export interface McpGatewayHarness {
  readonly open: Effect.Effect<McpGateway["Service"], unknown, Scope.Scope>;
  readonly serve: (allowsSampling?: boolean) => Effect.Effect<LawServer, unknown, Scope.Scope>;
  readonly absent: McpServer;
  /** A server of laws that offers other tools. */
  readonly servePages?: (pages: Pages) => Effect.Effect<LawServer, unknown, Scope.Scope>;
  /** A server of laws that is reached with this secret, which the gateway has of its secrets. */
  readonly serveWithSecret?: (secret: string) => Effect.Effect<LawServer, unknown, Scope.Scope>;
}

const law = Law.of<McpGatewayHarness>();

export const laws: ReadonlyArray<Law.Law<McpGatewayHarness>> = [
  law({
    id: "MCP-01",
    title: "discovery gives the tools of all pages, in order and as they are stated, and who the server is",
    needs: ["servePages"],
    *check(harness) {
      const stated = ["one", "two", "three"].map((name) => toolOf(name));
      const { server } = yield* harness.servePages({ pages: stated.map((tool) => [tool]), isEndless: false });
      const gateway = yield* harness.open;
      const found = yield* gateway.discover(server);
      yield* Expectation.same("peer", found.peer, { name: "law server", version: "1.2.3" });
      yield* Expectation.same("tools", found.tools.map(inOrder), stated.map(inOrder));
      yield* Expectation.same("diagnostics", found.diagnostics, []);
    },
  }),
  law({
    id: "MCP-02",
    title: "a tool that cannot be used is left out with a diagnostic, and harms no other",
    needs: ["servePages"],
    *check(harness) {
      const { server } = yield* harness.servePages({
        pages: [bad.map(([tool]) => tool), [toolOf("good"), toolOf("twice")]],
        isEndless: false,
      });
      const gateway = yield* harness.open;
      const found = yield* gateway.discover(server);
      yield* Expectation.same(
        "tools",
        found.tools.map(({ name }) => name),
        ["loose", "good"],
      );
      yield* Expectation.same("output schema of loose", found.tools[0]?.outputSchema ?? null, null);
      yield* Expectation.same(
        "codes",
        found.diagnostics.map(({ code }) => code).toSorted(),
        bad.map(([, code]) => code).toSorted(),
      );
    },
  }),
  law({
    id: "MCP-03",
    title: "a list that does not end is a fault",
    needs: ["servePages"],
    *check(harness) {
      const { server } = yield* harness.servePages({ pages: [[toolOf("one")]], isEndless: true });
      const gateway = yield* harness.open;
      const fault = yield* Expectation.failsWith(
        "discover",
        Expectation.within("discover", gateway.discover(server)),
        "McpFault",
      );
      yield* Expectation.same("code", fault.code, "mcp.discovery_pages_exceeded");
    },
  }),
  law({
    id: "MCP-04",
    title: "what the server answers is known: results, errors of tools, and errors of the protocol with their code",
    *check(harness) {
      const { server } = yield* harness.serve();
      const gateway = yield* harness.open;
      const echo = yield* gateway.call(server, callOf("echo", "héllo"));
      yield* Expectation.same("echo", echo, knownAs("héllo", { said: "héllo" }));
      const fail = yield* gateway.call(server, callOf("fail", "no"));
      yield* Expectation.same("fail", isKnown(fail) ? fail.answer.isError : fail, true);
      const refuse = yield* gateway.call(server, callOf("refuse", "never"));
      yield* Expectation.same("refuse", refuse._tag === "ServerError" ? [refuse.code, refuse.message] : refuse, [
        -32_123,
        "never",
      ]);
    },
  }),
  law({
    id: "MCP-05",
    title: "a call to a server that cannot be reached is not sent, and its list is a fault",
    *check(harness) {
      const gateway = yield* harness.open;
      const outcome = yield* gateway.call(harness.absent, callOf("echo", "x"));
      yield* Expectation.same("outcome", codeOf(outcome), ["NotSent", "mcp.call_initialize_failed"]);
      const fault = yield* Expectation.failsWith("discover", gateway.discover(harness.absent), "McpFault");
      yield* Expectation.same("code", fault.code, "mcp.discovery_initialize_failed");
    },
  }),
  law({
    id: "MCP-06",
    title: "a call that is not answered in time is unknown, and the server is told that nobody waits",
    *check(harness) {
      const { server, received, cancelled } = yield* harness.serve();
      const gateway = yield* harness.open;
      yield* gateway.call(server, callOf("echo", "first"));
      const outcome = yield* gateway.call(server, { ...callOf("wait", "second"), timeoutMs: 100 });
      yield* Expectation.same("outcome", codeOf(outcome), ["Unknown", "mcp.call_timeout"]);
      yield* Expectation.within("the notice of cancelling", cancelled);
      yield* Expectation.same("received", yield* received, ["first", "second"]);
    },
  }),
  law({
    id: "MCP-07",
    title: "interrupting a call tells the server that nobody waits",
    *check(harness) {
      const { server, waiting, cancelled } = yield* harness.serve();
      const gateway = yield* harness.open;
      const call = yield* Effect.forkChild(gateway.call(server, callOf("wait", "x")));
      yield* Expectation.within("the call", waiting);
      yield* Fiber.interrupt(call);
      yield* Expectation.within("the notice of cancelling", cancelled);
    },
  }),
  law({
    id: "MCP-08",
    title: "a call whose server ends before it answers is unknown, and is not made again",
    *check(harness) {
      const { server, received, waiting, kill } = yield* harness.serve();
      const gateway = yield* harness.open;
      const call = yield* Effect.forkChild(gateway.call(server, callOf("wait", "once")));
      yield* Expectation.within("the call", waiting);
      yield* kill;
      const outcome = yield* Expectation.within("the outcome", Fiber.join(call));
      yield* Expectation.same("outcome", codeOf(outcome), ["Unknown", "mcp.call_response_failed"]);
      yield* Expectation.same("received", yield* received, ["once"]);
    },
  }),
  law({
    id: "MCP-09",
    title: "arguments larger than 256 KiB are not sent",
    *check(harness) {
      const { server, received } = yield* harness.serve();
      const gateway = yield* harness.open;
      const outcome = yield* gateway.call(server, callOf("echo", "x".repeat(256 * 1024)));
      yield* Expectation.same("outcome", codeOf(outcome), ["NotSent", "mcp.call_arguments_too_large"]);
      yield* Expectation.same("received", yield* received, []);
    },
  }),
  law({
    id: "MCP-10",
    title: "calls at the same time each have their own answer, also while one waits",
    *check(harness) {
      const { server, waiting } = yield* harness.serve();
      const gateway = yield* harness.open;
      const call = yield* Effect.forkChild(gateway.call(server, callOf("wait", "x")));
      yield* Expectation.within("the call", waiting);
      const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
      const outcomes = yield* Expectation.within(
        "the other calls",
        Effect.forEach(texts, (text) => gateway.call(server, callOf("echo", text)), { concurrency: "unbounded" }),
      );
      yield* Expectation.same(
        "outcomes",
        outcomes,
        texts.map((text) => knownAs(text, { said: text })),
      );
      yield* Fiber.interrupt(call);
    },
  }),
  law({
    id: "MCP-11",
    title:
      "a question of the server reaches the host of its call, and the reply the server; without a host it is cancelled",
    *check(harness) {
      const { server } = yield* harness.serve();
      const gateway = yield* harness.open;
      const questions: Array<ReadonlyArray<unknown>> = [];
      const answered = yield* gateway.call(server, callOf("ask", "Which name?"), {
        ask: ({ serverId, message }) => {
          questions.push([serverId, message]);
          return Effect.succeed({ action: "accept", content: { name: "Ada" } });
        },
      });
      yield* Expectation.same("questions", questions, [[server.id, "Which name?"]]);
      yield* Expectation.same("answer", textOf(answered), 'accept {"name":"Ada"}');
      yield* Expectation.same("without a host", textOf(yield* gateway.call(server, callOf("ask", "?"))), "cancel {}");
    },
  }),
  law({
    id: "MCP-12",
    title: "the time of a call stands still while the host is asked",
    *check(harness) {
      const { server } = yield* harness.serve();
      const gateway = yield* harness.open;
      yield* gateway.call(server, callOf("echo", "first"));
      const outcome = yield* gateway.call(
        server,
        { ...callOf("ask", "?"), timeoutMs: 400 },
        { ask: () => Effect.as(Effect.delay(Effect.void, 600), { action: "decline" }) },
      );
      yield* Expectation.same("answer", textOf(outcome), "decline {}");
    },
  }),
  law({
    id: "MCP-13",
    title: "a model is asked only for a server that may, and only through the host",
    *check(harness) {
      const gateway = yield* harness.open;
      const asked = yield* Deferred.make<string>();
      const host = {
        sample: (serverId: string) =>
          Effect.as(Deferred.succeed(asked, serverId), {
            role: "assistant",
            content: { type: "text", text: "an answer" },
            model: "a model",
          }),
      };
      const refusing = yield* harness.serve();
      yield* gateway.call(refusing.server, callOf("sample", "?"), host);
      yield* Expectation.isTrue(!(yield* Deferred.isDone(asked)), "a server that may not has asked a model");
      const allowing = yield* harness.serve(true);
      const outcome = yield* gateway.call(allowing.server, callOf("sample", "?"), host);
      yield* Expectation.isTrue(yield* Deferred.isDone(asked), "the host was not asked");
      yield* Expectation.isTrue(textOf(outcome).includes("an answer"), `the server did not get it: ${textOf(outcome)}`);
    },
  }),
  law({
    id: "MCP-14",
    title: "progress is told while the call is under way",
    *check(harness) {
      const { server } = yield* harness.serve();
      const gateway = yield* harness.open;
      const told: Array<ReadonlyArray<unknown>> = [];
      const outcome = yield* gateway.call(server, {
        ...callOf("progress", "x"),
        onProgress: ({ done, total }) => void told.push([done, total]),
      });
      yield* Expectation.same("answer", textOf(outcome), "done");
      yield* Expectation.same("progress", told, [
        [1, 2],
        [2, 2],
      ]);
    },
  }),
  law({
    id: "MCP-15",
    title: "a secret reaches the server, and comes back in no outcome",
    needs: ["serveWithSecret"],
    *check(harness) {
      const { server, received } = yield* harness.serveWithSecret(secret);
      const gateway = yield* harness.open;
      const outcome = yield* gateway.call(server, callOf("header", "x"));
      yield* Expectation.same("received", yield* received, ["x"]);
      yield* Expectation.isTrue(
        isKnown(outcome) && textOf(outcome) !== "",
        "the server was reached without the secret",
      );
      yield* Expectation.isTrue(!JSON.stringify(outcome).includes(secret), "the outcome holds the secret");
    },
  }),
  law({
    id: "MCP-16",
    title: "closing ends calls under way as unknown, and the next call has another session",
    *check(harness) {
      const { server, waiting } = yield* harness.serve();
      const gateway = yield* harness.open;
      const call = yield* Effect.forkChild(gateway.call(server, callOf("wait", "x")));
      yield* Expectation.within("the call", waiting);
      yield* Expectation.within("close", gateway.close(server.id));
      yield* Expectation.same("outcome", codeOf(yield* Expectation.within("the outcome", Fiber.join(call))), [
        "Unknown",
        "mcp.call_cancelled",
      ]);
      yield* Expectation.same("next", textOf(yield* gateway.call(server, callOf("echo", "again"))), "again");
    },
  }),
  law({
    id: "MCP-17",
    title: "resources and prompts are listed from all pages, read and got",
    *check(harness) {
      const { server } = yield* harness.serve();
      const gateway = yield* harness.open;
      const resources = yield* gateway.list(server, "resources");
      yield* Expectation.same(
        "resources",
        resources.map((item) => memberOf(item, "uri")),
        ["law://one", "law://two"],
      );
      yield* Expectation.same("templates", (yield* gateway.list(server, "resourceTemplates")).length, 1);
      const prompts = yield* gateway.list(server, "prompts");
      yield* Expectation.same(
        "prompts",
        prompts.map((item) => memberOf(item, "name")),
        ["greet"],
      );
      const read = JSON.stringify(yield* gateway.readResource(server, "law://one"));
      yield* Expectation.isTrue(read.includes("the text"), `a resource was read as ${read}`);
      const got = JSON.stringify(yield* gateway.getPrompt(server, "greet", { who: "Ada" }));
      yield* Expectation.isTrue(got.includes("Greet Ada."), `a prompt was got as ${got}`);
    },
  }),
];

const secret = "cahier-law-secret-0123456789";

const callOf = (tool: string, text: string) => ({ tool, arguments: { text }, timeoutMs: 20_000 });

/** Members in one order, whatever order a library gives them. */
const inOrder = (tool: object): unknown => Object.entries(tool).toSorted(([one], [other]) => (one < other ? -1 : 1));

const isKnown = (outcome: McpOutcome): outcome is Extract<McpOutcome, { readonly _tag: "Known" }> =>
  outcome._tag === "Known";

const knownAs = (text: string, structuredContent: Schema.Json): McpOutcome => ({
  _tag: "Known",
  answer: { content: [{ type: "text", text }], structuredContent, isError: false },
});

const codeOf = (outcome: McpOutcome): unknown => ("code" in outcome ? [outcome._tag, outcome.code] : outcome);

/** The text of a known answer, or what the outcome is instead. */
const textOf = (outcome: McpOutcome): string =>
  isKnown(outcome)
    ? outcome.answer.content.map((part) => String(memberOf(part, "text"))).join("\n")
    : JSON.stringify(outcome);

const memberOf = (value: Schema.Json, name: string): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
