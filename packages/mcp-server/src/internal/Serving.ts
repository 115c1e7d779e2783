/**
 * An offer, ready to be served: what makes a protocol server for each connection or request.
 *
 * Owns what is answered to each method. Does not own transports. Whatever goes wrong unexpectedly is logged, and told to nobody:
 * what a bug says may hold anything.
 */
import {
  type CallToolResult,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as FiberSet from "effect/FiberSet";
import * as Option from "effect/Option";
import type * as Scope from "effect/Scope";
import type { Offer, OfferFault } from "../Offer.ts";
import * as resources from "./resources.ts";
import * as actionTools from "./tools/actionTools.ts";
import * as catalogueTools from "./tools/catalogueTools.ts";
import * as fileTools from "./tools/fileTools.ts";
import * as runTools from "./tools/runTools.ts";
import { type Call, wordsOf } from "./tools/ServedTool.ts";

/** Makes servers of the offer. What they carry out ends with the scope, and when whoever asked gives it up. */
export const make = Effect.fnUntraced(function* (offer: Offer): Effect.fn.Return<McpServerFactory, never, Scope.Scope> {
  const runPromise = yield* FiberSet.makeRuntimePromise();
  const served = [runTools, fileTools, catalogueTools, actionTools].flatMap((group) => group.make(offer));
  const tools = new Map(served.map((tool) => [tool.statement.name, tool]));
  const statements = served.map(({ statement }) => statement);

  const carryOut = async <A>(context: ServerContext, effect: Effect.Effect<A, OfferFault>): Promise<A> => {
    const { signal } = context.mcpReq;
    const logged = Effect.tapCause(effect, (cause) =>
      Cause.hasDies(cause) ? Effect.logError("An offer to MCP clients failed", cause) : Effect.void,
    );
    const exit = await runPromise(Effect.exit(logged), { signal });
    if (Exit.isSuccess(exit)) return exit.value;
    const fault = Cause.findErrorOption(exit.cause);
    throw Option.isSome(fault)
      ? new ProtocolError(ProtocolErrorCode.InternalError, wordsOf(fault.value))
      : new ProtocolError(ProtocolErrorCode.InternalError, "The host failed; its own log tells why.");
  };

  return () => {
    const server = new Server(
      { ...offer.identity },
      {
        capabilities: { tools: {}, resources: {}, completions: {} },
        instructions,
        cacheHints: { "resources/templates/list": fixed, "tools/list": fixed, "server/discover": fixed },
      },
    );
    server.setRequestHandler("tools/list", ({ params }) =>
      params?.cursor === undefined ? { tools: statements.map(asTool) } : rejectCursor(),
    );
    server.setRequestHandler("tools/call", ({ params }, context): Promise<CallToolResult> => {
      const tool = tools.get(params.name);
      if (tool !== undefined) return carryOut(context, tool.call(params.arguments, callOf(context)));
      const names = [...tools.keys()].join(", ");
      throw invalid(`There is no tool ${params.name.slice(0, 200)}. There are: ${names}.`);
    });
    server.setRequestHandler("resources/list", async ({ params }, context) => {
      const found = await carryOut(context, resources.list(offer, params?.cursor));
      return Option.getOrElse(found, rejectCursor);
    });
    server.setRequestHandler("resources/templates/list", ({ params }) =>
      params?.cursor === undefined ? resources.listTemplates : rejectCursor(),
    );
    server.setRequestHandler("resources/read", async ({ params }, context) => {
      const found = await carryOut(context, resources.read(offer, params.uri));
      if (Option.isSome(found)) return found.value;
      throw new ResourceNotFoundError(
        params.uri,
        "There is no such resource; list_runs shows the runs that there are.",
      );
    });
    server.setRequestHandler("completion/complete", ({ params }, context) =>
      carryOut(context, resources.complete(offer, params)),
    );
    return server;
  };
});

const instructions =
  "Runs of writing agents: each run is one generation, in which an agent writes the next message of a chat in a workspace of its own. list_runs names the runs; the other tools take a runId from there.";

/** Does not change while the host runs, and says nothing that is not the same for everyone who may connect. */
const fixed = { ttlMs: 60_000, cacheScope: "private" } as const;

const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

const rejectCursor = (): never => {
  throw invalid("This cursor is not one that this server gave. Begin again without one.");
};

const asTool = <Tool extends { readonly inputSchema: object; readonly outputSchema?: object }>(tool: Tool) => ({
  ...tool,
  inputSchema: { ...tool.inputSchema, type: "object" as const },
  ...(tool.outputSchema === undefined ? {} : { outputSchema: { ...tool.outputSchema, type: "object" as const } }),
});

const callOf = ({ mcpReq }: ServerContext): Call => {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { progress: () => Effect.void };
  return {
    // Whoever cannot be told any more is no failure of the call.
    progress: (progress, message) =>
      Effect.ignore(
        Effect.tryPromise(() =>
          mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } }),
        ),
      ),
  };
};
