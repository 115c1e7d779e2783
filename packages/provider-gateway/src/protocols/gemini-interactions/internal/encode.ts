/**
 * Canonical requests to Interactions bodies.
 *
 * Owns the growing body of a session: leading system messages as one instruction, then a flat list of steps. A response
 * that came in this format goes back as its native steps, untouched; anything else as canonical content. Nothing is
 * stored at the server.
 */
import { type Message, type Part, textOf } from "@cahier/domain/model/Message";
import type { ModelRequest, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import * as foreign from "../../../internal/foreign.ts";
import * as googleSchema from "../../../internal/googleSchema.ts";
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
  #isEmpty = true;
  #tools: { readonly of: ReadonlyArray<ToolDefinition>; readonly json: string } | undefined;

  constructor(onLoss: sessionEncoder.OnLoss) {
    this.#onLoss = onLoss;
  }

  add(message: Message, index: number): Refusal | undefined {
    foreign.reportLosses(message, index, format, this.#onLoss);
    if (isInstruction(message) && this.#isEmpty) {
      const text = textOf(message);
      if (text !== "") this.#instructions.push(text);
      return undefined;
    }
    if (message.role === "assistant") return this.#addAnswer(message);
    this.#push(
      stepOf(
        "user_input",
        message.parts.flatMap((part) => encodeContent(part, message.name)),
      ),
    );
    this.#push(message.parts.flatMap(encodeResult));
    return undefined;
  }

  get length(): number {
    return this.#buffer.length;
  }

  bytes(request: ModelRequest): Uint8Array {
    if (this.#tools?.of !== request.tools) this.#tools = { of: request.tools, json: this.#encodeTools(request.tools) };
    const steps = this.#isEmpty ? this.#opening() + placeholder : "";
    return this.#buffer.withTail(`${steps}],${encodeRest(request, this.#tools.json, this.#onLoss)}}`);
  }

  #addAnswer(message: Message): Refusal | undefined {
    const natives = foreign.nativesOf(message, format);
    if (natives.length === 0) {
      this.#push(
        stepOf(
          "model_output",
          message.parts.flatMap((part) => encodeContent(part, undefined)),
        ),
      );
      this.#push(message.parts.flatMap(encodeCall));
      return undefined;
    }
    const ids = new Set(natives.flatMap(quirks.callIdOf));
    const lost = foreign.lostCall(message, (callId) => ids.has(callId));
    if (lost !== undefined) return lost;
    this.#push(natives);
    return undefined;
  }

  #push(steps: ReadonlyArray<string>): void {
    for (const step of steps) {
      this.#buffer.append((this.#isEmpty ? this.#opening() : ",") + step);
      this.#isEmpty = false;
    }
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
        for (const loss of losses) this.#onLoss(`schema of the tool ${name}: ${loss}`);
        return { type: "function", name, description, ...(schema === undefined ? {} : { parameters: schema }) };
      }),
    );
  }
}

const format = "gemini-interactions";

const json = (step: RequestStep): string => JSON.stringify(step);

/** The protocol takes no input without steps. */
const placeholder = json({ type: "user_input", content: [{ type: "text", text: "\u200B" }] });

const isInstruction = ({ role }: Message): boolean => role === "system" || role === "developer";

const stepOf = (type: "user_input" | "model_output", content: ReadonlyArray<RequestContent>): ReadonlyArray<string> =>
  content.length === 0 ? [] : [json({ type, content })];

const encodeContent = (part: Part, name: string | undefined): ReadonlyArray<RequestContent> => {
  if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: foreign.spokenBy(name, part.text) }];
  if (part.type === "resourceRef") return [{ type: "text", text: part.uri }];
  if (part.type !== "media") return [];
  const of = media.of(part);
  const type = quirks.contentType(of.mimeType);
  return of._tag === "data"
    ? [{ type, mime_type: of.mimeType, data: of.base64 }]
    : [{ type, mime_type: of.mimeType, uri: of.url }];
};

const encodeCall = (part: Part): ReadonlyArray<string> => {
  if (part.type !== "toolCall") return [];
  const head = JSON.stringify({ type: "function_call", id: part.callId, name: part.name }).slice(0, -1);
  return [`${head},"arguments":${ToolArguments.replay(part.arguments)}}`];
};

const encodeResult = (part: Part): ReadonlyArray<string> => {
  if (part.type !== "toolResult") return [];
  const { callId, content, isError, name } = part;
  return [
    json({ type: "function_result", call_id: callId, name, result: content, ...(isError ? { is_error: true } : {}) }),
  ];
};

const encodeRest = (request: ModelRequest, tools: string, onLoss: sessionEncoder.OnLoss): string => {
  const { maxOutputTokens, seed, stop, temperature, topP } = request.parameters;
  lostParameters.reportCache(request, onLoss);
  lostParameters.report(request.parameters, withoutPlace, lostParameters.noPlace, onLoss);
  const level = quirks.thinkingLevel(request, onLoss);
  const generationConfig: RequestGenerationConfig = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
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
