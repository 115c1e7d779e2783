/**
 * The tools of laws in a worker. What reaches them is told over the channel that it is given the name of, and over it slow
 * calls are released.
 */
import { BroadcastChannel, workerData } from "node:worker_threads";
import { type ServedTool, serveTools } from "../../src/serveTools.ts";
import type { LawNote, LawOrder } from "./lawNotes.ts";

const notes = new BroadcastChannel(String(workerData));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of threads, not a window
const say = (note: LawNote): void => notes.postMessage(note);

const released = new Map<string, () => void>();

const textIn = (given: { readonly [name: string]: unknown }): string => String(given["text"]);

const tool = (name: string, run: ServedTool["run"]): ServedTool => ({
  name,
  description: `The tool of laws ${name}.`,
  inputSchema: { type: "object" },
  run: (given, signal) => {
    say({ kind: "received", text: "value" in given ? JSON.stringify(given["value"]) : textIn(given) });
    return run(given, signal);
  },
});

const lasting = [
  tool("echo", textIn),
  tool("json", ({ value }) => value),
  tool("fail", (given) => {
    throw new Error(textIn(given));
  }),
  tool("slow", (given, signal) => {
    const text = textIn(given);
    return new Promise((resolve) => {
      released.set(text, () => resolve(text));
      signal.addEventListener("abort", () => say({ kind: "interrupted", text }));
      say({ kind: "arrived", text });
    });
  }),
  tool("garbage", () => 10n),
];

const offer = serveTools([...lasting, tool("vanish", textIn)]);

notes.addEventListener("message", (event) => {
  const order = (event as unknown as { readonly data: LawOrder }).data;
  if (order.kind === "release") released.get(order.text)?.();
  // Whoever hears this has heard everything that was said before it.
  if (order.kind === "mark") say({ kind: "marked", text: order.text });
  if (order.kind === "vanish") offer(lasting);
  if (order.kind === "exit") process.exit(0);
});
