/**
 * Canonical requests to Interactions bodies.
 *
 * Owns the growing body of a session: leading system messages as one instruction, then a flat list of steps. A response
 * that came in this format goes back as its native steps, untouched; anything else as canonical content. Nothing is
 * stored at the server.
 */
import {
  type MediaPart,
  type Message,
  type Part,
  textOf,
  type ToolCallPart,
  type ToolResultPart,
} from "@cahier/domain/model/Message";
import type { ModelRequest, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import * as foreign from "../../../internal/foreign.ts";
import * as googleSchema from "../../../internal/googleSchema.ts";
import { Items } from "../../../internal/Items.ts";
import { JsonBuffer } from "../../../internal/JsonBuffer.ts";
import * as lostParameters from "../../../internal/lostParameters.ts";
import * as media from "../../../internal/media.ts";
import * as sessionEncoder from "../../../internal/sessionEncoder.ts";
import type { Encoder, Refusal } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import type { RequestContent, RequestGenerationConfig, RequestStep, RequestToolChoice } from "./wire.ts";

export const makeEncoder = (): Encoder => sessionEncoder.make((onLoss) => new Body(onLoss));

class Body implements sessionEncoder.BodyWriter {
  readonly #onLoss: sessionEncoder.OnLoss;
  readonly #buffer = new JsonBuffer();
  readonly #instructions: Array<string> = [];
  readonly #steps = new Items<RequestStep>(this.#buffer, () => this.#opening());
  #tools: { readonly of: ReadonlyArray<ToolDefinition>; readonly json: string } | undefined;

  constructor(onLoss: sessionEncoder.OnLoss) {
    this.#onLoss = onLoss;
  }

  add(message: Message): Refusal | undefined {
    const natives = foreign.nativesOf(message, format, this.#onLoss);
    if (isInstruction(message) && this.#steps.isEmpty) {
      const text = textOf(message);
      if (text !== "") this.#instructions.push(text);
      return undefined;
    }
    const sole = foreign.soleText(message);
    if (sole !== undefined && sole !== "") {
      this.#addSole(message, sole);
      return undefined;
    }
    if (message.role === "assistant") return this.#addAnswer(message, natives);
    this.#addContent("user_input", message);
    for (const part of message.parts) if (part.type === "toolResult") this.#steps.add(encodeResult(part));
    return undefined;
  }

  #addSole({ name, role }: Message, text: string): void {
    if (role === "assistant") return this.#steps.add({ type: "model_output", content: [{ type: "text", text }] });
    this.#steps.add({ type: "user_input", content: [{ type: "text", text: foreign.spokenBy(name, text) }] });
  }

  length(): number {
    this.#steps.flush();
    return this.#buffer.length;
  }

  bytes(request: ModelRequest): Uint8Array {
    if (this.#tools?.of !== request.tools) this.#tools = { of: request.tools, json: this.#encodeTools(request.tools) };
    const steps = this.#steps.isEmpty ? this.#opening() + placeholder : "";
    this.#steps.flush();
    return this.#buffer.withTail(`${steps}],${encodeRest(request, this.#tools.json, this.#onLoss)}}`);
  }

  #addAnswer(message: Message, natives: ReadonlyArray<string>): Refusal | undefined {
    if (natives.length === 0) {
      this.#addContent("model_output", message);
      for (const part of message.parts) if (part.type === "toolCall") this.#addCall(part);
      return undefined;
    }
    const ids = new Set(natives.flatMap(quirks.callIdOf));
    const lost = foreign.lostCall(message, (callId) => ids.has(callId));
    if (lost !== undefined) return lost;
    for (const native of natives) this.#steps.add(this.#steps.raw(native));
    return undefined;
  }

  #addContent(type: "user_input" | "model_output", { name, parts }: Message): void {
    const content: Array<RequestContent> = [];
    for (const part of parts) addContent(part, type === "user_input" ? name : undefined, content);
    if (content.length > 0) this.#steps.add({ type, content });
  }

  #addCall({ arguments: raw, callId, name }: ToolCallPart): void {
    this.#steps.add({
      type: "function_call",
      id: callId,
      name,
      arguments: this.#steps.raw(ToolArguments.replay(raw)),
    });
  }

  #opening(): string {
    const instruction = this.#instructions.join("\n\n");
    return `{${instruction === "" ? "" : `"system_instruction":${JSON.stringify(instruction)},`}"input":[`;
  }

  #encodeTools(tools: ReadonlyArray<ToolDefinition>): string {
    if (tools.length === 0) return "";
    return JSON.stringify(
      tools.map(({ description, inputSchema, name }) => {
        const { losses, schema } = googleSchema.sanitize(inputSchema, "json-schema");
        for (const loss of losses) this.#onLoss(lostParameters.schema(name, loss));
        return { type: "function", name, description, ...(schema === undefined ? {} : { parameters: schema }) };
      }),
    );
  }
}

const format = "gemini-interactions";

/** The protocol takes no input without steps. */
const placeholder = JSON.stringify({
  type: "user_input",
  content: [{ type: "text", text: "\u200B" }],
} satisfies RequestStep);

const isInstruction = ({ role }: Message): boolean => role === "system" || role === "developer";

const addContent = (part: Part, name: string | undefined, content: Array<RequestContent>): void => {
  if (part.type === "text") {
    if (part.text !== "") content.push({ type: "text", text: foreign.spokenBy(name, part.text) });
  } else if (part.type === "resourceRef") content.push({ type: "text", text: part.uri });
  else if (part.type === "media") content.push(encodeMedia(part));
};

const encodeMedia = (part: MediaPart): RequestContent => {
  const of = media.of(part);
  const type = quirks.contentType(of.mimeType);
  return of._tag === "data"
    ? { type, mime_type: of.mimeType, data: of.base64 }
    : { type, mime_type: of.mimeType, uri: of.url };
};

const encodeResult = ({ callId, content, isError, name }: ToolResultPart): RequestStep => ({
  type: "function_result",
  call_id: callId,
  name,
  result: content,
  ...(isError ? { is_error: true } : {}),
});

const encodeRest = (request: ModelRequest, tools: string, onLoss: sessionEncoder.OnLoss): string => {
  const { maxOutputTokens, seed, stop, temperature } = request.parameters;
  lostParameters.reportCache(request, onLoss);
  lostParameters.report(request.parameters, withoutPlace, lostParameters.noPlace, onLoss);
  const level = quirks.thinkingLevel(request, onLoss);
  const generationConfig: RequestGenerationConfig = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(seed === undefined ? {} : { seed }),
    ...(level === undefined ? {} : { thinking_level: level, thinking_summaries: "auto" }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop_sequences: stop }),
    ...(tools === "" ? {} : { tool_choice: choiceOf(request) }),
  };
  const fields = JSON.stringify({
    model: request.binding.modelId,
    stream: request.stream,
    store: false,
    ...(Object.keys(generationConfig).length === 0 ? {} : { generation_config: generationConfig }),
  }).slice(1, -1);
  return tools === "" ? fields : `${fields},"tools":${tools}`;
};

const withoutPlace = [
  "topP",
  "topK",
  "frequencyPenalty",
  "presencePenalty",
  "verbosity",
  "parallelToolCalls",
  "reasoning.budgetTokens",
] as const;

const choiceOf = ({ toolChoice }: ModelRequest): RequestToolChoice => {
  if (typeof toolChoice === "object") return { allowed_tools: { mode: "any", tools: [toolChoice.specific] } };
  return toolChoice === "required" ? "any" : toolChoice;
};
