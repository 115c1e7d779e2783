/**
 * A tool of a source as the runtime calls it.
 *
 * Owns finding the source when a call is made, and what its outcomes are to the runtime. The tool is looked up anew at each
 * call: it may have gone, or come again, since the invocation was given it.
 */
import { type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import type { SourceCall, SourceOutcome, ToolSource } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import type { Done, Reconciliation, Tool, ToolContext } from "./Tool.ts";
import { byId } from "@cahier/domain/tool/ToolSnapshot";
import { timeoutOf } from "./timeoutOf.ts";

/** The tool that an invocation was given under this descriptor, over whichever of the sources has it at a call. */
export const outsideTool = (sources: ReadonlyArray<ToolSource>, descriptor: ToolDescriptor): Tool => ({
  descriptor,
  run: Effect.fnUntraced(function* (given, context): Effect.fn.Return<Done, Recoverable> {
    const source = yield* ownerOf(sources, descriptor);
    if (source === undefined) return yield* gone(descriptor, context);
    return yield* doneOf(context, yield* source.call(callOf(descriptor, given, context)));
  }),
  // A source that is not there any more, or knows nothing, leaves the call unknown.
  reconcile: Effect.fnUntraced(function* (given, context): Effect.fn.Return<Reconciliation, Recoverable> {
    const source = yield* ownerOf(sources, descriptor);
    if (source?.reconcile === undefined) return { _tag: "Unknown" };
    const found = yield* source.reconcile(callOf(descriptor, given, context));
    if (found._tag === "NeverHappened") return found;
    return found._tag === "Unknown" ? { _tag: "Unknown" } : { _tag: "Known", outcome: yield* doneOf(context, found) };
  }),
});

const ownerOf = Effect.fnUntraced(function* (
  sources: ReadonlyArray<ToolSource>,
  { id, source: provider }: ToolDescriptor,
): Effect.fn.Return<ToolSource | undefined> {
  const candidates = sources.filter((source) => source.provider === provider);
  // A source knows best what it has; only where there are several is one looked for.
  if (candidates.length < 2) return candidates[0];
  for (const source of candidates) {
    const { tools } = yield* source.catalogue;
    if (tools.some(({ descriptor }) => descriptor.id === id)) return source;
  }
  return undefined;
});

const gone = ({ source }: ToolDescriptor, { call }: ToolContext): Recoverable =>
  recoverable(
    source === "mcp" ? "mcp.call_tool_unavailable" : "extension.tool_unavailable",
    `${call.name} is not there any more, so it was not called. Go on without this tool.`,
  );

const callOf = (descriptor: ToolDescriptor, given: JsonObject, context: ToolContext): SourceCall => ({
  toolId: descriptor.id,
  arguments: given,
  runId: context.runId,
  invocationId: context.invocation.id,
  callId: context.call.callId,
  key: context.key,
  scene: "chat",
  // The source gets to say what became of the call before the runtime ends it.
  timeoutMs: Math.max(1, Math.floor(timeoutOf(byId(context.snapshot, descriptor.id)) * shareOfSource)),
  ...(context.isApproved ? { approved: true } : {}),
  ...(context.onProgress === undefined ? {} : { onProgress: context.onProgress }),
  // What a call seldom needs is made when it does.
  ask: (question) => context.ask(question),
  sample: (request) => context.sample(request),
});

const shareOfSource = 0.95;

const doneOf = (context: ToolContext, outcome: SourceOutcome): Effect.Effect<Done, Recoverable> => {
  switch (outcome._tag) {
    case "Answered": {
      const { _tag, ...answer } = outcome;
      return Effect.succeed({ _tag: "Done", ...answer });
    }
    case "NotSent":
      return Effect.fail(recoverable(outcome.code, `${context.call.name} was not called: ${outcome.message}`));
    case "Unknown":
      return Effect.fail(unknown(context, outcome.code, outcome.message));
    default:
      return outcome satisfies never;
  }
};

const unknown = ({ call }: ToolContext, code: FailureCode, message: string): Recoverable =>
  recoverable(
    "tool.outcome_unknown",
    `${call.name} was called, and it is not known whether the call took effect: ${message} Check before you repeat it.`,
    { details: { reason: code } },
  );
