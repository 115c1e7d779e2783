/**
 * How results of earlier turns are shown, by the rules of a profile: whole, shortened, or as a note in their place.
 *
 * Those of the last turn are always whole: their agent has not seen them yet. Every call keeps exactly one result.
 */
import type { Message } from "@cahier/domain/model/Message";
import type { MessageReference } from "@cahier/domain/run/RunState";
import { phrasesOf } from "../prompt/phrases.ts";
import type { ContextRules } from "./ContextRules.ts";

/** How much of a result a summary keeps, in characters. */
export const summaryChars = 280;

/** The messages behind a prompt, of which `references` says what they are. One that is shown whole is the same object. */
export const shapeResults = (
  { language, toolResults }: ContextRules,
  references: ReadonlyArray<MessageReference>,
  messages: ReadonlyArray<Message>,
  tokensOf: (message: Message) => number,
): ReadonlyArray<Message> => {
  const { budgetTokens, form, order = "newestFirst", visible } = toolResults;
  const lastTurn = references.findLastIndex(({ kind }) => kind === "response");
  const { resultGone, resultShortened } = phrasesOf(language);
  const gone = (message: Message) => withContent(message, () => resultGone);
  const shown = (message: Message): Message => {
    if (!visible) return gone(message);
    return form === "summary" ? withContent(message, (content) => summaryOf(content, resultShortened)) : message;
  };
  const shaped = messages.map((message, index) =>
    references[index]?.kind === "result" && index < lastTurn ? shown(message) : message,
  );
  if (!visible || budgetTokens === undefined) return shaped;
  const results = [...references.keys()].filter((index) => references[index]?.kind === "result");
  let left = budgetTokens;
  for (const index of results) {
    const message = shaped[index];
    if (index > lastTurn && message !== undefined) left -= tokensOf(message);
  }
  const earlier = results.filter((index) => index < lastTurn);
  for (const index of order === "oldestFirst" ? earlier : earlier.toReversed()) {
    const message = shaped[index];
    if (message === undefined) continue;
    left -= tokensOf(message);
    if (left < 0) shaped[index] = gone(message);
  }
  return shaped;
};

const summaryOf = (content: string, shortened: (chars: number) => string): string =>
  content.length <= summaryChars
    ? content
    : `${content.slice(0, summaryChars).toWellFormed()}…\n${shortened(content.length)}`;

/** The message with other contents of its results; the same object when none changes. */
export const withContent = (message: Message, change: (content: string) => string): Message => {
  let changed = false;
  const parts = message.parts.map((part) => {
    if (part.type !== "toolResult") return part;
    const content = change(part.content);
    changed ||= content !== part.content;
    return { ...part, content };
  });
  return changed ? { ...message, parts } : message;
};
