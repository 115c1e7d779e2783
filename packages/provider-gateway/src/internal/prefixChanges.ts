/**
 * Says where a request does not begin as the one before it, which is what makes a provider read a prompt anew.
 *
 * Objects are compared before their content, so that a conversation that only grows costs nothing.
 */
import type { Message } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";

/**
 * A sentence for each part that has changed: a setting, the tools, or a message with all that follows it. Settings and
 * tools count bytes from their own beginning, messages from that of the body, where `beginOf` says where one begins.
 */
export const between = (
  before: ModelRequest,
  after: ModelRequest,
  beginOf: (index: number) => number,
): ReadonlyArray<string> => {
  const changes: Array<string> = [];
  const compare = (component: string, one: unknown, other: unknown): void => {
    if (one === other) return;
    const at = firstDifference(JSON.stringify(one), JSON.stringify(other));
    if (at !== undefined) changes.push(sentence(at, component));
  };
  if (before.binding !== after.binding) compare("settings", before.binding.modelId, after.binding.modelId);
  if (before.parameters !== after.parameters) compare("settings", before.parameters, after.parameters);
  compare("settings", before.toolChoice, after.toolChoice);
  compare("tools", before.tools, after.tools);
  const index = before.messages.findIndex((message, at) => isChanged(message, after.messages[at]));
  if (index === -1) return changes;
  return [...changes, sentence(beginOf(index), componentOf(before.messages, index))];
};

const sentence = (at: number, component: string): string => `The request's prefix changed at byte ${at}: ${component}.`;

/** A message that is no longer there leaves the prefix before it as it was. */
const isChanged = (before: Message, after: Message | undefined): boolean =>
  before !== after && after !== undefined && JSON.stringify(before) !== JSON.stringify(after);

const componentOf = (messages: ReadonlyArray<Message>, index: number): string =>
  messages.slice(0, index + 1).every(({ role }) => role === "system" || role === "developer")
    ? "system"
    : `message ${index}`;

const firstDifference = (one: string, other: string): number | undefined => {
  if (one === other) return undefined;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return new TextEncoder().encode(one.slice(0, at)).length;
};
