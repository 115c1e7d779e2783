/**
 * Chat Completions as OpenAI documents them; reasoning as the vendors that show it send it.
 */
import { pieces, type Turn, usage } from "../Turn.ts";
import { data, sentences, type Writer } from "./Writer.ts";

export const writer: Writer = {
  whole: (turn) =>
    JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_760_000_000,
      model: "gpt-4.1-mini-2025-04-14",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: turn.finish === "refusal" ? null : (turn.text ?? ""),
            refusal: turn.finish === "refusal" ? turn.text : null,
            ...(turn.reasoning === undefined ? {} : { reasoning_content: turn.reasoning }),
            ...(turn.calls === undefined
              ? {}
              : { tool_calls: turn.calls.map((one) => called(one.id, one.name, one.raw)) }),
          },
          logprobs: null,
          finish_reason: finish(turn),
        },
      ],
      usage: counts,
      system_fingerprint: "fp_1",
    }),
  events: (turn) => [
    data(chunk({ role: "assistant", content: "", refusal: null })),
    ...pieces(turn.reasoning ?? "").map((piece) => data(chunk({ reasoning_content: piece }))),
    ...pieces(turn.text ?? "").map((piece) =>
      data(chunk(turn.finish === "refusal" ? { refusal: piece } : { content: piece })),
    ),
    ...(turn.ending === undefined ? ending(turn) : []),
  ],
  refusal: (_, complaint) =>
    JSON.stringify({
      error: {
        message: sentences[complaint],
        ...errors[complaint],
        param: complaint === "overflow" ? "messages" : null,
      },
    }),
};

const ending = (turn: Turn): ReadonlyArray<string> => [
  ...(turn.calls ?? []).flatMap(({ id, name, raw }, index) => [
    data(chunk({ tool_calls: [{ index, ...called(id, name, "") }] })),
    ...pieces(raw).map((piece) => data(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))),
  ]),
  data(chunk({}, finish(turn))),
  data({ ...head, choices: [], usage: counts }),
  data("[DONE]"),
];

const head = {
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_760_000_000,
  model: "gpt-4.1-mini-2025-04-14",
  system_fingerprint: "fp_1",
};

const chunk = (delta: object, reason: string | null = null) => ({
  ...head,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
});

const counts = {
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
};

const called = (id: string, name: string, raw: string) => ({
  id,
  type: "function",
  function: { name, arguments: raw },
});

const finish = ({ calls, finish: ended }: Turn): string => {
  if (ended === "length") return "length";
  return calls === undefined ? "stop" : "tool_calls";
};

const errors = {
  unauthorized: { type: "invalid_request_error", code: "invalid_api_key" },
  rateLimited: { type: "requests", code: "rate_limit_exceeded" },
  overloaded: { type: "server_error", code: null },
  overflow: { type: "invalid_request_error", code: "context_length_exceeded" },
} as const;
