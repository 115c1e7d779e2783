/**
 * Interactions as Google documents them: an answer is a list of steps.
 */
import { pieces, type Turn, usage } from "../Turn.ts";
import { named, sentences, type Writer } from "./Writer.ts";

export const writer: Writer = {
  whole: (turn) => JSON.stringify({ ...interaction(statusOf(turn)), steps: steps(turn).map(({ whole }) => whole) }),
  events: (turn) => [
    event("interaction.created", { interaction: interaction("in_progress") }),
    ...steps(turn).flatMap(({ deltas, isCut, start }, index) => [
      event("step.start", { index, step: start }),
      ...deltas.map((delta) => event("step.delta", { index, delta })),
      ...(isCut ? [] : [event("step.stop", { index })]),
    ]),
    ...(turn.ending === undefined
      ? [event("interaction.completed", { interaction: interaction(statusOf(turn)) }), named("done", "[DONE]")]
      : []),
  ],
  refusal: (_, complaint) => JSON.stringify({ error: { message: sentences[complaint], code: errors[complaint] } }),
};

interface Step {
  readonly whole: object;
  readonly start: object;
  readonly deltas: ReadonlyArray<object>;
  readonly isCut: boolean;
}

const event = (type: string, members: object): string => named(type, { ...members, event_type: type });

const interaction = (status: string) => ({
  id: "v1_1",
  object: "interaction",
  created: "2026-11-30T12:00:00Z",
  model: "gemini-3-flash",
  role: "model",
  status,
  ...(status === "in_progress"
    ? {}
    : { usage: { total_input_tokens: usage.inputTokens, total_output_tokens: usage.outputTokens } }),
});

const signature = "CiQBZm9yIG5vYm9keSBidXQgdGhlIHNlcnZlcg==";

const steps = (turn: Turn): ReadonlyArray<Step> => [
  ...(turn.reasoning === undefined
    ? []
    : [
        {
          whole: { type: "thought", summary: [{ type: "text", text: turn.reasoning }], signature },
          start: { type: "thought" },
          deltas: [
            { type: "thought_summary", content: { type: "text", text: turn.reasoning } },
            { type: "thought_signature", signature },
          ],
          isCut: false,
        },
      ]),
  ...(turn.text === undefined
    ? []
    : [
        {
          whole: { type: "model_output", content: [{ type: "text", text: turn.text }] },
          start: { type: "model_output" },
          deltas: pieces(turn.text).map((text) => ({ type: "text", text })),
          isCut: turn.ending !== undefined,
        },
      ]),
  ...(turn.ending === undefined ? (turn.calls ?? []) : []).map(({ id, name, raw }) => ({
    whole: { type: "function_call", id, name, arguments: JSON.parse(raw) as unknown },
    start: { type: "function_call", id, name, arguments: {} },
    deltas: pieces(raw).map((piece) => ({ type: "arguments_delta", arguments: piece })),
    isCut: false,
  })),
];

const statusOf = ({ calls, finish }: Turn): string => {
  if (finish === "length") return "incomplete";
  return calls === undefined ? "completed" : "requires_action";
};

const errors = {
  unauthorized: "unauthenticated",
  rateLimited: "resource_exhausted",
  overloaded: "unavailable",
  overflow: "invalid_argument",
} as const;
