/**
 * Long streamed answers of text alone, in each format that a provider speaks, as the bytes that a server sends.
 */
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import { prose } from "./prose.ts";

export type StreamedFormat = Exclude<ModelFormat, "scripted">;

/** Each format with a source that speaks it. */
export const streamedFormats: ReadonlyArray<{ readonly format: StreamedFormat; readonly source: string }> = [
  { format: "openai-chat", source: "openai" },
  { format: "openai-responses", source: "openai" },
  { format: "anthropic-messages", source: "anthropic" },
  { format: "gemini-generate-content", source: "gemini" },
  { format: "gemini-interactions", source: "custom" },
];

/** `texts` are what the answer says, one an event; `chunks` are pieces of at most a network packet. */
export interface Stream {
  readonly chunks: ReadonlyArray<Uint8Array>;
  readonly bytes: number;
  readonly text: string;
}

const packetBytes = 1400;

/** An answer of `characters` characters of ASCII in `events` events. */
export const stream = (format: StreamedFormat, characters: number, events: number): Stream => {
  const text = prose(3, characters);
  const size = Math.ceil(characters / events);
  const texts = Array.from({ length: events }, (_, index) => text.slice(index * size, (index + 1) * size));
  const bytes = new TextEncoder().encode(eventsOf[format](texts, text).map(framed).join(""));
  const chunks = Array.from({ length: Math.ceil(bytes.length / packetBytes) }, (_, index) =>
    bytes.subarray(index * packetBytes, (index + 1) * packetBytes),
  );
  return { chunks, bytes: bytes.length, text };
};

interface Event {
  readonly name?: string;
  readonly data: unknown;
}

const framed = ({ data, name }: Event): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** An event whose name its data tells. */
const typed = (type: string, fields: object): Event => ({ name: type, data: { type, ...fields } });

const step = (type: string, fields: object): Event => ({ name: type, data: { event_type: type, ...fields } });

const chunk = (delta: object, finish: string | null): Event => ({
  data: {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "bench",
    choices: [{ index: 0, delta, finish_reason: finish }],
  },
});

const response = (status: string, output: ReadonlyArray<unknown>) => ({
  id: "resp_1",
  object: "response",
  model: "bench",
  status,
  output,
  usage: status === "completed" ? { input_tokens: 9, output_tokens: 9, total_tokens: 18 } : null,
});

const message = (status: string, text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status,
  content: status === "completed" ? [{ type: "output_text", text, annotations: [] }] : [],
});

const eventsOf: Readonly<Record<StreamedFormat, (texts: ReadonlyArray<string>, text: string) => ReadonlyArray<Event>>> =
  {
    "openai-chat": (texts) => [
      chunk({ role: "assistant", content: "" }, null),
      ...texts.map((content) => chunk({ content }, null)),
      chunk({}, "stop"),
      { data: "[DONE]" },
    ],
    "openai-responses": (texts, text) => [
      typed("response.created", { response: response("in_progress", []) }),
      typed("response.output_item.added", { output_index: 0, item: message("in_progress", "") }),
      ...texts.map((delta) =>
        typed("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta }),
      ),
      typed("response.output_item.done", { output_index: 0, item: message("completed", text) }),
      typed("response.completed", { response: response("completed", [message("completed", text)]) }),
    ],
    "anthropic-messages": (texts) => [
      typed("message_start", {
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "bench",
          content: [],
          stop_reason: null,
          usage: { input_tokens: 9, output_tokens: 1 },
        },
      }),
      typed("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      ...texts.map((text) => typed("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
      typed("content_block_stop", { index: 0 }),
      typed("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } }),
      typed("message_stop", {}),
    ],
    "gemini-generate-content": (texts) =>
      texts.map((text, index) => ({
        data: {
          candidates: [
            {
              content: { role: "model", parts: [{ text }] },
              index: 0,
              ...(index === texts.length - 1 ? { finishReason: "STOP" } : {}),
            },
          ],
          usageMetadata: { promptTokenCount: 9, candidatesTokenCount: index, totalTokenCount: 9 + index },
          modelVersion: "bench",
          responseId: "r1",
        },
      })),
    "gemini-interactions": (texts) => [
      step("interaction.created", { interaction: { id: "v1_1", model: "bench", status: "in_progress" } }),
      step("step.start", { index: 0, step: { type: "model_output" } }),
      ...texts.map((text) => step("step.delta", { index: 0, delta: { type: "text", text } })),
      step("step.stop", { index: 0 }),
      step("interaction.completed", {
        interaction: { id: "v1_1", status: "completed", usage: { total_input_tokens: 9, total_output_tokens: 9 } },
      }),
    ],
  };
