/**
 * Calls tools of a server that may want arguments repeated in headers.
 *
 * The library repeats them, at the price of its own checks of each answer: it is left to it for those tools alone that are known to
 * want it. Owns which ones these are.
 */
import type { Client, Tool } from "@modelcontextprotocol/client";
import { namesHeader } from "./headerFault.ts";
import { type JsonObject, stringAt } from "./json.ts";
import { ask, optionsFor, type Request } from "./Request.ts";

export interface ToolCaller {
  /** What tools are like by now. */
  readonly remember: (tools: ReadonlyMap<string, JsonObject>) => void;
  readonly call: (asked: Request, signal: AbortSignal) => Promise<unknown>;
}

/** Calls tools through the client. */
export const make = (client: Client): ToolCaller => {
  const state = {
    known: new Map<string, JsonObject>() as ReadonlyMap<string, JsonObject>,
    repeating: new Set<string>(),
  };

  const repeat = (asked: Request, name: string, signal: AbortSignal): Promise<unknown> => {
    const params = { ...asked.params, name };
    const tool = state.known.get(name);
    if (tool === undefined) return client.callTool(params, optionsFor(asked, signal));
    const { outputSchema: _, ...definition } = tool;
    return client.callTool(params, { ...optionsFor(asked, signal), toolDefinition: definition as unknown as Tool });
  };

  return {
    remember: (tools) => {
      state.known = tools;
      state.repeating = new Set([...tools].flatMap(([name, tool]) => (namesHeader(tool["inputSchema"]) ? [name] : [])));
    },
    call: async (asked, signal) => {
      const name = stringAt(asked.params, "name") ?? "";
      if (state.repeating.has(name)) return repeat(asked, name, signal);
      if (state.known.has(name)) return ask(client, asked, signal);
      try {
        return await ask(client, asked, signal);
      } catch (error) {
        if (!isHeaderMissing(error)) throw error;
        // The server has refused to look at the call. What it wants repeated stands in its list, which the library keeps.
        await client.listTools(undefined, { signal, cacheMode: "refresh" }).catch(() => undefined);
        state.repeating.add(name);
        return repeat(asked, name, signal);
      }
    },
  };
};

/** What a server answers that misses the headers which repeat arguments. */
const headerMismatch = -32020;

const isHeaderMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === headerMismatch;
