/** Requests and messages for tests. */
import { CallId } from "@cahier/domain/identity/Identity";
import type { Message } from "@cahier/domain/model/Message";
import * as Messages from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelDelta } from "@cahier/domain/model/ModelResponse";

export const request = (changes: Partial<ModelRequest> = {}): ModelRequest => ({
  sessionId: "run_1:inv_root",
  binding: {
    source: "custom",
    format: "openai-chat",
    modelId: "tiny",
    baseUrl: "http://127.0.0.1:9/v1",
  },
  messages: [Messages.text("user", "Write.")],
  tools: [],
  toolChoice: "auto",
  parameters: {},
  stream: true,
  position: 0,
  agent: { profileId: "default-writer", ordinal: 0, root: true },
  ...changes,
});

/** An assistant message with one call, and the message that answers it. */
export const toolRound = (id: string, result: string, isError = false): readonly [Message, Message] => [
  {
    role: "assistant",
    parts: [{ type: "toolCall", callId: CallId.make(id), name: "read", arguments: '{"path":"a.md"}' }],
  },
  {
    role: "tool",
    parts: [{ type: "toolResult", callId: CallId.make(id), name: "read", content: result, isError }],
  },
];

/** Collects deltas; `text` and the rest are joined by kind. */
export const collector = () => {
  const deltas: Array<ModelDelta> = [];
  return {
    deltas,
    onDelta: (delta: ModelDelta): void => void deltas.push(delta),
    joined: (type: "text" | "reasoning"): string =>
      deltas.map((delta) => (delta.type === type ? delta.text : "")).join(""),
    argumentsOf: (index: number): string =>
      deltas.map((delta) => (delta.type === "toolCallDelta" && delta.index === index ? delta.text : "")).join(""),
  };
};

/** Events as a server would send them; strings stand as they are. */
export const sseBody = (...events: ReadonlyArray<unknown>): string =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");

/** One chunk of a Chat Completions stream. */
export const chunk = (delta: unknown, finish: string | null = null, extra: object = {}): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  model: "tiny-2",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...extra,
});
