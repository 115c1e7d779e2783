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

/** The items of a message that came in this format, in order. A message that has some is replayed by them alone. */
export const nativesOf = (message: Message, format: ModelFormat): ReadonlyArray<string> =>
  message.parts.flatMap((part) => (part.type === "native" && part.format === format ? [part.json] : []));

/** Says which native items of a message are not sent in this format. */
export const reportNatives = (message: Message, index: number, format: ModelFormat, onLoss: OnLoss): void => {
  const strangers = message.parts.flatMap((part) => (part.type === "native" && part.format !== format ? [part] : []));
  for (const [of, items] of Map.groupBy(strangers, formatOf)) {
    onLoss(`message ${index}: ${items.length} native item(s) of ${of} are not sent to ${format}`);
  }
};

/** Says what of a message is not sent in this format, which has reasoning in native items only. */
export const reportLosses = (message: Message, index: number, format: ModelFormat, onLoss: OnLoss): void => {
  reportNatives(message, index, format, onLoss);
  if (nativesOf(message, format).length > 0 || !message.parts.some((part) => part.type === "reasoning")) return;
  onLoss(`message ${index}: its reasoning is not sent to ${format}`);
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

const formatOf = (part: NativePart): string => part.format;
