/**
 * generateContent as Google documents it: a stream of responses, each with a piece of the content.
 */
import { pieces, type Turn, usage } from "../Turn.ts";
import { sentences, type Writer } from "./Writer.ts";

export const writer: Writer = {
  whole: (turn) =>
    JSON.stringify(
      response([...thoughts(turn, [turn.reasoning]), ...texts([turn.text]), ...calls(turn)], finish(turn)),
      undefined,
      2,
    ),
  events: (turn) => [
    ...thoughts(turn, pieces(turn.reasoning ?? "")).map((part) => event(response([part]))),
    ...texts(pieces(turn.text ?? "")).map((part) => event(response([part]))),
    ...(turn.ending === undefined
      ? [...calls(turn).map((part) => event(response([part]))), event(response([], finish(turn)))]
      : []),
  ],
  refusal: (status, complaint) =>
    JSON.stringify({ error: { code: status, message: sentences[complaint], status: errors[complaint] } }, undefined, 2),
};

/** Lines end as they do at Google. */
const event = (value: object): string => `data: ${JSON.stringify(value)}\r\n\r\n`;

const response = (parts: ReadonlyArray<object>, finishReason?: string) => ({
  candidates: [
    {
      content: parts.length === 0 ? { role: "model" } : { parts, role: "model" },
      ...(finishReason === undefined ? {} : { finishReason }),
      index: 0,
    },
  ],
  usageMetadata: {
    promptTokenCount: usage.inputTokens,
    candidatesTokenCount: usage.outputTokens,
    totalTokenCount: usage.inputTokens + usage.outputTokens,
  },
  modelVersion: "gemini-3-flash",
  responseId: "r-1",
});

const thoughts = (_: Turn, said: ReadonlyArray<string | undefined>) =>
  said.flatMap((text) => (text === undefined ? [] : [{ text, thought: true }]));

const texts = (said: ReadonlyArray<string | undefined>) =>
  said.flatMap((text) => (text === undefined ? [] : [{ text }]));

/** Of parallel calls only the first has a signature. */
const calls = (turn: Turn) =>
  (turn.calls ?? []).map(({ id, name, raw }, index) => ({
    functionCall: { id, name, args: JSON.parse(raw) as unknown },
    ...(index === 0 ? { thoughtSignature: "CiQBZm9yIG5vYm9keSBidXQgdGhlIHNlcnZlcg==" } : {}),
  }));

const finish = ({ finish: ended }: Turn): string => {
  if (ended === "length") return "MAX_TOKENS";
  return ended === "refusal" ? "SAFETY" : "STOP";
};

const errors = {
  unauthorized: "UNAUTHENTICATED",
  rateLimited: "RESOURCE_EXHAUSTED",
  overloaded: "UNAVAILABLE",
  overflow: "INVALID_ARGUMENT",
} as const;
