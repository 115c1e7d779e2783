/**
 * What of a message belongs to another format or to nobody: the rules of going from one format to another.
 *
 * Canonical content moves; native items and reasoning stay behind, and each loss is a sentence.
 */
import { type Message, type NativePart, toolCallsOf } from "@cahier/domain/model/Message";
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { Refusal } from "../Route.ts";
import type { OnLoss } from "./sessionEncoder.ts";

/**
 * The items of a message that came in this format, in order; a message that has some is replayed by them alone. Says what
 * stays behind: the items of other formats, and reasoning, unless `reasoning` says that it goes as text.
 */
export const nativesOf = (
  message: Message,
  format: ModelFormat,
  onLoss: OnLoss,
  reasoning: "inItems" | "asText" = "inItems",
): ReadonlyArray<string> => {
  let hasReasoning = false;
  let hasNatives = false;
  for (const { type } of message.parts) {
    if (type === "reasoning") hasReasoning = true;
    else if (type === "native") hasNatives = true;
  }
  // Most messages have neither, and there are many messages.
  if (!hasReasoning && !hasNatives) return none;
  const items = message.parts.filter((part) => part.type === "native");
  const natives = items.filter((item) => item.format === format).map(({ json }) => json);
  const strangers = items.filter((item) => item.format !== format);
  const goesAsText = reasoning === "asText";
  const isLost = hasReasoning && !goesAsText && natives.length === 0;
  for (const [of, left] of Map.groupBy(strangers, formatOf)) {
    const isReasoning = isLost || (!goesAsText && left.some(({ json }) => thought.test(json)));
    onLoss(
      isReasoning
        ? `The model's earlier reasoning stays with ${of} and was not sent to ${format}.`
        : `What only ${of} can read of earlier answers stays with it and was not sent to ${format}.`,
    );
  }
  if (isLost && strangers.length === 0) onLoss(`The model's earlier reasoning was not sent to ${format}.`);
  return natives;
};

/**
 * The text of a message that is one text and nothing else, as most are; undefined for every other. Such a message needs
 * no list that grows part by part, and there are many messages.
 */
export const soleText = ({ parts }: Message): string | undefined => {
  const first = parts.length === 1 ? parts[0] : undefined;
  return first?.type === "text" ? first.text : undefined;
};

/** Why a message cannot be replayed: it came in this format, but a call of it has lost its item. */
export const lostCall = (
  message: Message,
  isNative: (callId: string, index: number) => boolean,
): Refusal | undefined => {
  const lost = toolCallsOf(message).find(({ callId }, index) => !isNative(callId, index));
  return lost === undefined
    ? undefined
    : { _tag: "nativeLost", detail: `the native metadata of the call "${lost.callId}" is lost` };
};

/** A call id as a wire takes it: itself where it fits, else a name of its own that depends on nothing but the id. */
export const wireId = (callId: string, fits: RegExp): string =>
  fits.test(callId) ? callId : `call_${Sha256.ofText(callId).slice(0, 32)}`;

/** Text with the name of its speaker, for wires that have no field for it. */
export const spokenBy = (name: string | undefined, text: string): string =>
  name === undefined || name === "" || text.startsWith(`${name}:`) ? text : `${name}: ${text}`;

const none: ReadonlyArray<string> = [];

/** Stands in each item that is reasoning, in all formats. */
const thought = /"(?:redacted_)?thinking"|"reasoning|"thought/;

const formatOf = (part: NativePart): string => part.format;
