/**
 * Whether the next request of an invocation fits its model's window, and what has to be left out where it does not.
 *
 * Owns counting. What a provider counted for the last request is taken for what it is, and only what came after is estimated.
 * Does not own which turns go (`fitConversation`) nor writing that down.
 */
import * as estimate from "@cahier/domain/context/estimateTokens";
import { type ConversationItem, fitConversation, isLeftOut } from "@cahier/domain/context/fitConversation";
import type { Message } from "@cahier/domain/model/Message";
import type { InvocationState, MessageReference } from "@cahier/domain/run/RunState";
import * as Log from "@cahier/domain/run/Log";
import type { InvocationSetup } from "../run/RunContext.ts";
import { assumedWindowTokens, promptBudget, reservedTokens } from "./ContextRules.ts";

export interface ContextWindow {
  /** How many messages stand before the first that is not of the prompt. */
  readonly promptLength: number;
  /**
   * Where answers and results begin that are still shown; undefined when not even the last turn fits. `whole` has the messages
   * as they are to be sent, those that are left out included; `isPlain`: as they are stored, so that each is counted once.
   */
  readonly fit: (
    invocation: Pick<InvocationState, "leftOut" | "measured" | "messages">,
    whole: ReadonlyArray<Message>,
    isPlain: boolean,
  ) => number | undefined;
  /** What is counted of a message: an estimate. */
  readonly tokensOf: (message: Message) => number;
}

/** The window of an invocation that began with `prompt`. */
export const make = (
  {
    contextRules,
    definitions,
    parameters,
    promptTokens: counted,
  }: Pick<InvocationSetup, "contextRules" | "definitions" | "parameters" | "promptTokens">,
  prompt: ReadonlyArray<Message>,
): ContextWindow => {
  const promptLength = prompt.length;
  const windowTokens = contextRules.windowTokens ?? assumedWindowTokens;
  const limit = windowTokens - reservedTokens(windowTokens, parameters.maxOutputTokens);
  const estimates = new WeakMap<Message, number>();
  const fixed: { tokens: number | undefined } = { tokens: undefined };

  const tokensOf = (message: Message): number => {
    const known = estimates.get(message);
    if (known !== undefined) return known;
    const tokens = estimate.ofMessage(message);
    estimates.set(message, tokens);
    return tokens;
  };

  const promptTokens = (): number => {
    fixed.tokens ??=
      (counted ?? prompt.reduce((sum, message) => sum + tokensOf(message), 0)) +
      estimate.ofText(JSON.stringify(definitions));
    return fixed.tokens;
  };

  /** What is shown of the messages behind the prompt. Each is added once, so that a long conversation costs no more a request. */
  const shown = { count: 0, leftOut: 0, tokens: 0 };
  const shownTokens = (
    messages: InvocationState["messages"],
    whole: ReadonlyArray<Message>,
    leftOut: number,
  ): number => {
    if (shown.leftOut !== leftOut || shown.count > messages.length)
      Object.assign(shown, { count: 0, leftOut, tokens: 0 });
    for (; shown.count < messages.length; shown.count += 1) {
      const kind = Log.at(messages, shown.count)?.kind ?? "user";
      const message = whole[promptLength + shown.count];
      if (message !== undefined && !isLeftOut(kind, shown.count, leftOut)) shown.tokens += tokensOf(message);
    }
    return shown.tokens;
  };

  const isAssumed = contextRules.windowTokens === undefined;

  // A prompt that is too long for the assumed window, or an answer to a longer request, says that the window is larger.
  const isLarger = (measured: InvocationState["measured"]): boolean =>
    isAssumed && ((measured?.tokens ?? 0) > windowTokens || promptTokens() > promptBudget(contextRules));

  return {
    promptLength,
    tokensOf,
    fit: ({ leftOut, measured: counts, messages }, whole, isPlain) => {
      // What is shown of earlier results is not what was counted then.
      const measured = isPlain ? counts : null;
      // A token takes at least one character, so most requests fit without counting.
      if (measured !== null && measured.tokens + charactersFrom(whole, promptLength + measured.messages) <= limit)
        return leftOut;
      if (measured === null && isPlain && promptTokens() + shownTokens(messages, whole, leftOut) <= limit)
        return leftOut;
      if (isLarger(counts)) return leftOut;
      const items = Log.toArray(messages).map(({ kind }, index) => itemOf(kind, whole[promptLength + index], tokensOf));
      const unmeasured = measured === null ? 0 : measuredFixed(measured, items, leftOut);
      const fitted = fitConversation({
        fixed: measured === null ? promptTokens() : unmeasured,
        items,
        leftOut,
        limit,
        target: Math.floor(limit * 0.75),
      });
      // Nothing is refused for the sake of an assumption: the provider knows its window.
      return fitted ?? (isAssumed ? leftOut : undefined);
    },
  };
};

const itemOf = (
  kind: MessageReference["kind"],
  message: Message | undefined,
  tokensOf: ContextWindow["tokensOf"],
): ConversationItem => ({ kind, tokens: message === undefined ? 0 : tokensOf(message) });

/** What of the measured tokens is none of the messages behind the prompt. */
const measuredFixed = (
  measured: NonNullable<InvocationState["measured"]>,
  items: ReadonlyArray<ConversationItem>,
  leftOut: number,
): number => {
  let tokens = measured.tokens;
  for (const [index, item] of items.entries()) {
    if (index >= measured.messages) break;
    if (index >= leftOut || item.kind === "user") tokens -= item.tokens;
  }
  return tokens;
};

const messageCharacters = 16;

const charactersFrom = (messages: ReadonlyArray<Message>, start: number): number => {
  let characters = 0;
  for (let index = start; index < messages.length; index += 1) characters += charactersOf(messages[index]);
  return characters;
};

const charactersOf = (message: Message | undefined): number => {
  let characters = messageCharacters;
  for (const part of message?.parts ?? []) {
    if (part.type === "toolResult") characters += part.content.length;
    else if (part.type === "text" || part.type === "reasoning") characters += part.text.length;
    else if (part.type === "toolCall") characters += part.name.length + part.arguments.length;
    else characters += 1024;
  }
  return characters;
};
