/**
 * Canonical requests to Responses bodies.
 *
 * Owns the growing body of a session: a flat list of items. A response that came in this format goes back as its native
 * items, untouched; anything else as canonical content. Nothing is stored at the server, so reasoning comes and goes
 * encrypted.
 */
import {
  type MediaPart,
  type Message,
  type Part,
  type Role,
  textOf,
  type ToolCallPart,
  type ToolResultPart,
} from "@cahier/domain/model/Message";
import type { ModelRequest, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import * as Result from "effect/Result";
import * as foreign from "../../../internal/foreign.ts";
import { Items } from "../../../internal/Items.ts";
import { JsonBuffer } from "../../../internal/JsonBuffer.ts";
import * as lostParameters from "../../../internal/lostParameters.ts";
import * as media from "../../../internal/media.ts";
import * as sessionEncoder from "../../../internal/sessionEncoder.ts";
import * as strictSchema from "../../../internal/strictSchema.ts";
import type { Encoder, FrameStart, Refusal, SocketEncoder } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import type { RequestItem, RequestPart, RequestToolChoice } from "./wire.ts";

/** `strictTools`: the server holds the model to the schemas of tools, where they have a strict form. */
export interface Dialect {
  readonly strictTools: boolean;
}

export const makeEncoder = (dialect: Dialect): Encoder =>
  sessionEncoder.make((onLoss) => new Body(dialect, "bodies", onLoss));

/** Frames for a socket: what a body has, except what has no meaning on one. */
export const makeSocketEncoder = (dialect: Dialect): SocketEncoder => {
  const { grown, takeWarnings } = sessionEncoder.keep((onLoss) => new Body(dialect, "frames", onLoss));
  return {
    frame: (request, start) => Result.map(grown(request), (body) => body.frame(request, start)),
    warmUp: (request) => Result.map(grown(request), (body) => body.warmUp(request)),
    takeWarnings,
  };
};

class Body implements sessionEncoder.BodyWriter {
  readonly #dialect: Dialect;
  readonly #onLoss: sessionEncoder.OnLoss;
  readonly #buffer = new JsonBuffer();
  readonly #items = new Items<RequestItem>(this.#buffer, () => "");
  readonly #ids = new Map<string, string>();
  /** Where each message begins in the buffer, and who said it: only frames are cut there. */
  readonly #places: Array<{ readonly start: number; readonly isAnswer: boolean }> = [];
  readonly #of: "bodies" | "frames";
  #tools: { readonly of: ReadonlyArray<ToolDefinition>; readonly json: string } | undefined;

  constructor(dialect: Dialect, of: "bodies" | "frames", onLoss: sessionEncoder.OnLoss) {
    this.#dialect = dialect;
    this.#of = of;
    this.#onLoss = onLoss;
    this.#buffer.append(opening);
  }

  add(message: Message): Refusal | undefined {
    const natives = foreign.nativesOf(message, format, this.#onLoss);
    const isAnswer = message.role === "assistant";
    if (this.#of === "frames") this.#places.push({ start: this.length(), isAnswer });
    if (isAnswer) return this.#addAnswer(message, natives);
    const content: Array<RequestPart> = [];
    for (const part of message.parts) this.#addInput(part, message.name, content);
    if (content.length > 0) this.#items.add({ type: "message", role: roleOf(message.role), content });
    for (const part of message.parts) if (part.type === "toolResult") this.#addResult(part);
    return undefined;
  }

  length(): number {
    this.#items.flush();
    return this.#buffer.length;
  }

  bytes(request: ModelRequest): Uint8Array {
    this.#items.flush();
    return this.#buffer.withTail(`],"stream":${request.stream},${this.#rest(request)}}`);
  }

  frame(request: ModelRequest, start: FrameStart | undefined): string {
    const previous = start?.previousResponseId;
    const named = previous === undefined ? "" : `,"previous_response_id":${JSON.stringify(previous)}`;
    return `${frameOpening}${this.#itemsAfter(start?.known ?? 0)}],${this.#rest(request)}${named}}`;
  }

  warmUp(request: ModelRequest): string {
    return `${frameOpening}],${this.#rest(request)},"generate":false}`;
  }

  #rest(request: ModelRequest): string {
    if (this.#tools?.of !== request.tools)
      this.#tools = { of: request.tools, json: encodeTools(request.tools, this.#dialect) };
    return encodeRest(request, this.#tools.json, this.#onLoss);
  }

  /** All items, or those behind the first `known` messages and the answer to them, which is the server's own. */
  #itemsAfter(known: number): string {
    const end = this.length();
    if (known === 0) return this.#buffer.text(opening.length, end);
    const texts = this.#places.slice(known).flatMap(({ isAnswer, start }, index) => {
      const next = this.#places[known + index + 1]?.start ?? end;
      return (isAnswer && index === 0) || start === next ? [] : [this.#buffer.text(start, next)];
    });
    return texts.join("").replace(/^,/, "");
  }

  #addAnswer(message: Message, natives: ReadonlyArray<string>): Refusal | undefined {
    if (natives.length === 0) {
      const text = textOf(message);
      if (text !== "") this.#items.add({ type: "message", role: "assistant", content: text });
      for (const part of message.parts) {
        if (part.type === "toolCall") this.#addCall(part);
        else if (part.type === "media") this.#onLoss(lostParameters.attachment("of the model"));
      }
      return undefined;
    }
    const ids = new Set(natives.flatMap(quirks.callIdOf));
    const lost = foreign.lostCall(message, (callId) => ids.has(callId));
    if (lost !== undefined) return lost;
    for (const id of ids) this.#ids.set(id, id);
    for (const native of natives) this.#items.add(this.#items.raw(native));
    return undefined;
  }

  #addInput(part: Part, name: string | undefined, content: Array<RequestPart>): void {
    switch (part.type) {
      case "text":
        if (part.text !== "") content.push({ type: "input_text", text: foreign.spokenBy(name, part.text) });
        return;
      case "resourceRef":
        content.push({ type: "input_text", text: part.uri });
        return;
      case "media":
        this.#addMedia(part, content);
        return;
      default:
    }
  }

  #addMedia(part: MediaPart, content: Array<RequestPart>): void {
    if (part.mimeType.startsWith("image/")) {
      content.push({ type: "input_image", image_url: part.value, detail: "auto" });
      return;
    }
    if (part.mimeType.startsWith("audio/") || part.mimeType.startsWith("video/")) {
      this.#onLoss(lostParameters.attachment(`of the type ${part.mimeType}`));
      return;
    }
    const of = media.of(part);
    content.push(
      of._tag === "address"
        ? { type: "input_file", file_url: of.url }
        : { type: "input_file", filename: `file.${media.fileEnding(of.mimeType)}`, file_data: part.value },
    );
  }

  #addCall({ arguments: raw, callId, name }: ToolCallPart): void {
    const id = foreign.wireId(callId, quirks.callIdPattern);
    this.#ids.set(callId, id);
    this.#items.add({ type: "function_call", call_id: id, name, arguments: ToolArguments.replay(raw) });
  }

  /** The wire has no error flag, so the mark stands in the text. */
  #addResult({ callId, content, isError }: ToolResultPart): void {
    const output = isError && !content.startsWith("Error: ") ? `Error: ${content}` : content;
    this.#items.add({ type: "function_call_output", call_id: this.#ids.get(callId) ?? callId, output });
  }
}

const format = "openai-responses";

const opening = '{"input":[';
const frameOpening = '{"type":"response.create","input":[';

const roleOf = (role: Role): "developer" | "user" => (role === "system" || role === "developer" ? "developer" : "user");

const encodeRest = (request: ModelRequest, tools: string, onLoss: sessionEncoder.OnLoss): string => {
  const { binding, parameters } = request;
  lostParameters.reportCache(request, onLoss);
  lostParameters.report(parameters, withoutPlace, lostParameters.noPlace, onLoss);
  const fields = JSON.stringify({
    model: binding.modelId,
    store: false,
    include: ["reasoning.encrypted_content"],
    ...(request.tools.length === 0 ? {} : { tool_choice: choiceOf(request) }),
    ...(request.tools.length === 0 || parameters.parallelToolCalls === undefined
      ? {}
      : { parallel_tool_calls: parameters.parallelToolCalls }),
    ...(parameters.reasoning?.effort === undefined ? {} : { reasoning: { effort: parameters.reasoning.effort } }),
    ...(parameters.verbosity === undefined ? {} : { text: { verbosity: parameters.verbosity } }),
    ...quirks.sampling(binding.modelId, parameters, onLoss),
    ...(parameters.maxOutputTokens === undefined ? {} : { max_output_tokens: parameters.maxOutputTokens }),
  }).slice(1, -1);
  return tools === "" ? fields : `${fields},"tools":${tools}`;
};

const withoutPlace = ["stop", "topK", "frequencyPenalty", "presencePenalty", "seed", "reasoning.budgetTokens"] as const;

const choiceOf = ({ toolChoice }: ModelRequest): RequestToolChoice =>
  typeof toolChoice === "string" ? toolChoice : { type: "function", name: toolChoice.specific };

const encodeTools = (tools: ReadonlyArray<ToolDefinition>, { strictTools }: Dialect): string =>
  tools.length === 0
    ? ""
    : JSON.stringify(
        tools.map(({ description, inputSchema, name }) => {
          const strict = strictTools ? strictSchema.of(inputSchema) : undefined;
          return {
            type: "function",
            name,
            description,
            parameters: strict ?? inputSchema,
            strict: strict !== undefined,
          };
        }),
      );
