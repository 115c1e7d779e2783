/**
 * What happens between a run and a model, by name, and what comes of it: one expectation for all routes.
 *
 * Owns the requests, the answers in words of no wire, and the canonical outcome. Does not own what a wire calls it.
 */
import * as Messages from "@cahier/domain/model/Message";
import type { Message } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { FinishReason } from "@cahier/domain/model/ModelResponse";
import type { ModelFaultReason } from "@cahier/ports/ModelGateway";
import { image, readFile } from "./request.ts";
import type { Turn, TurnCall } from "./Turn.ts";

/** The whole of an outcome that all routes share. */
export type Outcome =
  | {
      readonly _tag: "response";
      readonly text: string;
      readonly reasoning: string;
      readonly calls: ReadonlyArray<TurnCall>;
      readonly finish: FinishReason;
    }
  /** `partial` is the text that had arrived, where the answer was streamed. */
  | { readonly _tag: "fault"; readonly reason: ModelFaultReason; readonly partial?: string }
  /** The caller left after the first text, and the connection was closed. */
  | { readonly _tag: "left"; readonly text: string };

/**
 * `results` answer the calls of a turn before the next is asked for. `without` are the routes whose wire cannot say it,
 * with why; `streamedOnly`: there is nothing to see in a whole body.
 */
export interface Scenario {
  readonly name: string;
  readonly request: Partial<ModelRequest>;
  readonly turns: ReadonlyArray<Turn>;
  readonly results?: Readonly<Record<string, string>>;
  readonly outcome: Outcome;
  readonly streamedOnly?: boolean;
  readonly without?: Readonly<Record<string, string>>;
}

const user = (...parts: Message["parts"]): ReadonlyArray<Message> => [
  Messages.text("system", "Be brief."),
  { role: "user", parts },
];

const asked = { messages: user({ type: "text", text: "What does the rain do?" }) };
const askedToRead = { messages: user({ type: "text", text: "Read both files." }), tools: [readFile] };
const answered = "Grüße 🙂: the rain stops at dawn.";

const one: TurnCall = { id: "call_1", name: readFile.name, raw: '{"path":"a.md","startLine":1}' };
const two: TurnCall = { id: "call_2", name: readFile.name, raw: '{"path":"Grüße 🙂.md"}' };

const response = (changes: Partial<Extract<Outcome, { _tag: "response" }>>): Outcome => ({
  _tag: "response",
  text: "",
  reasoning: "",
  calls: [],
  finish: "stop",
  ...changes,
});

const refused = (
  name: string,
  refusal: NonNullable<Turn["refused"]>,
  reason: ModelFaultReason,
  without?: Readonly<Record<string, string>>,
): Scenario => ({
  name,
  request: asked,
  turns: [{ refused: refusal }],
  outcome: { _tag: "fault", reason },
  ...(without === undefined ? {} : { without }),
});

export const all: ReadonlyArray<Scenario> = [
  { name: "text", request: asked, turns: [{ text: answered }], outcome: response({ text: answered }) },
  {
    name: "tool call",
    request: askedToRead,
    turns: [{ calls: [one] }],
    outcome: response({ calls: [one], finish: "toolCalls" }),
  },
  {
    name: "parallel calls",
    request: askedToRead,
    turns: [{ text: "I read.", calls: [one, two] }],
    outcome: response({ text: "I read.", calls: [one, two], finish: "toolCalls" }),
  },
  {
    name: "tool loop with native replay",
    request: askedToRead,
    turns: [{ reasoning: "I must read.", text: "I read.", calls: [one, two] }, { text: answered }],
    results: { call_1: "alpha", call_2: "beta" },
    outcome: response({ text: answered }),
  },
  {
    name: "reasoning",
    request: asked,
    turns: [{ reasoning: "Rain ends. Grüße 🙂.", text: answered }],
    outcome: response({ reasoning: "Rain ends. Grüße 🙂.", text: answered }),
  },
  {
    name: "image",
    request: { messages: user({ type: "text", text: "What is it?" }, image) },
    turns: [{ text: "A red dot." }],
    outcome: response({ text: "A red dot." }),
  },
  { name: "empty", request: asked, turns: [{}], outcome: response({}) },
  {
    name: "refusal",
    request: asked,
    turns: [{ text: "I cannot say that.", finish: "refusal" }],
    outcome: response({ text: "I cannot say that.", finish: "refusal" }),
    without: { "gemini-interactions": "the wire has no word for it", scripted: "a script has no word for it" },
  },
  {
    name: "length",
    request: { ...asked, parameters: { maxOutputTokens: 16 } },
    turns: [{ text: "The rain", finish: "length" }],
    outcome: response({ text: "The rain", finish: "length" }),
    without: { scripted: "a script has no word for it" },
  },
  refused("overflow", { status: 400, complaint: "overflow" }, { _tag: "Rejected", status: 400 }),
  {
    name: "abort in mid-stream",
    request: asked,
    turns: [{ text: answered, ending: "open" }],
    outcome: { _tag: "left", text: answered },
    streamedOnly: true,
  },
  refused("401", { status: 401, complaint: "unauthorized" }, { _tag: "Unauthorized", status: 401 }),
  refused(
    "429 with seconds",
    { status: 429, complaint: "rateLimited", headers: { "retry-after": "7" } },
    { _tag: "RateLimited", status: 429, retryAfterMs: 7000 },
  ),
  refused(
    "429 with a date",
    { status: 429, complaint: "rateLimited", headers: { "retry-after": "Thu, 01 Jan 1970 00:00:30 GMT" } },
    { _tag: "RateLimited", status: 429, retryAfterMs: 30_000 },
    { scripted: "a script says seconds" },
  ),
  refused("529", { status: 529, complaint: "overloaded" }, { _tag: "Transient", status: 529 }),
  {
    name: "broken stream",
    request: asked,
    turns: [{ text: answered, ending: "cut" }],
    outcome: { _tag: "fault", reason: { _tag: "Network", kind: "bodyInterrupted" }, partial: answered },
  },
];
