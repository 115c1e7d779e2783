/**
 * An encoder whose body grows with its session: each message is serialised once, when it is first seen.
 *
 * Owns which messages are new, the pairing of calls and results, and what the bodies leave out. Does not own any body: a
 * `BodyWriter` of the protocol does.
 */
import type { Message } from "@cahier/domain/model/Message";
import type { ModelBinding, ModelRequest } from "@cahier/domain/model/ModelRequest";
import * as pairing from "@cahier/domain/model/pairing";
import * as Result from "effect/Result";
import * as prefixChanges from "./prefixChanges.ts";
import type { Encoder, Refusal } from "../Route.ts";

/** The growing body of one history. */
export interface BodyWriter {
  /** Adds a message; returns why it cannot be sent. */
  readonly add: (message: Message, index: number) => Refusal | undefined;
  /** The bytes that the messages so far take. */
  readonly length: () => number;
  /** The whole body, valid until the next call of either. */
  readonly bytes: (request: ModelRequest) => Uint8Array;
}

/** Called with a sentence about what a body leaves out or changes. */
export type OnLoss = (sentence: string) => void;

/** What an encoder of one session keeps: the writer of its history, and what has been left out. */
export interface Keeper<Writer> {
  /** The writer with all messages of the request in it. */
  readonly grown: (request: ModelRequest) => Result.Result<Writer, Refusal>;
  readonly onLoss: OnLoss;
  readonly takeWarnings: () => ReadonlyArray<string>;
}

/** An encoder for the requests of one session; another history than the one kept is encoded from the start. */
export const make = (openWriter: (onLoss: OnLoss, binding: ModelBinding) => BodyWriter): Encoder => {
  const { grown, takeWarnings } = keep(openWriter);
  return { encode: (request) => Result.map(grown(request), (writer) => writer.bytes(request)), takeWarnings };
};

/** Keeps a history for an encoder of more than bodies. */
export const keep = <Writer extends Pick<BodyWriter, "add" | "length">>(
  openWriter: (onLoss: OnLoss, binding: ModelBinding) => Writer,
): Keeper<Writer> => {
  let losses: Array<string> = [];
  const said = new Set<string>();
  const onLoss: OnLoss = (sentence) => {
    if (said.has(sentence)) return;
    said.add(sentence);
    losses.push(sentence);
  };
  const open = (binding: ModelBinding) => new History(openWriter(onLoss, binding), binding);
  /** Where a message begins in a body is only asked when a prefix has changed, so the body is then written again. */
  const beginOf = ({ binding, messages }: ModelRequest, index: number): number => {
    if (index === 0) return 0;
    const writer = openWriter(() => undefined, binding);
    messages.slice(0, index).forEach((message, at) => writer.add(message, at));
    return writer.length();
  };
  let history: History<Writer> | undefined;
  let last: ModelRequest | undefined;
  return {
    grown: (request) => {
      // A change may come again, and is then said again.
      const before = last;
      if (before !== undefined) {
        losses.push(...prefixChanges.between(before, request, (index) => beginOf(before, index)));
      }
      last = request;
      if (history?.isPrefixOf(request) !== true) history = open(request.binding);
      const problem = history.grow(request.messages);
      return problem === undefined ? Result.succeed(history.writer) : Result.fail(problem);
    },
    onLoss,
    takeWarnings: () => {
      const taken = losses;
      losses = [];
      return taken;
    },
  };
};

class History<Writer extends Pick<BodyWriter, "add" | "length">> {
  readonly writer: Writer;
  readonly #binding: ModelBinding;
  readonly #seen: Array<Message> = [];
  #open: pairing.OpenCalls = [];

  constructor(writer: Writer, binding: ModelBinding) {
    this.writer = writer;
    this.#binding = binding;
  }

  isPrefixOf({ binding, messages }: ModelRequest): boolean {
    if (binding.modelId !== this.#binding.modelId) return false;
    return this.#seen.length <= messages.length && this.#seen.every((message, index) => message === messages[index]);
  }

  grow(messages: ReadonlyArray<Message>): Refusal | undefined {
    for (let index = this.#seen.length; index < messages.length; index += 1) {
      const message = messages[index];
      if (message === undefined) continue;
      const unpaired = this.#follow(message);
      if (unpaired !== undefined) return unpaired;
      const problem = this.writer.add(message, index);
      if (problem !== undefined) return { ...problem, detail: `message ${index}: ${problem.detail}` };
      this.#seen.push(message);
    }
    const closed = pairing.requireClosed(this.#open);
    return Result.isFailure(closed) ? { _tag: "pairing", detail: closed.failure } : undefined;
  }

  /** Follows the calls and their results; most messages have neither. */
  #follow(message: Message): Refusal | undefined {
    if (this.#open.length === 0 && message.role !== "tool" && !hasCalls(message)) return undefined;
    const open = pairing.follow(this.#open, message);
    if (Result.isFailure(open)) return { _tag: "pairing", detail: open.failure };
    this.#open = open.success;
    return undefined;
  }
}

const hasCalls = ({ parts }: Message): boolean => {
  for (const part of parts) if (part.type === "toolCall") return true;
  return false;
};
