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
  readonly length: number;
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
  let history: History<Writer> | undefined;
  let last: ModelRequest | undefined;
  return {
    grown: (request) => {
      // A change may come again, and is then said again.
      if (last !== undefined) losses.push(...prefixChanges.between(last, request, history?.ends ?? []));
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
  /** Where each message ends in the body. */
  readonly ends: Array<number> = [];
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
    for (const message of messages.slice(this.#seen.length)) {
      const open = pairing.follow(this.#open, message);
      if (Result.isFailure(open)) return { _tag: "pairing", detail: open.failure };
      const problem = this.writer.add(message, this.#seen.length);
      if (problem !== undefined) return { ...problem, detail: `message ${this.#seen.length}: ${problem.detail}` };
      this.#open = open.success;
      this.#seen.push(message);
      this.ends.push(this.writer.length);
    }
    const closed = pairing.requireClosed(this.#open);
    return Result.isFailure(closed) ? { _tag: "pairing", detail: closed.failure } : undefined;
  }
}
