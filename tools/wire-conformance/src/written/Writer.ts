/**
 * How the servers of a format put an answer into bytes, as their documentation says.
 */
import type { Complaint, Turn } from "../Turn.ts";

/** `events` are the frames of a stream, without those that come after the text where the turn ends there. */
export interface Writer {
  readonly whole: (turn: Turn) => string;
  readonly events: (turn: Turn) => ReadonlyArray<string>;
  readonly refusal: (status: number, complaint: Complaint) => string;
}

/** An event without a name. */
export const data = (value: unknown): string =>
  `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;

/** An event with a name. */
export const named = (name: string, value: unknown): string => `event: ${name}\n${data(value)}`;

/** What a server says for people. */
export const sentences: Readonly<Record<Complaint, string>> = {
  unauthorized: "The key is not valid.",
  rateLimited: "Too many requests; wait a little.",
  overloaded: "The service is overloaded.",
  overflow: "The prompt is longer than the context of the model.",
};
