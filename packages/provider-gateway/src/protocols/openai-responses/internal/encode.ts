/**
 * Canonical requests to Responses bodies.
 *
 * Owns the growing body of a session: a flat list of items. A response that came in this format goes back as its native
 * items, untouched; anything else as canonical content. Nothing is stored at the server, so reasoning comes and goes
 * encrypted.
 */
import { type MediaPart, type Message, type Part, type Role, textOf, toolCallsOf } from "@cahier/domain/model/Message";
import type { ModelRequest, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import * as Result from "effect/Result";
import * as foreign from "../../../internal/foreign.ts";
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

export const makeEncoder = (dialect: Dialect): Encoder => sessionEncoder.make((onLoss) => new Body(dialect, onLoss));

/** Frames for a socket: what a body has, except what has no meaning on one. */
export const makeSocketEncoder = (dialect: Dialect): SocketEncoder => {
  const { grown, takeWarnings } = sessionEncoder.keep((onLoss) => new Body(dialect, onLoss));
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
  readonly #ids = new Map<string, string>();
  /** Where each message begins in the buffer, and who said it. */
  readonly #places: Array<{ readonly start: number; readonly isAnswer: boolean }> = [];
  #isFirst = true;
  #tools: { readonly of: ReadonlyArray<ToolDefinition>; readonly json: string } | undefined;

  constructor(dialect: Dialect, onLoss: sessionEncoder.OnLoss) {
    this.#dialect = dialect;
    this.#onLoss = onLoss;
    this.#buffer.append(opening);
  }

  add(message: Message, index: number): Refusal | undefined {
    foreign.reportLosses(message, index, format, this.#onLoss);
    this.#places.push({ start: this.#buffer.length, isAnswer: message.role === "assistant" });
    if (message.role === "assistant") return this.#addAnswer(message);
    const content = message.parts.flatMap((part) => this.#encodeInput(part, message.name));
    if (content.length > 0) this.#push([json({ type: "message", role: roleOf(message.role), content })]);
    this.#push(message.parts.flatMap((part) => this.#encodeResult(part)));
    return undefined;
  }

  get length(): number {
    return this.#buffer.length;
  }

  bytes(request: ModelRequest): Uint8Array {
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

  /** All items, or those behind the first `known` messages; among them what the model said is the server's own. */
  #itemsAfter(known: number): string {
    const end = this.#buffer.length;
    if (known === 0) return this.#buffer.text(opening.length, end);
    const texts = this.#places.slice(known).flatMap(({ isAnswer, start }, index) => {
      const next = this.#places[known + index + 1]?.start ?? end;
      return isAnswer || start === next ? [] : [this.#buffer.text(start, next)];
    });
    return texts.join("").replace(/^,/, "");
  }

  #addAnswer(message: Message): Refusal | undefined {
    const natives = foreign.nativesOf(message, format);
    if (natives.length === 0) {
      const text = textOf(message);
      if (text !== "") this.#push([json({ type: "message", role: "assistant", content: text })]);
      this.#push(toolCallsOf(message).map((call) => this.#encodeCall(call)));
      if (message.parts.some(({ type }) => type === "media"))
        this.#onLoss(`media of the model is not sent to ${format}`);
      return undefined;
    }
    const ids = new Set(natives.flatMap(quirks.callIdOf));
    const lost = foreign.lostCall(message, (callId) => ids.has(callId));
    if (lost !== undefined) return lost;
    for (const id of ids) this.#ids.set(id, id);
    this.#push(natives);
    return undefined;
  }

  #push(items: ReadonlyArray<string>): void {
    for (const item of items) {
      this.#buffer.append(this.#isFirst ? item : `,${item}`);
      this.#isFirst = false;
    }
  }

  #encodeInput(part: Part, name: string | undefined): ReadonlyArray<RequestPart> {
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [{ type: "input_text", text: foreign.spokenBy(name, part.text) }];
      case "resourceRef":
        return [{ type: "input_text", text: part.uri }];
      case "media":
        return this.#encodeMedia(part);
      default:
        return [];
    }
  }

  #encodeMedia(part: MediaPart): ReadonlyArray<RequestPart> {
    if (part.mimeType.startsWith("image/")) return [{ type: "input_image", image_url: part.value, detail: "auto" }];
    if (part.mimeType.startsWith("audio/") || part.mimeType.startsWith("video/")) {
      this.#onLoss(`a part of the type ${part.mimeType} is not sent to ${format}`);
      return [];
    }
    const of = media.of(part);
    if (of._tag === "address") return [{ type: "input_file", file_url: of.url }];
    return [{ type: "input_file", filename: quirks.fileName(of.mimeType), file_data: part.value }];
  }

  #encodeCall({ arguments: raw, callId, name }: { arguments: string; callId: string; name: string }): string {
    const id = foreign.wireId(callId, quirks.callIdPattern);
    this.#ids.set(callId, id);
    return json({ type: "function_call", call_id: id, name, arguments: ToolArguments.replay(raw) });
  }

  /** The wire has no error flag, so the mark stands in the text. */
  #encodeResult(part: Part): ReadonlyArray<string> {
    if (part.type !== "toolResult") return [];
    const { callId, content, isError } = part;
    const output = isError && !content.startsWith("Error: ") ? `Error: ${content}` : content;
    return [json({ type: "function_call_output", call_id: this.#ids.get(callId) ?? callId, output })];
  }
}

const format = "openai-responses";

const opening = '{"input":[';
const frameOpening = '{"type":"response.create","input":[';

const json = (item: RequestItem): string => JSON.stringify(item);

const roleOf = (role: Role): "developer" | "user" => (role === "system" || role === "developer" ? "developer" : "user");

const encodeRest = (request: ModelRequest, tools: string, onLoss: sessionEncoder.OnLoss): string => {
  const { binding, parameters } = request;
  if ((parameters.stop?.length ?? 0) > 0) onLoss("stop sequences are not sent: the protocol has none");
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

const withoutPlace = ["topK", "frequencyPenalty", "presencePenalty", "seed", "reasoning.budgetTokens"] as const;

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
