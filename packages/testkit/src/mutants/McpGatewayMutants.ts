/**
 * Broken gateways to MCP servers: at least one for each law of McpGateway.
 */
import { McpFault, type McpGateway, type McpOutcome } from "@cahier/ports/McpGateway";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Semaphore from "effect/Semaphore";
import type { McpGatewayHarness } from "../laws/McpGatewayLaws.ts";
import type { Mutant } from "../Mutant.ts";
import * as Change from "./Change.ts";

type Gateway = McpGateway["Service"];

const change = Change.of<Gateway, McpGatewayHarness>();

const outcomes = (of: (outcome: McpOutcome) => McpOutcome) =>
  change((gateway) => ({ call: (server, call, host) => Effect.map(gateway.call(server, call, host), of) }));

const without = <Whole extends object, Name extends keyof Whole>(whole: Whole, name: Name): Omit<Whole, Name> => {
  const { [name]: _, ...rest } = whole;
  return rest;
};

const unknown = (code: string): McpOutcome => ({ _tag: "Unknown", code, detail: "" });

const notSent = (code: string): McpOutcome => ({ _tag: "NotSent", code, detail: "" });

const fault = (code: string) => Effect.fail(new McpFault({ code, detail: "" }));

export const mutants: ReadonlyArray<Mutant<McpGatewayHarness>> = [
  {
    kills: "MCP-01",
    title: "a discovery that ends with the first tool",
    breaks: change((gateway) => ({
      discover: (server, host) =>
        Effect.map(gateway.discover(server, host), (found) => ({ ...found, tools: found.tools.slice(0, 1) })),
    })),
  },
  {
    kills: "MCP-01",
    title: "a discovery that leaves out output schemas",
    breaks: change((gateway) => ({
      discover: (server, host) =>
        Effect.map(gateway.discover(server, host), (found) => ({
          ...found,
          tools: found.tools.map((tool) => without(tool, "outputSchema")),
        })),
    })),
  },
  {
    kills: "MCP-02",
    title: "a discovery that fails for one bad tool",
    breaks: change((gateway) => ({
      discover: (server, host) =>
        Effect.flatMap(gateway.discover(server, host), (found) =>
          found.diagnostics.length === 0 ? Effect.succeed(found) : fault("mcp.discovery_list_failed"),
        ),
    })),
  },
  {
    kills: "MCP-02",
    title: "a discovery that says nothing of what it leaves out",
    breaks: change((gateway) => ({
      discover: (server, host) =>
        Effect.map(gateway.discover(server, host), (found) => ({ ...found, diagnostics: [] })),
    })),
  },
  {
    kills: "MCP-03",
    title: "a discovery that takes what it has of a list without an end",
    breaks: change((gateway) => ({
      discover: (server, host) =>
        Effect.catchTag(gateway.discover(server, host), "McpFault", () =>
          Effect.succeed({ peer: { name: "", version: "" }, protocolVersion: "", tools: [], diagnostics: [] }),
        ),
    })),
  },
  {
    kills: "MCP-04",
    title: "a gateway that takes errors of the protocol for errors of tools",
    breaks: outcomes((outcome) =>
      outcome._tag === "ServerError"
        ? { _tag: "Known", answer: { content: [{ type: "text", text: outcome.message }], isError: true } }
        : outcome,
    ),
  },
  {
    kills: "MCP-04",
    title: "a gateway that loses that a tool has failed",
    breaks: outcomes((outcome) =>
      outcome._tag === "Known" ? { ...outcome, answer: { ...outcome.answer, isError: false } } : outcome,
    ),
  },
  {
    kills: "MCP-05",
    title: "a gateway that says of each failure that nobody knows",
    breaks: outcomes((outcome) => (outcome._tag === "NotSent" ? unknown("mcp.call_response_failed") : outcome)),
  },
  {
    kills: "MCP-06",
    title: "a gateway that says of a call without an answer that it was not sent",
    breaks: outcomes((outcome) => (outcome._tag === "Unknown" ? notSent("mcp.call_not_queued") : outcome)),
  },
  {
    kills: "MCP-06",
    title: "a call that goes on when its time is over",
    breaks: change((gateway) => ({
      call: (server, call, host) =>
        Effect.gen(function* () {
          const under = yield* Effect.forkDetach(gateway.call(server, { ...call, timeoutMs: 60_000 }, host));
          return yield* Effect.timeoutOrElse(Fiber.join(under), {
            duration: call.timeoutMs,
            orElse: () => Effect.succeed(unknown("mcp.call_timeout")),
          });
        }),
    })),
  },
  {
    kills: "MCP-07",
    title: "a call that goes on when nobody waits",
    breaks: change((gateway) => ({
      call: (server, call, host) =>
        Effect.flatMap(Effect.forkDetach(gateway.call(server, call, host)), (fiber) => Fiber.join(fiber)),
    })),
  },
  {
    kills: "MCP-08",
    title: "a gateway that makes a call again which it does not know the end of",
    breaks: change((gateway) => ({
      call: (server, call, host) =>
        Effect.flatMap(gateway.call(server, call, host), (outcome) =>
          outcome._tag === "Unknown" ? gateway.call(server, call, host) : Effect.succeed(outcome),
        ),
    })),
  },
  {
    kills: "MCP-09",
    title: "a gateway that cuts arguments which are too large",
    breaks: change((gateway) => ({
      call: (server, call, host) =>
        gateway.call(server, JSON.stringify(call.arguments).length > 10_000 ? { ...call, arguments: {} } : call, host),
    })),
  },
  {
    kills: "MCP-10",
    title: "a gateway that makes one call after the other",
    breaks: change((gateway) => {
      const turn = Semaphore.makeUnsafe(1);
      return { call: (server, call, host) => turn.withPermits(1)(gateway.call(server, call, host)) };
    }),
  },
  {
    kills: "MCP-11",
    title: "a gateway that accepts for the host",
    breaks: change((gateway) => ({
      call: (server, call, host) =>
        gateway.call(server, call, { ...host, ask: () => Effect.succeed({ action: "accept", content: {} }) }),
    })),
  },
  {
    kills: "MCP-12",
    title: "a call whose time goes on while a person thinks",
    breaks: change((gateway) => ({
      call: (server, call, host) =>
        Effect.timeoutOrElse(gateway.call(server, call, host), {
          duration: call.timeoutMs,
          orElse: () => Effect.succeed(unknown("mcp.call_timeout")),
        }),
    })),
  },
  {
    kills: "MCP-13",
    title: "a gateway that lets each server ask models",
    breaks: change((gateway) => ({
      call: (server, call, host) => gateway.call({ ...server, allowsSampling: true }, call, host),
    })),
  },
  {
    kills: "MCP-13",
    title: "a gateway that lets no server ask models",
    breaks: change((gateway) => ({
      call: (server, call, host) => gateway.call({ ...server, allowsSampling: false }, call, host),
    })),
  },
  {
    kills: "MCP-14",
    title: "a gateway that keeps progress to itself",
    breaks: change((gateway) => ({
      call: (server, call, host) => gateway.call(server, without(call, "onProgress"), host),
    })),
  },
  {
    kills: "MCP-15",
    title: "an outcome that holds what the server was reached with",
    breaks: outcomes((outcome) =>
      outcome._tag === "Known"
        ? {
            ...outcome,
            answer: { ...outcome.answer, content: [{ type: "text", text: "cahier-law-secret-0123456789" }] },
          }
        : outcome,
    ),
  },
  {
    kills: "MCP-16",
    title: "a close that leaves the session open",
    breaks: change(() => ({ close: () => Effect.void })),
  },
  {
    kills: "MCP-17",
    title: "a list that ends with the first page",
    breaks: change((gateway) => ({
      list: (server, list) => Effect.map(gateway.list(server, list), (items) => items.slice(0, 1)),
    })),
  },
];
