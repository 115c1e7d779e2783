/**
 * How much of what an agent has done it is still shown, when not all of it fits its model's window.
 *
 * Whole turns go, oldest first: an answer with all the results of its calls. What people have said stays, and so does the
 * last turn. Once something goes, enough goes that the next turns fit without another cut: each cut makes a provider read
 * the whole request anew.
 */

/** A message behind the prompt: an answer, a result of one of its calls, or what somebody else has said. */
export interface ConversationItem {
  readonly kind: "response" | "result" | "user";
  readonly tokens: number;
}

/**
 * `fixed` tokens are spent on what cannot go. Of `items`, answers and results before `leftOut` have gone already. Over `limit`
 * something has to go, and then as much as brings the whole to `target`.
 */
export interface Room {
  readonly fixed: number;
  readonly items: ReadonlyArray<ConversationItem>;
  readonly leftOut: number;
  readonly limit: number;
  readonly target: number;
}

/** Whether a message is not shown when those before `leftOut` have gone. */
export const isLeftOut = (kind: ConversationItem["kind"], index: number, leftOut: number): boolean =>
  index < leftOut && kind !== "user";

/** Before which message answers and results are left out from now on; undefined when not even the last turn fits. */
export const fitConversation = ({ fixed, items, leftOut, limit, target }: Room): number | undefined => {
  let tokens = fixed;
  items.forEach((item, index) => {
    if (!isLeftOut(item.kind, index, leftOut)) tokens += item.tokens;
  });
  if (tokens <= limit) return leftOut;
  const lastTurn = items.findLastIndex(({ kind }) => kind === "response");
  let next = leftOut;
  while (tokens > target) {
    const end = endOfTurn(items, next);
    if (end > lastTurn) break;
    for (; next < end; next += 1) {
      const item = items[next];
      if (item !== undefined && item.kind !== "user") tokens -= item.tokens;
    }
  }
  return tokens <= limit ? next : undefined;
};

/** Behind the next whole turn from `start` on: where the answer after it begins. */
const endOfTurn = (items: ReadonlyArray<ConversationItem>, start: number): number => {
  const own = items.findIndex(({ kind }, index) => index >= start && kind === "response");
  if (own === -1) return items.length;
  const next = items.findIndex(({ kind }, index) => index > own && kind === "response");
  return next === -1 ? items.length : next;
};
