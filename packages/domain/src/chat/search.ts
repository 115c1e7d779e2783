/**
 * Search by words over the messages of a chat, as the `chat.search` tool answers it.
 *
 * Owns filters, limits, ranking and snippets. Does not own which messages a run may see: callers pass its frozen
 * prefix.
 */
import * as Result from "effect/Result";
import { refuse, type Refusal } from "../workspace/Refusal.ts";
import * as SearchTerms from "../workspace/SearchTerms.ts";
import * as TextMetrics from "../workspace/TextMetrics.ts";
import type { ChatMessage, ChatRole } from "./Chat.ts";

export const defaultLimit = 20;
export const maxLimit = 50;

/** Most messages that one search looks at, counted from the newest. */
export const maxScan = 100_000;

/** Longest snippet in UTF-16 units. */
export const maxSnippet = 300;

/**
 * `startMessage` and `endMessage` are indices, both inclusive. Without `hidden` both hidden and shown messages are
 * searched. `scanLimit`: the newest messages of the range that are looked at.
 */
export interface ChatSearch {
  readonly query: string;
  readonly limit?: number;
  readonly role?: ChatRole;
  readonly hidden?: boolean;
  readonly startMessage?: number;
  readonly endMessage?: number;
  readonly scanLimit?: number;
}

/** A message that matches; `chars` and `words` are of the whole message. */
export interface ChatHit {
  readonly index: number;
  readonly role: ChatRole;
  readonly name: string;
  readonly score: number;
  readonly snippet: string;
  readonly chars: number;
  readonly words: number;
  readonly ref: string;
}

export interface ChatHits {
  readonly query: string;
  readonly hits: ReadonlyArray<ChatHit>;
}

/** How a message is named for a later read. */
export const refOf = (index: number): string => `chat:current#${index}`;

/**
 * The best messages, best first; of equal ones the newer first. A message scores the weights of the distinct terms in
 * it (half for a term inside a longer word), more when the query stands there as written, and more when its terms
 * stand in one line. No hit is a success.
 */
export const search = (
  messages: ReadonlyArray<ChatMessage>,
  request: ChatSearch,
): Result.Result<ChatHits, Refusal<"tool.invalid_arguments">> => {
  const limit = request.limit ?? defaultLimit;
  const scan = request.scanLimit ?? maxScan;
  if (!isWithin(limit, 1, maxLimit)) return invalid(`limit is a whole number from 1 to ${maxLimit}.`);
  if (!isWithin(scan, 1, maxScan)) return invalid(`scan_limit is a whole number from 1 to ${maxScan}.`);
  const { endMessage = Number.MAX_SAFE_INTEGER, startMessage = 0 } = request;
  if (!isWithin(startMessage, 0) || !isWithin(endMessage, 0))
    return invalid("start_message and end_message are whole numbers from 0 up.");
  if (startMessage > endMessage) return invalid("start_message comes after end_message; exchange the two.");
  const terms = SearchTerms.parse(request.query);
  if (terms.words.length === 0) return invalid("query is empty. Give the words to look for.");
  const searched = messages.filter(
    ({ hidden, index, role }) =>
      index >= startMessage &&
      index <= endMessage &&
      (request.role === undefined || role === request.role) &&
      (request.hidden === undefined || hidden === request.hidden),
  );
  const places = searched.slice(-scan).flatMap((message) => placeOf(message, terms));
  return Result.succeed({ query: request.query, hits: places.toSorted(byScore).slice(0, limit).map(toHit) });
};

interface Place {
  readonly message: ChatMessage;
  readonly score: number;
  readonly best: SearchTerms.LineMatch;
}

const placeOf = (message: ChatMessage, terms: SearchTerms.SearchTerms): ReadonlyArray<Place> => {
  const matches = [...SearchTerms.matchLines(message.text, terms).values()];
  const [first] = matches;
  if (first === undefined) return [];
  const best = matches.reduce((one, other) => (other.own > one.own ? other : one), first);
  const weights = new Map<number, number>();
  for (const match of matches)
    for (const [term, weight] of match.weights) weights.set(term, Math.max(weights.get(term) ?? 0, weight));
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const phrase = matches.some((match) => match.phrase) ? terms.phraseBonus : 0;
  const together = weights.size > 1 && best.weights.size === weights.size ? 1 : 0;
  return [{ message, score: whole + phrase + together, best }];
};

const byScore = (one: Place, other: Place): number =>
  other.score - one.score || other.message.index - one.message.index;

const toHit = ({ best, message, score }: Place): ChatHit => ({
  index: message.index,
  role: message.role,
  name: message.name,
  score,
  snippet: snippetOf(message.text, best),
  ...TextMetrics.measure(message.text),
  ref: refOf(message.index),
});

/** The line that matches best, cut around its first match. */
const snippetOf = (text: string, { line, position }: SearchTerms.LineMatch): string => {
  const content = (text.split("\n")[line - 1] ?? "").trimEnd();
  if (content.length <= maxSnippet) return content;
  const wanted = Math.floor(content.length * position) - maxSnippet / 3;
  const start = Math.floor(Math.min(Math.max(wanted, 0), content.length - maxSnippet));
  const part = content.slice(start, start + maxSnippet);
  const whole = part.replace(/^[\udc00-\udfff]/, "").replace(/[\ud800-\udbff]$/, "");
  return `${start > 0 ? "…" : ""}${whole}${start + maxSnippet < content.length ? "…" : ""}`;
};

const isWithin = (value: number, least: number, most = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most;

const invalid = (message: string) => refuse("tool.invalid_arguments", message);
