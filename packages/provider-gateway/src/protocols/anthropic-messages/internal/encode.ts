/**
 * Canonical requests to Messages bodies.
 *
 * Owns the growing body of a session: leading system messages, then messages in which neighbours of one role are
 * merged, as the protocol asks. The last message stays open until another role speaks. A response that came in this
 * format goes back as its native blocks, untouched; anything else as canonical content.
 */
import { type MediaPart, type Message, type Part, textOf } from "@cahier/domain/model/Message";
import type { ModelBinding, ModelRequest, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import * as foreign from "../../../internal/foreign.ts";
import * as CacheMarks from "../../../internal/CacheMarks.ts";
import { JsonBuffer } from "../../../internal/JsonBuffer.ts";
import * as lostParameters from "../../../internal/lostParameters.ts";
import * as media from "../../../internal/media.ts";
import * as sessionEncoder from "../../../internal/sessionEncoder.ts";
import { Turns } from "../../../internal/Turns.ts";
import type { Encoder, Refusal } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import * as thinking from "./thinking.ts";
import {
  imageTypes,
  type RequestAddress,
  type RequestBlock,
  type RequestData,
  type RequestToolChoice,
} from "./wire.ts";

/** In what the endpoints of this protocol differ: Vertex names the model in the path and the version in the body. */
export interface Dialect {
  readonly host: "anthropic" | "vertex";
}

export const makeEncoder = (dialect: Dialect): Encoder =>
  sessionEncoder.make((onLoss, { promptCacheTtl }) => new Body(dialect, promptCacheTtl, onLoss));

class Body implements sessionEncoder.BodyWriter {
  readonly #dialect: Dialect;
  readonly #onLoss: sessionEncoder.OnLoss;
  readonly #buffer = new JsonBuffer();
  readonly #ids = new Map<string, string>();
  readonly #system: Array<RequestBlock> = [];
  readonly #ttl: ModelBinding["promptCacheTtl"];
  readonly #marks: CacheMarks.CacheMarks | undefined;
  readonly #turns = new Turns<RequestBlock>(this.#buffer, {
    turn: (speaker, content) => ({ role: speaker === "user" ? "user" : "assistant", content }),
    placeholder,
    opening: () => `{${this.#system.length === 0 ? "" : `"system":[${this.#markedSystem()}],`}"messages":[`,
  });
  #tools: { readonly of: ReadonlyArray<ToolDefinition>; readonly json: string } | undefined;

  constructor(dialect: Dialect, ttl: ModelBinding["promptCacheTtl"], onLoss: sessionEncoder.OnLoss) {
    this.#dialect = dialect;
    this.#ttl = ttl;
    this.#marks = ttl === undefined ? undefined : new CacheMarks.CacheMarks(ttl);
    this.#onLoss = onLoss;
  }

  add(message: Message): Refusal | undefined {
    const natives = foreign.nativesOf(message, format, this.#onLoss);
    if (isInstruction(message) && this.#turns.isEmpty) {
      const text = textOf(message);
      if (text.trim() !== "") this.#system.push({ type: "text", text });
      return undefined;
    }
    const sole = foreign.soleText(message);
    if (sole !== undefined && sole.trim() !== "") {
      this.#addSole(message, sole);
      return undefined;
    }
    if (message.role === "assistant") return this.#addAnswer(message, natives);
    const blocks: Array<RequestBlock> = [];
    for (const part of message.parts) this.#addInput(part, message.name, blocks);
    if (message.role === "tool" && blocks.length === 0) return undefined;
    const isMarkable = blocks.length > 0;
    this.#turns.say("user", blocks);
    if (isMarkable) this.#marks?.note(this.length(), "turn");
    return undefined;
  }

  #addSole({ name, role }: Message, text: string): void {
    if (role === "assistant") return this.#turns.say("model", [{ type: "text", text }]);
    this.#turns.say("user", [{ type: "text", text: foreign.spokenBy(name, text) }]);
    this.#marks?.note(this.length(), "turn");
  }

  length(): number {
    this.#turns.flush();
    return this.#buffer.length;
  }

  bytes(request: ModelRequest): Uint8Array {
    if (this.#tools?.of !== request.tools) {
      this.#tools = { of: request.tools, json: this.#encodeTools(request.tools) };
    }
    const rest = encodeRest(request, this.#tools.json, this.#dialect, this.#onLoss);
    this.#turns.flush();
    const whole = this.#buffer.withTail(`${this.#turns.closing()},${rest}}`);
    return this.#marks === undefined ? whole : this.#marks.insertInto(whole);
  }

  #markedSystem(): string {
    return this.#marked(this.#system.map((block) => JSON.stringify(block))).join(",");
  }

  /** Blocks, as their texts, of which the last is marked where the prompt is to be kept. */
  #marked(blocks: ReadonlyArray<string>): ReadonlyArray<string> {
    const ttl = this.#ttl;
    if (ttl === undefined) return blocks;
    return blocks.map((block, index) => (index === blocks.length - 1 ? CacheMarks.marked(block, ttl) : block));
  }

  /** What comes first is marked once: the tools only where no instructions follow them. */
  #encodeTools(tools: ReadonlyArray<ToolDefinition>): string {
    if (tools.length === 0) return "";
    const encoded = tools.map((tool) => encodeTool(tool, this.#onLoss));
    return `[${(this.#system.length === 0 ? this.#marked(encoded) : encoded).join(",")}]`;
  }

  #addAnswer(message: Message, natives: ReadonlyArray<string>): Refusal | undefined {
    const blocks: Array<RequestBlock> = [];
    if (natives.length === 0) {
      const shown: Array<RequestBlock> = [];
      // An assistant message takes no media, so the next user shows them.
      for (const part of message.parts) this.#addOutput(part, part.type === "media" ? shown : blocks);
      this.#turns.say("model", blocks);
      this.#turns.withhold(shown);
      return undefined;
    }
    const ids = new Set(natives.flatMap(quirks.callIdOf));
    const lost = foreign.lostCall(message, (callId) => ids.has(callId));
    if (lost !== undefined) return lost;
    for (const id of ids) this.#ids.set(id, id);
    for (const native of natives) if (!quirks.isRefusedBlock(native)) blocks.push(this.#turns.raw(native));
    this.#turns.say("model", blocks);
    return undefined;
  }

  #addInput(part: Part, name: string | undefined, blocks: Array<RequestBlock>): void {
    switch (part.type) {
      case "text":
        if (part.text.trim() !== "") blocks.push({ type: "text", text: foreign.spokenBy(name, part.text) });
        return;
      case "resourceRef":
        blocks.push({ type: "text", text: part.uri });
        return;
      case "media":
        this.#addMedia(part, blocks);
        return;
      case "toolResult":
        blocks.push({
          type: "tool_result",
          tool_use_id: this.#ids.get(part.callId) ?? part.callId,
          ...(part.content === "" ? {} : { content: part.content }),
          ...(part.isError ? { is_error: true } : {}),
        });
        return;
      default:
    }
  }

  #addOutput(part: Part, blocks: Array<RequestBlock>): void {
    if (part.type === "toolResult") return;
    if (part.type !== "toolCall") return this.#addInput(part, undefined, blocks);
    const id = foreign.wireId(part.callId, quirks.callIdPattern);
    this.#ids.set(part.callId, id);
    const input = this.#turns.raw(ToolArguments.replay(part.arguments));
    blocks.push({ type: "tool_use", id, name: part.name, input });
  }

  #addMedia(part: MediaPart, blocks: Array<RequestBlock>): void {
    const of = media.of(part);
    const imageType = imageTypes.find((type) => type === of.mimeType);
    if (imageType !== undefined) blocks.push({ type: "image", source: sourceOf(of, imageType) });
    else if (of.mimeType === pdf) blocks.push({ type: "document", source: sourceOf(of, pdf) });
    else this.#onLoss(lostParameters.attachment(`of the type ${of.mimeType}`));
  }
}

const format = "anthropic-messages";

/** The protocol takes no empty message and no blank text. */
const placeholder: RequestBlock = { type: "text", text: "\u200B" };

const isInstruction = ({ role }: Message): boolean => role === "system" || role === "developer";

const pdf = "application/pdf";

const sourceOf = <Type extends string>(of: media.Media, type: Type): RequestData<Type> | RequestAddress =>
  of._tag === "data" ? { type: "base64", media_type: type, data: of.base64 } : { type: "url", url: of.url };

const encodeRest = (request: ModelRequest, tools: string, dialect: Dialect, onLoss: sessionEncoder.OnLoss): string => {
  const { binding, parameters, stream } = request;
  const maxTokens = parameters.maxOutputTokens ?? quirks.defaultOutputLimit(binding.modelId, stream);
  const asked = thinking.of(request, maxTokens, onLoss);
  lostParameters.report(parameters, withoutPlace, lostParameters.noPlace, onLoss);
  const fields = JSON.stringify({
    ...(dialect.host === "vertex" ? { anthropic_version: "vertex-2023-10-16" } : { model: binding.modelId }),
    max_tokens: maxTokens,
    stream,
    ...(request.tools.length === 0 ? {} : { tool_choice: choiceOf(request) }),
    ...quirks.sampling(binding.modelId, parameters, asked.thinking !== undefined, onLoss),
    ...asked,
    ...quirks.stopSequences(parameters.stop, onLoss),
  }).slice(1, -1);
  return tools === "" ? fields : `${fields},"tools":${tools}`;
};

const withoutPlace = ["frequencyPenalty", "presencePenalty", "seed", "verbosity"] as const;

const choiceOf = ({ parameters, toolChoice }: ModelRequest): RequestToolChoice => {
  const one = parameters.parallelToolCalls === false ? { disable_parallel_tool_use: true as const } : {};
  if (typeof toolChoice === "object") return { type: "tool", name: toolChoice.specific, ...one };
  if (toolChoice === "none") return { type: "none" };
  return { type: toolChoice === "required" ? "any" : "auto", ...one };
};

const encodeTool = (tool: ToolDefinition, onLoss: sessionEncoder.OnLoss): string =>
  JSON.stringify({
    name: tool.name,
    description: tool.description,
    input_schema: quirks.inputSchema(tool, onLoss),
  });
