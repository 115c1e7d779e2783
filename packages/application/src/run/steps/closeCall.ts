/** The end of a tool call: exactly one result, stored, told to the model and counted. */
import * as Repetition from "@cahier/domain/budget/Repetition";
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { ToolUsage } from "@cahier/domain/run/event/tool";
import { draft, type PayloadOf } from "@cahier/domain/run/RunEvent";
import type { CallState, TurnState } from "@cahier/domain/run/RunState";
import { type ToolResult, toMessage } from "@cahier/domain/tool/ToolResult";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import * as Effect from "effect/Effect";
import { cutText } from "../../payload/cutText.ts";
import type { NamedAttachment } from "../../tool/attachments.ts";
import type { ReadableFile } from "../../tool/resultOf.ts";
import type { CallIdentity } from "../../tool/Tool.ts";
import { contentOf } from "../../workspace/fileContent.ts";
import * as paths from "../paths.ts";
import { invocationOf, record, type RunContext } from "../RunContext.ts";

/**
 * What closes a call beside its result. `readable` is the whole of a result that was too long for the model, `attachments` are what
 * of it is no text.
 */
export interface Closing {
  readonly elapsedMs: number;
  readonly usage?: ToolUsage;
  readonly readable?: ReadableFile;
  readonly attachments?: ReadonlyArray<NamedAttachment>;
}

/** The identity that a result must carry. */
export const identityOf = (call: CallState): CallIdentity => ({
  callId: call.callId,
  toolId: call.toolId ?? call.name,
  name: call.name,
});

/** Writes the one result of a call and closes it; the model is warned when it goes in circles. */
export const closeCall = Effect.fnUntraced(function* (
  context: RunContext,
  turn: TurnState,
  call: CallState,
  given: ToolResult,
  { attachments = [], elapsedMs, readable, usage }: Closing,
): Effect.fn.Return<void, Fatal> {
  const { invocationId, payloads } = context;
  const base = { round: turn.round, invocationId, callId: call.callId, toolId: given.toolId };
  const contentSha256 = Sha256.ofText(given.original?.content ?? given.content);
  const warning = warningOf(context, call, given.toolId, contentSha256);
  const result = warning === undefined ? given : { ...given, content: `${given.content}\n\n${warning}` };
  const path = paths.toolResult(call.argumentsRef.path);
  const stored = yield* payloads.store(path, JSON.stringify(result));
  context.transcript.remember(stored.sha256, toMessage(result));
  const view = readable === undefined ? undefined : yield* payloads.store(readable.path, readable.text);
  const files = yield* Effect.forEach(attachments, (attachment) => storedFile(context, attachment));
  const closing = {
    ...base,
    isError: result.isError,
    ...(result.errorCode === undefined
      ? {}
      : { errorCode: result.errorCode, message: cutText(given.content, messageLimitBytes) }),
    elapsedMs,
    resourceRefs: result.resourceRefs,
    ...(usage === undefined ? {} : { usage }),
  };
  record(context, draft("tool_result_stored", invocationId, { ...base, result: stored, contentSha256 }));
  if (readable !== undefined && view !== undefined)
    record(
      context,
      draft("tool_result_readable_view_stored", invocationId, {
        ...base,
        path: readable.path,
        auditPath: path,
        chars: readable.chars,
        words: readable.words,
        content: view,
      }),
    );
  for (const file of files)
    record(context, draft("tool_result_attachment_stored", invocationId, { ...base, ...file, auditPath: path }));
  record(
    context,
    result.isError
      ? draft("tool_call_failed", invocationId, closing)
      : draft("tool_call_completed", invocationId, closing),
  );
});

const storedFile = Effect.fnUntraced(function* (
  { payloads }: RunContext,
  { bytes, mimeType, path }: NamedAttachment,
): Effect.fn.Return<AttachedFile, Fatal> {
  const { encoding, text } = contentOf(bytes);
  const content = yield* payloads.store(encoding === undefined ? path : `${path}.${encoding}`, text);
  return {
    path,
    ...(mimeType === undefined ? {} : { mimeType: cutText(mimeType, mimeTypeLimitBytes) }),
    ...TextMetrics.measure(encoding === undefined ? text : ""),
    sha256: encoding === undefined ? content.sha256 : Sha256.ofBytes(bytes),
    bytes: bytes.byteLength,
    content,
    ...(encoding === undefined ? {} : { encoding }),
  };
});

type AttachedFile = Omit<
  PayloadOf<"tool_result_attachment_stored">,
  "auditPath" | "callId" | "invocationId" | "round" | "toolId"
>;

/** Longest kind of a file that an event states, in bytes of UTF-8. */
const mimeTypeLimitBytes = 200;

/** How much of an error's content its closing event repeats, in bytes of UTF-8; the result has all of it. */
const messageLimitBytes = 2048;

/** A sentence for a model that has made the same call with the same result again and again. */
const warningOf = (context: RunContext, call: CallState, toolId: string, resultSha256: string): string | undefined => {
  const { context: frozen, repetition } = invocationOf(context);
  const limits = frozen?.limits.repetition;
  if (limits === undefined || call.argumentsSha256 === null) return undefined;
  const { argumentsSha256 } = call;
  const history = Repetition.observeCall(repetition, { toolId, argumentsSha256, resultSha256 });
  if (Repetition.repeats(history).calls < limits.warnAt) return undefined;
  return Repetition.judge(history, limits) === "warn" ? Repetition.describe(history, limits) : undefined;
};
