/**
 * Canonical requests to Chat Completions bodies.
 *
 * Owns the growing body of a session: each message is serialised once, when it is first seen. The fields that may change from call to call stand behind the
 * messages.
 */
import {
  type MediaPart,
  type Message,
  type Part,
  reasoningOf,
  textOf,
  type ToolResultPart,
  toolCallsOf,
} from "@cahier/domain/model/Message";
import type { ModelBinding, ModelRequest, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import * as foreign from "../../../internal/foreign.ts";
import { CacheMarks } from "../../../internal/CacheMarks.ts";
import { JsonBuffer } from "../../../internal/JsonBuffer.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import * as media from "../../../internal/media.ts";
import * as sessionEncoder from "../../../internal/sessionEncoder.ts";
import * as strictSchema from "../../../internal/strictSchema.ts";
import { isObject } from "../../../internal/shape.ts";
import type { Encoder, Refusal } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import type { RequestAssistant, RequestMessage, RequestPart, RequestText, RequestTextPart } from "./wire.ts";

/** In what the endpoints of this protocol differ. */
export interface Dialect {
  readonly outputLimit: "max_tokens" | "max_completion_tokens";
  /** Whether reasoning is sent back; some models refuse tool turns without it, OpenAI refuses it. */
  readonly replaysReasoning: boolean;
  /** The server holds the model to the schemas of tools, where they have a strict form. */
  readonly strictTools?: boolean;
  /** A router has fields of its own for what it passes on. */
  readonly router?: "openrouter" | "nanogpt";
}

/** An encoder for the requests of one session. */
export const makeEncoder = (dialect: Dialect): Encoder =>
  sessionEncoder.make((onLoss, binding) => new Body(dialect, binding, onLoss));

/** One canonical message as texts of the wire, with its native items as they came. */
export const encodeTexts = (message: Message, dialect: Dialect): ReadonlyArray<string> => {
  const texts = encodeMessage(message, dialect).map((encoded) => JSON.stringify(encoded));
  const details = dialect.replaysReasoning ? detailsOf(message) : [];
  if (message.role !== "assistant" || details.length === 0) return texts;
  return texts.map((text) => `${text.slice(0, -1)},"reasoning_details":[${details.join(",")}]}`);
};

/**
 * One canonical message as the messages of the wire without native items: one for each tool result, else exactly one.
 */
export const encodeMessage = (message: Message, dialect: Dialect): ReadonlyArray<RequestMessage> => {
  const named = message.name === undefined ? {} : { name: message.name };
  if (message.role === "tool") return toolResultsOf(message).map(encodeToolResult);
  if (message.role === "user") return [{ role: "user", content: userContentOf(message), ...named }];
  if (message.role !== "assistant") return [{ role: message.role, content: contentOf(message), ...named }];
  const calls = toolCallsOf(message);
  const content = contentOf(message);
  return [
    {
      role: "assistant",
      content: content === "" ? null : content,
      ...named,
      ...(dialect.replaysReasoning ? encodeReasoning(message) : {}),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map((call) => ({
              id: call.callId,
              type: "function" as const,
              function: { name: call.name, arguments: ToolArguments.replay(call.arguments) },
            })),
          }),
    },
  ];
};

class Body implements sessionEncoder.BodyWriter {
  readonly #dialect: Dialect;
  readonly #onLoss: sessionEncoder.OnLoss;
  readonly #buffer = new JsonBuffer();
  readonly #marks: CacheMarks | undefined;
  #isFirst = true;
  #tools: { readonly of: ReadonlyArray<ToolDefinition>; readonly json: string } | undefined;

  constructor(dialect: Dialect, binding: ModelBinding, onLoss: sessionEncoder.OnLoss) {
    this.#dialect = dialect;
    const ttl = quirks.markedTtl(binding, dialect.router);
    this.#marks = ttl === undefined ? undefined : new CacheMarks(ttl);
    this.#onLoss = onLoss;
    this.#buffer.append('{"messages":[');
  }

  add(message: Message, index: number): Refusal | undefined {
    foreign.reportNatives(message, index, format, this.#onLoss);
    const isForeign = message.parts.some((part) => part.type === "native" && part.format !== format);
    if (isForeign && !this.#dialect.replaysReasoning && reasoningOf(message) !== "") {
      this.#onLoss(`message ${index}: its reasoning is not sent to ${format}`);
    }
    if (message.role !== "user" && message.parts.some(({ type }) => type === "media")) {
      this.#onLoss(`message ${index}: media of the role ${message.role} is not sent to ${format}`);
    }
    if (this.#marks !== undefined && message.role !== "assistant") return this.#addMarkable(message, this.#marks);
    const encoded = encodeTexts(message, this.#dialect);
    if (encoded.length === 0) return nothingToSay;
    for (const one of encoded) this.#append(one);
    return undefined;
  }

  /** Only a part of a content can be marked, so that a text is one part. */
  #addMarkable(message: Message, marks: CacheMarks): Refusal | undefined {
    const encoded = encodeMessage(message, this.#dialect);
    if (encoded.length === 0) return nothingToSay;
    for (const one of encoded) {
      const { content, ...rest } = one;
      const parts = typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : content;
      this.#append(JSON.stringify({ ...rest, content: parts }));
      if (!Array.isArray(parts) || parts.at(-1)?.type !== "text") continue;
      marks.note(this.#buffer.length - "]}".length, isInstruction(message) ? "instructions" : "turn");
    }
    return undefined;
  }

  #append(message: string): void {
    this.#buffer.append((this.#isFirst ? "" : ",") + message);
    this.#isFirst = false;
  }

  get length(): number {
    return this.#buffer.length;
  }

  bytes(request: ModelRequest): Uint8Array {
    if (this.#tools?.of !== request.tools)
      this.#tools = { of: request.tools, json: encodeTools(request.tools, this.#dialect) };
    const rest = encodeRest(request, this.#tools.json, this.#dialect, this.#onLoss);
    const whole = this.#buffer.withTail(`],${rest}}`);
    return this.#marks === undefined ? whole : this.#marks.insertInto(whole);
  }
}

const format = "openai-chat";

const nothingToSay: Refusal = { _tag: "pairing", detail: "it is of a tool and has no result" };

const isInstruction = ({ role }: Message): boolean => role === "system" || role === "developer";

const encodeRest = (request: ModelRequest, tools: string, dialect: Dialect, onLoss: sessionEncoder.OnLoss): string => {
  const { parameters, toolChoice } = request;
  const fields = JSON.stringify({
    model: request.binding.modelId,
    stream: request.stream,
    ...(request.stream ? { stream_options: { include_usage: true } } : {}),
    ...(request.tools.length === 0
      ? {}
      : {
          tool_choice:
            typeof toolChoice === "string" ? toolChoice : { type: "function", function: { name: toolChoice.specific } },
        }),
    ...(parameters.temperature === undefined ? {} : { temperature: parameters.temperature }),
    ...(parameters.topP === undefined ? {} : { top_p: parameters.topP }),
    ...(request.tools.length === 0 || parameters.parallelToolCalls === undefined
      ? {}
      : { parallel_tool_calls: parameters.parallelToolCalls }),
    ...(parameters.frequencyPenalty === undefined ? {} : { frequency_penalty: parameters.frequencyPenalty }),
    ...(parameters.presencePenalty === undefined ? {} : { presence_penalty: parameters.presencePenalty }),
    ...(parameters.seed === undefined ? {} : { seed: parameters.seed }),
    ...(parameters.verbosity === undefined ? {} : { verbosity: parameters.verbosity }),
    ...quirks.thinking(parameters, dialect.router, onLoss),
    ...quirks.cache(request, dialect.router, onLoss),
    ...(parameters.maxOutputTokens === undefined ? {} : { [dialect.outputLimit]: parameters.maxOutputTokens }),
    ...(parameters.stop === undefined || parameters.stop.length === 0 ? {} : { stop: parameters.stop }),
  }).slice(1, -1);
  return tools === "" ? fields : `${fields},"tools":${tools}`;
};

const encodeTools = (tools: ReadonlyArray<ToolDefinition>, { strictTools }: Dialect): string =>
  tools.length === 0
    ? ""
    : JSON.stringify(
        tools.map(({ description, inputSchema, name }) => {
          const strict = strictTools === true ? strictSchema.of(inputSchema) : undefined;
          const form = strict === undefined ? { parameters: inputSchema } : { parameters: strict, strict: true };
          return { type: "function", function: { name, description, ...form } };
        }),
      );

const toolResultsOf = (message: Message): ReadonlyArray<ToolResultPart> =>
  message.parts.filter((part) => part.type === "toolResult");

/** The wire has no error flag, so the mark stands in the text. */
const encodeToolResult = (result: ToolResultPart): RequestMessage => ({
  role: "tool",
  tool_call_id: result.callId,
  content: result.isError && !result.content.startsWith("Error: ") ? `Error: ${result.content}` : result.content,
});

/** Items that a server wants back as they were contain the reasoning; otherwise it goes back as text. */
const encodeReasoning = (message: Message): Pick<RequestAssistant, "reasoning_content"> => {
  if (detailsOf(message).length > 0) return {};
  const texts = message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text.trim()] : []));
  const joined = texts.filter((text) => text !== "").join("\n\n");
  return joined === "" ? {} : { reasoning_content: joined };
};

/** The texts of the items of `reasoning_details` in a message. */
const detailsOf = (message: Message): ReadonlyArray<string> =>
  foreign.nativesOf(message, format).filter((json) => isObject(jsonText.parse(json)));

const userContentOf = (message: Message): string | ReadonlyArray<RequestPart> =>
  message.parts.some((part) => part.type === "media" || part.type === "resourceRef")
    ? message.parts.flatMap((part): ReadonlyArray<RequestPart> =>
        part.type === "media" ? [encodeMedia(part)] : encodeText(part),
      )
    : textOf(message);

const contentOf = (message: Message): RequestText =>
  message.parts.some((part) => part.type === "resourceRef") ? message.parts.flatMap(encodeText) : textOf(message);

const encodeText = (part: Part): ReadonlyArray<RequestTextPart> => {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  return part.type === "resourceRef" ? [{ type: "text", text: part.uri }] : [];
};

const encodeMedia = (part: MediaPart): RequestPart => {
  if (part.mimeType.startsWith("image/")) return { type: "image_url", image_url: { url: part.value } };
  const format = audioFormats[part.mimeType.replace("/x-", "/")];
  if (format === undefined) return { type: "file", file: { file_data: part.value } };
  const of = media.of(part);
  return { type: "input_audio", input_audio: { data: of._tag === "data" ? of.base64 : of.url, format } };
};

const audioFormats: Readonly<Record<string, "wav" | "mp3">> = {
  "audio/mp3": "mp3",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/wave": "wav",
};
