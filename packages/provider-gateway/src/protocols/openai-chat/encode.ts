/**
 * Canonical requests to Chat Completions bodies.
 *
 * Owns the growing body of a session: each message is serialised once, when it is first seen, and the pairing of calls
 * and results is checked as messages are added. The fields that may change from call to call stand behind the
 * messages.
 */
import {
  type MediaPart,
  type Message,
  type Part,
  textOf,
  type ToolResultPart,
  toolCallsOf,
} from "@cahier/domain/model/Message";
import type { ModelRequest, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import * as Result from "effect/Result";
import { JsonBuffer } from "../../internal/JsonBuffer.ts";
import type { Encoder } from "../../Route.ts";
import * as reasoningDetails from "./reasoningDetails.ts";
import type { RequestAssistant, RequestContent, RequestMessage, RequestPart } from "./wire.ts";

/** In what the endpoints of this protocol differ. */
export interface Dialect {
  readonly outputLimit: "max_tokens" | "max_completion_tokens";
  /** Whether reasoning is sent back; some models refuse tool turns without it, OpenAI refuses it. */
  readonly replaysReasoning: boolean;
}

/** An encoder for the requests of one session; another history than the one kept is encoded from the start. */
export const makeEncoder = (dialect: Dialect): Encoder => {
  let body = new SessionBody(dialect);
  let tools: { readonly of: ReadonlyArray<ToolDefinition>; readonly json: string } | undefined;
  return {
    encode: (request) => {
      if (!body.isPrefixOf(request.messages)) body = new SessionBody(dialect);
      const problem = body.grow(request.messages);
      if (problem !== undefined) return Result.fail(problem);
      if (tools?.of !== request.tools) tools = { of: request.tools, json: encodeTools(request.tools) };
      return Result.succeed(body.bytes(encodeRest(request, tools.json, dialect)));
    },
  };
};

/** One canonical message as the messages of the wire: one for each tool result, else exactly one. */
export const encodeMessage = (message: Message, dialect: Dialect): ReadonlyArray<RequestMessage> => {
  const named = message.name === undefined ? {} : { name: message.name };
  if (message.role === "tool") return toolResultsOf(message).map(encodeToolResult);
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

class SessionBody {
  readonly #dialect: Dialect;
  readonly #buffer = new JsonBuffer();
  readonly #seen: Array<Message> = [];
  readonly #open = new Set<string>();
  #isFirst = true;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#buffer.append('{"messages":[');
  }

  isPrefixOf(messages: ReadonlyArray<Message>): boolean {
    return this.#seen.length <= messages.length && this.#seen.every((message, index) => message === messages[index]);
  }

  /** Adds what is new; returns why the messages cannot be sent. */
  grow(messages: ReadonlyArray<Message>): string | undefined {
    for (let index = this.#seen.length; index < messages.length; index += 1) {
      const message = messages[index];
      if (message === undefined) continue;
      const problem = this.#pair(message, index);
      if (problem !== undefined) return problem;
      for (const encoded of encodeMessage(message, this.#dialect)) {
        this.#buffer.append((this.#isFirst ? "" : ",") + JSON.stringify(encoded));
        this.#isFirst = false;
      }
      this.#seen.push(message);
    }
    return this.#open.size === 0 ? undefined : `${this.#open.size} tool call(s) at the end have no result`;
  }

  bytes(rest: string): Uint8Array {
    return this.#buffer.withTail(`],${rest}}`);
  }

  #pair(message: Message, index: number): string | undefined {
    if (message.role !== "tool") {
      if (this.#open.size > 0) return `message ${index} follows ${this.#open.size} tool call(s) without a result`;
      for (const call of toolCallsOf(message)) {
        if (this.#open.has(call.callId)) return `message ${index} has two tool calls with one id`;
        this.#open.add(call.callId);
      }
      return undefined;
    }
    const results = toolResultsOf(message);
    if (results.length === 0) return `message ${index} is of a tool and has no result`;
    const stray = results.some((result) => !this.#open.delete(result.callId));
    return stray ? `message ${index} has a result that answers no preceding tool call` : undefined;
  }
}

const encodeRest = (request: ModelRequest, tools: string, dialect: Dialect): string => {
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
const encodeReasoning = (message: Message): Pick<RequestAssistant, "reasoning_content" | "reasoning_details"> => {
  const details = reasoningDetails.ofMessage(message);
  if (details.length > 0) return { reasoning_details: details };
  const texts = message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text.trim()] : []));
  const joined = texts.filter((text) => text !== "").join("\n\n");
  return joined === "" ? {} : { reasoning_content: joined };
};

const contentOf = (message: Message): RequestContent =>
  message.parts.some((part) => part.type === "media" || part.type === "resourceRef")
    ? message.parts.flatMap(encodePart)
    : textOf(message);

const encodePart = (part: Part): ReadonlyArray<RequestPart> => {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type === "resourceRef") return [{ type: "text", text: part.uri }];
  return part.type === "media" ? [encodeMedia(part)] : [];
};

const encodeMedia = (part: MediaPart): RequestPart => {
  if (part.mimeType.startsWith("image/")) return { type: "image_url", image_url: { url: part.value } };
  if (!part.mimeType.startsWith("audio/")) return { type: "file", file: { file_data: part.value } };
  const data = part.value.startsWith("data:") ? part.value.slice(part.value.indexOf(",") + 1) : part.value;
  return { type: "input_audio", input_audio: { data, format: audioFormat(part.mimeType) } };
};

const audioFormat = (mimeType: string): string => {
  const subtype = mimeType.slice("audio/".length).replace(/^x-/, "");
  return subtype === "mpeg" ? "mp3" : subtype;
};
