/**
 * Canonical requests to generateContent bodies.
 *
 * Owns the growing body of a session: leading system messages, then contents in which neighbours of one role are merged,
 * so that the results of parallel calls stand together. A response that came in this format goes back as its native
 * parts, untouched; anything else as canonical content.
 */
import { type MediaPart, type Message, type Part, textOf, toolCallsOf } from "@cahier/domain/model/Message";
import type { ModelBinding, ModelRequest, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import * as foreign from "../../../internal/foreign.ts";
import * as googleSchema from "../../../internal/googleSchema.ts";
import * as googleThinking from "../../../internal/googleThinking.ts";
import { JsonBuffer } from "../../../internal/JsonBuffer.ts";
import * as lostParameters from "../../../internal/lostParameters.ts";
import * as media from "../../../internal/media.ts";
import * as sessionEncoder from "../../../internal/sessionEncoder.ts";
import { Turns } from "../../../internal/Turns.ts";
import type { Encoder, Refusal } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import type { RequestFunctionCallingConfig, RequestGenerationConfig, RequestPart } from "./wire.ts";

export const makeEncoder = (): Encoder => sessionEncoder.make((onLoss, binding) => new Body(binding, onLoss));

class Body implements sessionEncoder.BodyWriter {
  readonly #model: quirks.Model;
  readonly #onLoss: sessionEncoder.OnLoss;
  readonly #buffer = new JsonBuffer();
  /** The ids that the server has given to calls; the others are of this package and unknown to it. */
  readonly #ids = new Set<string>();
  readonly #system: Array<RequestPart> = [];
  readonly #turns = new Turns<RequestPart>(this.#buffer, {
    turn: (role, parts) => ({ role, parts }),
    placeholder,
    opening: () =>
      `{${this.#system.length === 0 ? "" : `"systemInstruction":${JSON.stringify({ parts: this.#system })},`}"contents":[`,
  });
  #tools: { readonly of: ReadonlyArray<ToolDefinition>; readonly json: string } | undefined;

  constructor(binding: ModelBinding, onLoss: sessionEncoder.OnLoss) {
    this.#model = quirks.modelOf(binding.modelId);
    this.#onLoss = onLoss;
  }

  add(message: Message): Refusal | undefined {
    const natives = foreign.nativesOf(message, format, this.#onLoss);
    if (isInstruction(message) && this.#turns.isEmpty && this.#model.takesInstructions) {
      const text = textOf(message);
      if (text !== "") this.#system.push({ text });
      return undefined;
    }
    const sole = foreign.soleText(message);
    if (sole !== undefined && sole !== "") {
      this.#addSole(message, sole);
      return undefined;
    }
    if (message.role === "assistant") return this.#addAnswer(message, natives);
    const parts: Array<RequestPart> = [];
    for (const part of message.parts) this.#addInput(part, message.name, parts);
    if (message.role !== "tool" || parts.length > 0) this.#turns.say("user", parts);
    return undefined;
  }

  #addSole({ name, role }: Message, text: string): void {
    if (role === "assistant") return this.#turns.say("model", [{ text }]);
    this.#turns.say("user", [{ text: foreign.spokenBy(name, text) }]);
  }

  length(): number {
    this.#turns.flush();
    return this.#buffer.length;
  }

  bytes(request: ModelRequest): Uint8Array {
    if (this.#tools?.of !== request.tools) this.#tools = { of: request.tools, json: this.#encodeTools(request.tools) };
    const rest = encodeRest(request, this.#tools.json, this.#onLoss);
    this.#turns.flush();
    return this.#buffer.withTail(`${this.#turns.closing()},${rest}}`);
  }

  #addAnswer(message: Message, natives: ReadonlyArray<string>): Refusal | undefined {
    const parts: Array<RequestPart> = [];
    if (natives.length === 0) {
      for (const part of message.parts) this.#addOutput(part, parts);
      this.#turns.say("model", parts);
      return undefined;
    }
    const calls = natives.flatMap(quirks.callOf);
    const lost = foreign.lostCall(message, (_, index) => index < calls.length);
    if (lost !== undefined) return lost;
    for (const [index, { callId }] of toolCallsOf(message).entries()) {
      if (calls[index]?.id === callId) this.#ids.add(callId);
    }
    for (const native of natives) if (!quirks.isRefusedPart(native)) parts.push(this.#turns.raw(native));
    this.#turns.say("model", parts);
    return undefined;
  }

  #addInput(part: Part, name: string | undefined, parts: Array<RequestPart>): void {
    switch (part.type) {
      case "text":
        if (part.text !== "") parts.push({ text: foreign.spokenBy(name, part.text) });
        return;
      case "resourceRef":
        parts.push({ text: part.uri });
        return;
      case "media":
        parts.push(encodeMedia(part));
        return;
      case "toolResult":
        parts.push({
          functionResponse: {
            ...(this.#ids.has(part.callId) ? { id: part.callId } : {}),
            name: part.name,
            response: part.isError ? { error: part.content } : { output: part.content },
          },
        });
        return;
      default:
    }
  }

  #addOutput(part: Part, parts: Array<RequestPart>): void {
    if (part.type === "toolResult") return;
    if (part.type !== "toolCall") return this.#addInput(part, undefined, parts);
    const signature = this.#model.needsSignatures ? { thoughtSignature: quirks.skippedSignature } : {};
    const args = this.#turns.raw(ToolArguments.replay(part.arguments));
    parts.push({ functionCall: { name: part.name, args }, ...signature });
  }

  #encodeTools(tools: ReadonlyArray<ToolDefinition>): string {
    if (tools.length === 0) return "";
    if (!this.#model.takesTools) {
      this.#onLoss("The tools were not sent: the model takes none.");
      return "";
    }
    const declarations = tools.map(({ description, inputSchema, name }) => {
      const { losses, schema } = googleSchema.sanitize(inputSchema, "openapi");
      for (const loss of losses) this.#onLoss(lostParameters.schema(name, loss));
      return { name, description, ...(schema === undefined ? {} : { parameters: schema }) };
    });
    return JSON.stringify([{ functionDeclarations: declarations }]);
  }
}

const format = "gemini-generate-content";

/** The protocol takes no content without parts. */
const placeholder: RequestPart = { text: "\u200B" };

const isInstruction = ({ role }: Message): boolean => role === "system" || role === "developer";

const encodeMedia = (part: MediaPart): RequestPart => {
  const of = media.of(part);
  return of._tag === "data"
    ? { inlineData: { mimeType: of.mimeType, data: of.base64 } }
    : { fileData: { mimeType: of.mimeType, fileUri: of.url } };
};

const encodeRest = (request: ModelRequest, tools: string, onLoss: sessionEncoder.OnLoss): string => {
  const { frequencyPenalty, maxOutputTokens, presencePenalty, seed, stop, temperature, topK, topP } =
    request.parameters;
  lostParameters.reportCache(request, onLoss);
  lostParameters.report(request.parameters, ["verbosity", "parallelToolCalls"], lostParameters.noPlace, onLoss);
  const thinking = googleThinking.of(request.binding.modelId, request.parameters.reasoning, onLoss);
  const generationConfig: RequestGenerationConfig = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
    ...(frequencyPenalty === undefined ? {} : { frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presencePenalty }),
    ...(seed === undefined ? {} : { seed }),
    ...(thinking === undefined ? {} : { thinkingConfig: quirks.thinkingConfig(thinking) }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(stop === undefined || stop.length === 0 ? {} : { stopSequences: stop }),
  };
  const fields = JSON.stringify({
    safetySettings: quirks.safetyOff,
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    ...(tools === "" ? {} : { toolConfig: { functionCallingConfig: choiceOf(request) } }),
  }).slice(1, -1);
  return tools === "" ? fields : `${fields},"tools":${tools}`;
};

const choiceOf = ({ toolChoice }: ModelRequest): RequestFunctionCallingConfig => {
  if (typeof toolChoice === "object") return { mode: "ANY", allowedFunctionNames: [toolChoice.specific] };
  return { mode: toolChoice === "required" ? "ANY" : toolChoice === "none" ? "NONE" : "AUTO" };
};
