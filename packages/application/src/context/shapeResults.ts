/**
 * How results of earlier turns are shown, by the rules of a profile: whole, shortened, or as a note in their place.
 *
 * Those of the last turn are always whole: their agent has not seen them yet. Every call keeps exactly one result.
 */
import type { Message } from "@cahier/domain/model/Message";
import type { ShownForm } from "@cahier/domain/prompt/PromptComponent";
import type { MessageReference } from "@cahier/domain/run/RunState";
import { phrasesOf } from "../prompt/phrases.ts";
import type { ContextRules } from "./ContextRules.ts";

/** How much of a result a summary keeps, in characters. */
export const summaryChars = 280;

/** A message as it is shown; `full` is the same object that it was. */
export interface Shaped {
  readonly message: Message;
  readonly form: ShownForm;
}

/** The messages behind a prompt, of which `references` says what they are. */
export const shapeResults = (
  { language, toolResults }: ContextRules,
  references: ReadonlyArray<MessageReference>,
  messages: ReadonlyArray<Message>,
  tokensOf: (message: Message) => number,
): ReadonlyArray<Shaped> => {
  const { budgetTokens, form, order = "newestFirst", visible } = toolResults;
  const lastTurn = references.findLastIndex(({ kind }) => kind === "response");
  const { resultGone, resultShortened } = phrasesOf(language);
  const gone = (message: Message): Shaped => ({ message: withContent(message, () => resultGone), form: "gone" });
  const shown = (message: Message): Shaped => {
    if (!visible) return gone(message);
    if (form === "full") return { message, form };
    const shortened = withContent(message, (content) => summaryOf(content, resultShortened));
    return { message: shortened, form: shortened === message ? "full" : "summary" };
  };
  const shaped = messages.map((message, index): Shaped =>
    references[index]?.kind === "result" && index < lastTurn ? shown(message) : { message, form: "full" },
  );
  if (!visible || budgetTokens === undefined) return shaped;
  const results = [...references.keys()].filter((index) => references[index]?.kind === "result");
  let left = budgetTokens;
  for (const index of results) {
    const result = shaped[index];
    if (index > lastTurn && result !== undefined) left -= tokensOf(result.message);
  }
  const earlier = results.filter((index) => index < lastTurn);
  for (const index of order === "oldestFirst" ? earlier : earlier.toReversed()) {
    const result = shaped[index];
    if (result === undefined) continue;
    left -= tokensOf(result.message);
    if (left < 0) shaped[index] = gone(result.message);
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
