/**
 * Messages as Anthropic documents them.
 */
import { pieces, type Turn, usage } from "../Turn.ts";
import { named, sentences, type Writer } from "./Writer.ts";

export const writer: Writer = {
  whole: (turn) =>
    JSON.stringify({ ...head, content: blocks(turn).map(({ whole }) => whole), ...finish(turn), usage: counts }),
  events: (turn) => [
    event("message_start", {
      message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage: { ...counts, output_tokens: 1 } },
    }),
    event("ping", {}),
    ...blocks(turn).flatMap(({ deltas, isCut, start }, index) => [
      event("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      ...(isCut ? [] : [event("content_block_stop", { index })]),
    ]),
    ...(turn.ending === undefined
      ? [
          event("message_delta", { delta: finish(turn), usage: { output_tokens: usage.outputTokens } }),
          event("message_stop", {}),
        ]
      : []),
  ],
  refusal: (_, complaint) =>
    JSON.stringify({
      type: "error",
      error: { type: errors[complaint], message: sentences[complaint] },
      request_id: "req_1",
    }),
};

interface Block {
  readonly whole: object;
  readonly start: object;
  readonly deltas: ReadonlyArray<object>;
  readonly isCut: boolean;
}

const head = { id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5-20250929" };

const counts = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };

const event = (type: string, members: object): string => named(type, { type, ...members });

const signature = "EqQBCgIYAhIkZm9yIG5vYm9keSBidXQgdGhlIHNlcnZlcg==";

const blocks = (turn: Turn): ReadonlyArray<Block> => [
  ...(turn.reasoning === undefined ? [] : [thinking(turn.reasoning)]),
  ...(turn.text === undefined ? [] : [said(turn.text, turn.ending !== undefined)]),
  ...(turn.ending === undefined ? (turn.calls ?? []) : []).map(({ id, name, raw }) => ({
    whole: { type: "tool_use", id, name, input: JSON.parse(raw) as unknown },
    start: { type: "tool_use", id, name, input: {} },
    deltas: ["", ...pieces(raw)].map((piece) => ({ type: "input_json_delta", partial_json: piece })),
    isCut: false,
  })),
];

const thinking = (text: string): Block => ({
  whole: { type: "thinking", thinking: text, signature },
  start: { type: "thinking", thinking: "", signature: "" },
  deltas: [
    ...pieces(text).map((piece) => ({ type: "thinking_delta", thinking: piece })),
    { type: "signature_delta", signature },
  ],
  isCut: false,
});

const said = (text: string, isCut: boolean): Block => ({
  whole: { type: "text", text },
  start: { type: "text", text: "" },
  deltas: pieces(text).map((piece) => ({ type: "text_delta", text: piece })),
  isCut,
});

const finish = ({ calls, finish: ended }: Turn) => ({
  stop_reason: reasonOf(calls !== undefined, ended),
  stop_sequence: null,
});

const reasonOf = (hasCalls: boolean, ended: Turn["finish"]): string => {
  if (ended === "length") return "max_tokens";
  if (ended === "refusal") return "refusal";
  return hasCalls ? "tool_use" : "end_turn";
};

const errors = {
  unauthorized: "authentication_error",
  rateLimited: "rate_limit_error",
  overloaded: "overloaded_error",
  overflow: "invalid_request_error",
} as const;
