/**
 * Tools that laws register, and calls of them.
 */
import { CallId, RunId, rootInvocation } from "@cahier/domain/identity/Identity";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import * as ToolContent from "@cahier/domain/tool/ToolContent";
import type { ToolId } from "@cahier/domain/tool/ToolId";
import type { ExtensionFunction, ExtensionTool, ExtensionTools } from "@cahier/ports/ExtensionTools";
import type { Scene, SourceCall, SourceOutcome } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";

/** A tool of the extension `desk`, for both scenes. */
export const tool = (name: string, rest: Partial<ExtensionTool> = {}): ExtensionTool => ({
  extensionId: "desk",
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  contexts: ["chat", "session"],
  ...rest,
});

/** A function that always gives this text. */
export const saying =
  (text: string): ExtensionFunction =>
  () =>
    Effect.succeed(text);

/** Calls a tool as a run of this scene does. */
export const call = (
  tools: ExtensionTools["Service"],
  toolId: ToolId,
  given: JsonObject = {},
  scene: Scene = "chat",
): Effect.Effect<SourceOutcome> => tools.source.call(callOf(toolId, given, scene));

export const runId = RunId.make(`run_${"1".repeat(32)}`);

export const callId = CallId.make("a call of a provider");

/** What a model is shown of an answer without an error, or what the outcome is instead. */
export const said = (outcome: SourceOutcome): string => {
  if (outcome._tag !== "Answered" || outcome.errorCode !== undefined) return JSON.stringify(outcome);
  return typeof outcome.content === "string" ? outcome.content : ToolContent.render(outcome.content);
};

/** The kind and the code of an outcome. */
export const codeOf = (outcome: SourceOutcome): ReadonlyArray<string> =>
  outcome._tag === "Answered" ? [outcome._tag, outcome.errorCode ?? ""] : [outcome._tag, outcome.code];

const callOf = (toolId: ToolId, given: JsonObject, scene: Scene): SourceCall => ({
  toolId,
  arguments: given,
  runId,
  invocationId: rootInvocation,
  callId,
  key: `${runId}:${callId}`,
  scene,
  timeoutMs: 20_000,
  ask: () => Effect.succeed({ action: "cancel" }),
  sample: () => Effect.fail({ code: "tool.denied", message: "A law asks no model." }),
});
