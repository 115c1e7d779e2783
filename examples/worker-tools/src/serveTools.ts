/**
 * The worker's end: functions that a source elsewhere calls.
 */
import { parentPort } from "node:worker_threads";
import type { FromWorker, StatedTool, ToWorker } from "./messages.ts";

/** A tool and what it does. `signal` says that nobody waits any more. What is thrown is told as the tool's error. */
export interface ServedTool extends StatedTool {
  readonly run: (given: { readonly [name: string]: unknown }, signal: AbortSignal) => unknown;
}

/** Offers the tools; the function that it gives puts others in their place. */
export const serveTools = (first: ReadonlyArray<ServedTool>): ((tools: ReadonlyArray<ServedTool>) => void) => {
  const port = parentPort;
  if (port === null) throw new Error("Tools are served from a worker.");
  const served = { tools: first };
  const calls = new Map<number, AbortController>();
  const say = (message: FromWorker): void => port.postMessage(message);
  const offer = (tools: ReadonlyArray<ServedTool>): void => {
    served.tools = tools;
    say({ type: "tools", tools: tools.map(statedOf) });
  };
  const answer = async (asked: Extract<ToWorker, { readonly type: "call" }>): Promise<void> => {
    const { call, name } = asked;
    const controller = new AbortController();
    calls.set(call, controller);
    try {
      const tool = served.tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      const value: unknown = await tool.run(asked.arguments as { readonly [name: string]: unknown }, controller.signal);
      port.postMessage({ type: "answer", call, value: value ?? null });
    } catch (cause) {
      say({ type: "error", call, message: cause instanceof Error ? cause.message : String(cause) });
    } finally {
      calls.delete(call);
    }
  };
  port.on("message", (message: ToWorker) => {
    if (message.type === "cancel") calls.get(message.call)?.abort();
    else void answer(message);
  });
  offer(first);
  return offer;
};

/** A function cannot leave its thread. */
const statedOf = ({ description, inputSchema, name, readOnly }: ServedTool): StatedTool => ({
  name,
  description,
  inputSchema,
  ...(readOnly === undefined ? {} : { readOnly }),
});
