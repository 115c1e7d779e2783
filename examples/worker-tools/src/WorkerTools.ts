/**
 * The functions of a worker thread as a source of tools.
 *
 * Owns the worker and what becomes of calls when it dies. Does not own whether a call may run: policy does, and to policy these
 * are tools of an extension.
 */
import { Worker } from "node:worker_threads";
import { ToolId } from "@cahier/domain/tool/ToolId";
import type { SourceCatalogue, SourceOutcome, SourceTool, ToolSource } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import { FromWorker, type StatedTool, type ToWorker } from "./messages.ts";

/**
 * Starts a worker that serves tools (`serveTools`); it ends with the scope. `name` stands in the ids: `extension/<name>:<tool>`.
 * `data` is the worker's `workerData`.
 */
export const make = (name: string, program: URL, data?: unknown): Effect.Effect<ToolSource, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<Running>((resume) => {
        const running = start(name, new Worker(program, { workerData: data }), () => resume(Effect.succeed(running)));
      }),
      ({ worker }) => Effect.promise(() => worker.terminate()),
    ),
    sourceOf,
  );

interface Running {
  readonly worker: Worker;
  catalogue: SourceCatalogue;
  /** Whoever waits for an answer, by the number of the call. */
  readonly waiting: Map<number, (outcome: SourceOutcome) => void>;
  calls: number;
}

const start = (name: string, worker: Worker, ready: () => void): Running => {
  const running: Running = { worker, catalogue: { tools: [], diagnostics: [] }, waiting: new Map(), calls: 0 };
  const close = (call: number, outcome: SourceOutcome): void => {
    running.waiting.get(call)?.(outcome);
    running.waiting.delete(call);
  };
  worker.on("message", (said: unknown) => {
    const message = Option.getOrUndefined(decode(said));
    if (message?.type === "tools") {
      running.catalogue = { tools: message.tools.map((tool) => toolOf(name, tool)), diagnostics: [] };
      ready();
    } else if (message?.type === "answer") close(message.call, answered(message.value));
    else if (message?.type === "error") close(message.call, failed(message.message));
    else if (callIn(said) !== undefined) close(callIn(said) ?? -1, failed("It answered something that is no JSON."));
  });
  worker.on("error", () => undefined);
  worker.on("exit", () => {
    running.catalogue = { tools: [], diagnostics: [] };
    for (const call of running.waiting.keys()) close(call, lost);
    ready();
  });
  return running;
};

const sourceOf = (running: Running): ToolSource => ({
  provider: "extension",
  catalogue: Effect.sync(() => running.catalogue),
  call: ({ arguments: given, toolId }) =>
    Effect.callback<SourceOutcome>((resume) => {
      const tool = running.catalogue.tools.find(({ descriptor }) => descriptor.id === toolId);
      if (tool === undefined) return resume(Effect.succeed(gone(toolId)));
      const call = (running.calls += 1);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of threads, not a window
      const say = (message: ToWorker): void => running.worker.postMessage(message);
      running.waiting.set(call, (outcome) => resume(Effect.succeed(outcome)));
      say({ type: "call", call, name: tool.descriptor.title, arguments: given });
      return Effect.sync(() => {
        running.waiting.delete(call);
        say({ type: "cancel", call });
      });
    }),
});

const toolOf = (name: string, { description, inputSchema, name: title, readOnly = false }: StatedTool): SourceTool => ({
  groupName: name,
  descriptor: {
    id: ToolId.make(`extension/${name}:${title}`),
    title,
    description,
    inputSchema,
    annotations: { readOnly, destructive: false, idempotent: readOnly, openWorld: false, cost: "none" },
    source: "extension",
    visibility: "model",
    permission: "ask",
    budget: { timeoutMs: 60_000 },
  },
});

const answered = (value: Schema.Json): SourceOutcome => ({
  _tag: "Answered",
  content: typeof value === "string" ? value : JSON.stringify(value),
});

const failed = (message: string): SourceOutcome => ({
  _tag: "Answered",
  content: message,
  errorCode: "extension.tool_error",
});

const gone = (toolId: string): SourceOutcome => ({
  _tag: "NotSent",
  code: "extension.tool_unavailable",
  message: `The worker does not offer ${toolId} any more.`,
});

const lost: SourceOutcome = {
  _tag: "Unknown",
  code: "extension.tool_error",
  message: "The worker ended before it answered.",
};

const decode = Schema.decodeUnknownOption(FromWorker);

const decodeCall = Schema.decodeUnknownOption(Schema.Struct({ call: Schema.Int }));

const callIn = (said: unknown): number | undefined => Option.getOrUndefined(decodeCall(said))?.call;
