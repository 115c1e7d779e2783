/**
 * Whether an answer in a history is still the one that a server gave, so that the server need not be told it.
 */
import { type Message, textOf, toolCallsOf } from "@cahier/domain/model/Message";
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import type { ProviderState } from "@cahier/domain/model/ProviderState";

/** What of an answer a server would be told again: two with the same are the same to it. */
export const digest = (answer: Message): string =>
  JSON.stringify([
    textOf(answer),
    toolCallsOf(answer).map(({ arguments: raw, callId, name }) => [callId, name, raw]),
    answer.parts.flatMap((part) => (part.type === "native" ? [part.format, part.json] : [])),
  ]);

/** Whether a message has the native parts that a state counts. One that has been edited or written here has none. */
export const isCounted = (message: Message, { nativeContinuation }: ProviderState): boolean =>
  nativeContinuation !== undefined &&
  nativeContinuation.partCount > 0 &&
  nativeContinuation.partCount === nativesOf(message, nativeContinuation.format);

const nativesOf = ({ parts }: Message, format: ModelFormat): number =>
  parts.filter((part) => part.type === "native" && part.format === format).length;
