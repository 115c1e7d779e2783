/**
 * Canonical requests to Chat Completions bodies.
 *
 * Owns the growing body of a session: each message is serialised once, when it is first seen. The fields that may change from call to call stand behind the
 * messages.
 */
import {
  type Message,
  type Part,
  textOf,
  type ToolCallPart,
  toolCallsOf,
  type ToolResultPart,
} from "@cahier/domain/model/Message";
import type { ModelBinding, ModelRequest, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import * as foreign from "../../../internal/foreign.ts";
import { CacheMarks } from "../../../internal/CacheMarks.ts";
import { Items } from "../../../internal/Items.ts";
import { JsonBuffer } from "../../../internal/JsonBuffer.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import * as lostParameters from "../../../internal/lostParameters.ts";
import * as sessionEncoder from "../../../internal/sessionEncoder.ts";
import * as strictSchema from "../../../internal/strictSchema.ts";
import { isObject } from "../../../internal/shape.ts";
import * as wireNames from "../../../internal/wireNames.ts";
import type { Encoder, Refusal } from "../../../Route.ts";
import * as attachments from "./attachments.ts";
import type { Dialect } from "./Dialect.ts";
import * as quirks from "./quirks.ts";
import type {
  RequestAssistant,
  RequestCall,
  RequestMessage,
  RequestPart,
  RequestText,
  RequestTextPart,
} from "./wire.ts";

/** An encoder for the requests of one session. */
export const makeEncoder = (dialect: Dialect): Encoder =>
  sessionEncoder.make((onLoss, binding) => new Body(dialect, binding, onLoss));

/**
 * One canonical message as the messages of the wire without native items: one for each tool result, else exactly one.
 */
export const encodeMessage = (message: Message, dialect: Dialect): ReadonlyArray<RequestMessage> => {
  if (message.role === "tool") return toolResultsOf(message).map((result) => encodeToolResult(result, dialect));
  if (message.role === "assistant") return [encodeAnswer(message, dialect)];
  const { role } = message;
  const encoded: RequestMessage =
    role === "user" ? { role, content: userContentOf(message, dialect) } : { role, content: contentOf(message) };
  return [message.name === undefined ? encoded : { ...encoded, ...named(message.name) }];
};

class Body implements sessionEncoder.BodyWriter {
  readonly #dialect: Dialect;
  readonly #onLoss: sessionEncoder.OnLoss;
  readonly #buffer = new JsonBuffer();
  readonly #marks: CacheMarks | undefined;
  readonly #messages = new Items<object>(this.#buffer, () => "");
  #tools: { readonly of: ReadonlyArray<ToolDefinition>; readonly json: string } | undefined;

  constructor(dialect: Dialect, binding: ModelBinding, onLoss: sessionEncoder.OnLoss) {
    this.#dialect = dialect;
    const ttl = quirks.markedTtl(binding, dialect.router);
    this.#marks = ttl === undefined ? undefined : new CacheMarks(ttl);
    this.#onLoss = onLoss;
    this.#buffer.append('{"messages":[');
  }

  add(message: Message): Refusal | undefined {
    const natives = foreign.nativesOf(
      message,
      format,
      this.#onLoss,
      this.#dialect.replaysReasoning ? "asText" : "inItems",
    );
    const refusal = this.#checkMedia(message);
    if (refusal !== undefined) return refusal;
    if (message.name !== undefined) this.#sayRenamed(message.name);
    if (message.role === "assistant") {
      this.#messages.add(this.#withDetails(encodeAnswer(message, this.#dialect), natives));
      return undefined;
    }
    const encoded = encodeMessage(message, this.#dialect);
    if (encoded.length === 0) return nothingToSay;
    for (const one of encoded) {
      if (this.#marks === undefined) this.#messages.add(one);
      else this.#addMarkable(one, this.#marks);
    }
    return undefined;
  }

  /** Only users send media. */
  #checkMedia(message: Message): Refusal | undefined {
    if (!hasMedia(message)) return undefined;
    if (message.role === "user") return attachments.refusalOf(message, this.#dialect.limits);
    this.#onLoss(lostParameters.attachment(`of the role ${message.role}`));
    return undefined;
  }

  #sayRenamed(name: string): void {
    const sent = wireNames.speaker(name);
    if (sent !== undefined && sent !== name) this.#onLoss(lostParameters.speaker(name, sent));
  }

  /** Native items go back as they came. */
  #withDetails(encoded: RequestAssistant, natives: ReadonlyArray<string>): RequestAssistant {
    const details = this.#dialect.replaysReasoning ? natives.filter(isDetail) : [];
    return details.length === 0 ? encoded : { ...encoded, reasoning_details: details.map(this.#messages.raw) };
  }

  /** Only a part of a content can be marked, so that a text is one part. */
  #addMarkable(encoded: RequestMessage, marks: CacheMarks): void {
    const { content, ...rest } = encoded;
    const parts = typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : content;
    this.#messages.add({ ...rest, content: parts });
    if (!Array.isArray(parts) || parts.at(-1)?.type !== "text") return;
    marks.note(this.length() - "]}".length, isInstruction(encoded) ? "instructions" : "turn");
  }

  length(): number {
    this.#messages.flush();
    return this.#buffer.length;
  }

  bytes(request: ModelRequest): Uint8Array {
    if (this.#tools?.of !== request.tools)
      this.#tools = { of: request.tools, json: encodeTools(request.tools, this.#dialect) };
    const rest = encodeRest(request, this.#tools.json, this.#dialect, this.#onLoss);
    this.#messages.flush();
    const whole = this.#buffer.withTail(`],${rest}}`);
    return this.#marks === undefined ? whole : this.#marks.insertInto(whole);
  }
}

const format = "openai-chat";

const nothingToSay: Refusal = { _tag: "pairing", detail: "it is of a tool and has no result" };

const isInstruction = ({ role }: Pick<Message, "role">): boolean => role === "system" || role === "developer";

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
            typeof toolChoice === "string"
              ? toolChoice
              : { type: "function", function: { name: wireNames.tool(toolChoice.specific) } },
        }),
    ...quirks.sampling(parameters, dialect.refusesSampling?.(request.binding.modelId) === true, onLoss),
    ...(request.tools.length === 0 || parameters.parallelToolCalls === undefined
      ? {}
      : { parallel_tool_calls: parameters.parallelToolCalls }),
    ...(parameters.seed === undefined ? {} : { seed: parameters.seed }),
    ...(parameters.verbosity === undefined ? {} : { verbosity: parameters.verbosity }),
    ...quirks.thinking(parameters, dialect.router, onLoss),
    ...quirks.cache(request, dialect.router, onLoss),
    ...(parameters.maxOutputTokens === undefined ? {} : { [dialect.outputLimit]: parameters.maxOutputTokens }),
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
          return { type: "function", function: { name: wireNames.tool(name), description, ...form } };
        }),
      );

/** An answer without its native items. */
const encodeAnswer = (message: Message, dialect: Dialect): RequestAssistant => {
  const content = contentOf(message);
  const plain: RequestAssistant = { role: "assistant", content: content === "" ? null : content };
  if (message.name === undefined && message.parts.every(({ type }) => type === "text")) return plain;
  const calls = toolCallsOf(message);
  return {
    ...plain,
    ...(message.name === undefined ? {} : named(message.name)),
    ...(dialect.replaysReasoning ? encodeReasoning(message) : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => encodeCall(call, dialect)) }),
  };
};

const named = (name: string): { readonly name?: string } => {
  const sent = wireNames.speaker(name);
  return sent === undefined ? {} : { name: sent };
};

const encodeCall = ({ arguments: raw, callId, name }: ToolCallPart, { limits }: Dialect): RequestCall => ({
  id: foreign.wireId(callId, limits.callIds),
  type: "function",
  function: { name: wireNames.tool(name), arguments: ToolArguments.replay(raw) },
});

const toolResultsOf = (message: Message): ReadonlyArray<ToolResultPart> =>
  message.parts.filter((part) => part.type === "toolResult");

/** The wire has no error flag, so the mark stands in the text. */
const encodeToolResult = (result: ToolResultPart, { limits }: Dialect): RequestMessage => ({
  role: "tool",
  tool_call_id: foreign.wireId(result.callId, limits.callIds),
  content: result.isError && !result.content.startsWith("Error: ") ? `Error: ${result.content}` : result.content,
});

/** Items that a server wants back as they were contain the reasoning; otherwise it goes back as text. */
const encodeReasoning = (message: Message): Pick<RequestAssistant, "reasoning_content"> => {
  const texts = message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text.trim()] : []));
  const joined = texts.filter((text) => text !== "").join("\n\n");
  if (joined === "") return {};
  const hasDetails = message.parts.some(
    (part) => part.type === "native" && part.format === format && isDetail(part.json),
  );
  return hasDetails ? {} : { reasoning_content: joined };
};

/** Whether a native item is one of `reasoning_details`. */
const isDetail = (json: string): boolean => isObject(jsonText.parse(json));

const hasMedia = ({ parts }: Message): boolean => parts.some(({ type }) => type === "media");

const userContentOf = (message: Message, { limits }: Dialect): string | ReadonlyArray<RequestPart> =>
  message.parts.some((part) => part.type === "media" || part.type === "resourceRef")
    ? message.parts.flatMap((part): ReadonlyArray<RequestPart> => {
        if (part.type !== "media") return encodeText(part);
        const encoded = attachments.encode(part, limits);
        return encoded === undefined ? [] : [encoded];
      })
    : textOf(message);

const contentOf = (message: Message): RequestText =>
  message.parts.some((part) => part.type === "resourceRef") ? message.parts.flatMap(encodeText) : textOf(message);

const encodeText = (part: Part): ReadonlyArray<RequestTextPart> => {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  return part.type === "resourceRef" ? [{ type: "text", text: part.uri }] : [];
};
