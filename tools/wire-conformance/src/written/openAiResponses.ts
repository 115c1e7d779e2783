/**
 * The Responses protocol as OpenAI documents it: over HTTP as events with names, over a WebSocket as frames.
 */
import { pieces, type Turn, usage } from "../Turn.ts";
import { named, sentences, type Writer } from "./Writer.ts";

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

export const writer: Writer = {
  whole: (turn) => JSON.stringify(ended(turn, "resp_1")),
  events: (turn) => frames(turn, "resp_1").map((event) => named(event.type, event)),
  refusal: (_, complaint) =>
    JSON.stringify({ error: { message: sentences[complaint], ...errors[complaint], param: null } }),
};

/** The events of an answer, each a message of a WebSocket. */
export const frames = (turn: Turn, id: string): ReadonlyArray<Event> =>
  [
    { type: "response.created", response: begun(id) },
    { type: "response.in_progress", response: begun(id) },
    ...items(turn).flatMap((item, index) => eventsOf(item, index, turn)),
    ...(turn.ending === undefined ? [last(turn, id)] : []),
  ].map((event, index) => ({ ...event, sequence_number: index }));

interface Item {
  readonly id: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

const begun = (id: string) => ({
  id,
  object: "response",
  created_at: 1_760_000_000,
  status: "in_progress",
  error: null,
  incomplete_details: null,
  model: "gpt-5-mini-2025-08-07",
  output: [],
  store: false,
  usage: null,
});

const ended = (turn: Turn, id: string) => ({
  ...begun(id),
  status: turn.finish === "length" ? "incomplete" : "completed",
  incomplete_details: turn.finish === "length" ? { reason: "max_output_tokens" } : null,
  output: items(turn),
  usage: {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
  },
});

const last = (turn: Turn, id: string): Event => ({
  type: turn.finish === "length" ? "response.incomplete" : "response.completed",
  response: ended(turn, id),
});

const items = (turn: Turn): ReadonlyArray<Item> => [
  ...(turn.reasoning === undefined
    ? []
    : [
        {
          id: "rs_1",
          type: "reasoning",
          summary: [{ type: "summary_text", text: turn.reasoning }],
          encrypted_content: "gAAAAABo-Zm9yIG5vYm9keQ==",
        },
      ]),
  ...(turn.text === undefined
    ? []
    : [{ id: "msg_1", type: "message", status: "completed", role: "assistant", content: [contentOf(turn)] }]),
  ...(turn.ending === undefined ? (turn.calls ?? []) : []).map(({ id, name, raw }, index) => ({
    id: `fc_${index + 1}`,
    type: "function_call",
    status: "completed",
    call_id: id,
    name,
    arguments: raw,
  })),
];

const contentOf = ({ finish, text = "" }: Turn) =>
  finish === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [] };

const eventsOf = (item: Item, index: number, turn: Turn): ReadonlyArray<Event> => {
  const place = { output_index: index, item_id: item.id };
  const isCut = item.type === "message" && turn.ending !== undefined;
  const [empty, deltas] = growth(item, turn);
  return [
    { type: "response.output_item.added", output_index: index, item: { ...item, ...empty, status: "in_progress" } },
    ...deltas.map((delta) => ({ ...delta, ...place })),
    ...(isCut ? [] : [{ type: "response.output_item.done", output_index: index, item }]),
  ];
};

/** With what an item begins, and how it grows. */
const growth = (item: Item, turn: Turn): readonly [object, ReadonlyArray<Event>] => {
  if (item.type === "function_call") {
    const raw = turn.calls?.find(({ id }) => id === item["call_id"])?.raw ?? "";
    return [
      { arguments: "" },
      [
        ...pieces(raw).map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
        { type: "response.function_call_arguments.done", arguments: raw },
      ],
    ];
  }
  if (item.type === "reasoning") {
    return [
      { summary: [] },
      [
        { type: "response.reasoning_summary_part.added", summary_index: 0, part: { type: "summary_text", text: "" } },
        ...pieces(turn.reasoning ?? "").map((delta) => ({
          type: "response.reasoning_summary_text.delta",
          summary_index: 0,
          delta,
        })),
      ],
    ];
  }
  const kind = turn.finish === "refusal" ? "refusal" : "output_text";
  return [
    { content: [] },
    pieces(turn.text ?? "").map((delta) => ({ type: `response.${kind}.delta`, content_index: 0, delta })),
  ];
};

const errors = {
  unauthorized: { type: "invalid_request_error", code: "invalid_api_key" },
  rateLimited: { type: "requests", code: "rate_limit_exceeded" },
  overloaded: { type: "server_error", code: null },
  overflow: { type: "invalid_request_error", code: "context_length_exceeded" },
} as const;
