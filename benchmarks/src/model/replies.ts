/**
 * What the model of the benchmarks says: so many rounds of one tool call each, then `finish`.
 *
 * Pure, and the same for whoever asks: the text of a round depends on its number alone.
 */
import { prose } from "./prose.ts";

/** New content that a writing round brings, in bytes. */
export const contentBytes = 4096;

/**
 * What a conversation is about: `echo` calls the echo tool; the others bring `contentBytes` of new prose a round, each in
 * a file of its own, as the whole of one of two files in turn, or at the end of one file.
 */
export type ConversationKind = "echo" | "create" | "replace" | "append";

/** The body of the answer to request number `round` (from 0) of a session of `rounds` tool rounds. */
export const reply = (kind: ConversationKind, round: number, rounds: number): Buffer => {
  const call = round < rounds ? callOf(kind, round) : { name: "workspace_finish", args: {} };
  return Buffer.from(eventsOf(round, call.name, JSON.stringify(call.args)));
};

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const callOf = (kind: ConversationKind, round: number): Call => {
  switch (kind) {
    case "echo":
      return { name: "bench_echo", args: { text: `Line ${round}: the tide comes back before the bell.` } };
    case "create":
      return writing(`output/part-${String(round).padStart(4, "0")}.md`, "replace", round);
    case "replace":
      return writing(`output/draft-${round % 2}.md`, "replace", round);
    case "append":
      return writing("output/main.md", "append", round);
    default:
      throw new Error(`there is no kind of conversation called ${String(kind satisfies never)}`);
  }
};

const writing = (path: string, mode: string, round: number): Call => ({
  name: "workspace_write_file",
  args: { path, mode, content: prose(round, contentBytes) },
});

/** Pieces in which arguments come: about what a model sends at a time. */
const pieceChars = 24;

const eventsOf = (round: number, name: string, args: string): string => {
  const base = { id: `chatcmpl-${round}`, object: "chat.completion.chunk", created: 1_800_000_000, model: "bench" };
  const event = (fields: object): string => `data: ${JSON.stringify({ ...base, ...fields })}\n\n`;
  const delta = (content: object): string => event({ choices: [{ index: 0, delta: content, finish_reason: null }] });
  const pieces = args.match(new RegExp(`[^]{1,${pieceChars}}`, "gu")) ?? [];
  return [
    delta({ role: "assistant", content: "" }),
    ...["On ", "with ", "it."].map((content) => delta({ content })),
    delta({
      tool_calls: [{ index: 0, id: `call_${round}`, type: "function", function: { name, arguments: "" } }],
    }),
    ...pieces.map((piece) => delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    event({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
    event({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } }),
    "data: [DONE]\n\n",
  ].join("");
};
