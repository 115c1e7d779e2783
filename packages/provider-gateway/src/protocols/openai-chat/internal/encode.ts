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
import type { ModelRequest, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import * as foreign from "../../../internal/foreign.ts";
import { JsonBuffer } from "../../../internal/JsonBuffer.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import * as media from "../../../internal/media.ts";
import * as sessionEncoder from "../../../internal/sessionEncoder.ts";
import { isObject } from "../../../internal/shape.ts";
import type { Encoder, Refusal } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import type { RequestAssistant, RequestMessage, RequestPart, RequestText, RequestTextPart } from "./wire.ts";

/** In what the endpoints of this protocol differ. */
export interface Dialect {
  readonly outputLimit: "max_tokens" | "max_completion_tokens";
  /** Whether reasoning is sent back; some models refuse tool turns without it, OpenAI refuses it. */
  readonly replaysReasoning: boolean;
  /** A router has fields of its own for what it passes on. */
  readonly router?: "openrouter" | "nanogpt";
}

/** An encoder for the requests of one session. */
export const makeEncoder = (dialect: Dialect): Encoder => sessionEncoder.make((onLoss) => new Body(dialect, onLoss));

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
  #isFirst = true;
  #tools: { readonly of: ReadonlyArray<ToolDefinition>; readonly json: string } | undefined;

  constructor(dialect: Dialect, onLoss: sessionEncoder.OnLoss) {
    this.#dialect = dialect;
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
    const encoded = encodeTexts(message, this.#dialect);
    if (encoded.length === 0) return { _tag: "pairing", detail: "it is of a tool and has no result" };
    for (const one of encoded) {
      this.#buffer.append((this.#isFirst ? "" : ",") + one);
      this.#isFirst = false;
    }
    return undefined;
  }

  bytes(request: ModelRequest): Uint8Array {
    if (this.#tools?.of !== request.tools) this.#tools = { of: request.tools, json: encodeTools(request.tools) };
    return this.#buffer.withTail(`],${encodeRest(request, this.#tools.json, this.#dialect, this.#onLoss)}}`);
  }
}

const format = "openai-chat";

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
    ...(parameters.maxOutputTokens === undefined ? {} : { [dialect.outputLimit]: parameters.maxOutputTokens }),
    ...(parameters.stop === undefined || parameters.stop.length === 0 ? {} : { stop: parameters.stop }),
  }).slice(1, -1);
  return tools === "" ? fields : `${fields},"tools":${tools}`;
};

const encodeTools = (tools: ReadonlyArray<ToolDefinition>): string =>
  tools.length === 0
    ? ""
    : JSON.stringify(
        tools.map((tool) => ({
          type: "function",
          function: { name: tool.name, description: tool.description, parameters: tool.inputSchema },
        })),
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
