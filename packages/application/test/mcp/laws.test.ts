import type { McpCall, McpOutcome } from "@cahier/ports/McpGateway";
import { laws, type ToolSourceHarness } from "@cahier/testkit/laws/ToolSourceLaws";
import { verify } from "@cahier/testkit/vitest";
import { ToolId } from "@cahier/domain/tool/ToolId";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Desk from "./support/Desk.ts";

/** What happens to one call of `slow`. */
interface Slow {
  readonly arrived: Deferred.Deferred<void>;
  readonly released: Deferred.Deferred<McpOutcome>;
  readonly interrupted: Deferred.Deferred<void>;
}

const names = ["echo", "json", "fail", "slow", "vanish"] as const;

/** Answers that no tool should give. */
const garbage: Readonly<Record<string, McpOutcome>> = {
  halves: { _tag: "Known", answer: { content: [{ type: "text", text: "\ud800 half" }], isError: false } },
  shapeless: { _tag: "Known", answer: { content: [null, 1, [], { type: {} }, { type: "text" }], isError: true } },
  bare: { _tag: "Known", answer: { content: [], structuredContent: "not an object", isError: false } },
  wrong: { _tag: "Unsupported", detail: "" },
  strange: { _tag: "Unknown", code: "of.tomorrow", detail: "" },
  odd: { _tag: "NotSent", code: "", detail: "" },
};

/** The tools of laws at one server, over a storage in memory. */
const harness = Effect.gen(function* () {
  const desk = yield* Desk.make();
  const received: Array<string> = [];
  const slow = new Map<string, Slow>();
  const slowOf = (text: string): Slow => {
    const known = slow.get(text) ?? {
      arrived: Deferred.makeUnsafe<void>(),
      released: Deferred.makeUnsafe<McpOutcome>(),
      interrupted: Deferred.makeUnsafe<void>(),
    };
    slow.set(text, known);
    return known;
  };

  const call = (asked: McpCall): Effect.Effect<McpOutcome> => {
    const { text, value } = asked.arguments;
    const said = typeof text === "string" ? text : JSON.stringify(text ?? null);
    received.push(asked.tool === "json" ? JSON.stringify(value) : said);
    switch (asked.tool) {
      case "json":
        return Effect.succeed({
          _tag: "Known",
          answer: { content: [], structuredContent: value ?? null, isError: false },
        });
      case "fail":
        return Effect.succeed({ _tag: "Known", answer: { ...Desk.says(said).answer, isError: true } });
      case "slow": {
        const { arrived, interrupted, released } = slowOf(said);
        return Effect.andThen(Deferred.succeed(arrived, undefined), Deferred.await(released)).pipe(
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
        );
      }
      default:
        return Effect.succeed(garbage[asked.tool] ?? Desk.says(said));
    }
  };

  const all = [...names, ...Object.keys(garbage)];
  const tools = all.map((name) => Desk.tool(name));
  const id = yield* Desk.register(
    desk,
    { tools, call },
    Object.fromEntries(all.map((name) => [name, "allow"] as const)),
  );
  const toolId = (name: string) => ToolId.make(`mcp/${id}:${name}`);

  return {
    open: Effect.succeed(desk.source),
    tools: {
      echo: toolId("echo"),
      json: toolId("json"),
      fail: toolId("fail"),
      slow: toolId("slow"),
      vanish: toolId("vanish"),
    },
    received: Effect.sync(() => [...received]),
    arrived: (text) => Deferred.await(slowOf(text).arrived),
    release: (text) => Deferred.succeed(slowOf(text).released, Desk.says(text)),
    interrupted: (text) => Deferred.await(slowOf(text).interrupted),
    vanish: Effect.suspend(() => {
      Desk.offer(
        desk,
        id,
        tools.filter(({ name }) => name !== "vanish"),
      );
      return desk.servers.discover(id, { refresh: true });
    }),
    garbage: Object.keys(garbage).map(toolId),
    lose: desk.memory.gateway.close(id),
  } satisfies ToolSourceHarness;
});

verify("The source of MCP servers", laws, harness);
