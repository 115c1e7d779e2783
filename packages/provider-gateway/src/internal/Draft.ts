/**
 * The canonical message of one response while it arrives, and its deltas.
 *
 * Owns the order of the parts (text, reasoning, native items, tool calls), blank text at the beginning, and what makes a
 * tool call unusable. Does not own what any wire calls these things.
 */
import { CallId } from "@cahier/domain/identity/Identity";
import type { Part } from "@cahier/domain/model/Message";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { FinishReason, ModelResponse, Usage } from "@cahier/domain/model/ModelResponse";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import { GrowingText } from "./GrowingText.ts";

/** A tool call of the message. `arguments` is the raw text so far. */
export interface Call {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: GrowingText;
  isClosed: boolean;
}

export class Draft {
  readonly #binding: ModelBinding;
  readonly #onDelta: OnDelta;
  readonly #natives: Array<string> = [];
  readonly #calls: Array<Call> = [];
  readonly #warnings: Array<string> = [];
  readonly #text = new GrowingText();
  /** Blank text at the beginning, held back: blank text alone is no part of a message. */
  #blank = "";
  readonly #reasoning = new GrowingText();
  #isReasoningBroken = false;
  id: string | undefined;
  model: string | undefined;
  usage: Usage | undefined;

  constructor(binding: ModelBinding, onDelta: OnDelta) {
    this.#binding = binding;
    this.#onDelta = onDelta;
  }

  get calls(): ReadonlyArray<Call> {
    return this.#calls;
  }

  addText(piece: string): void {
    if (piece === "") return;
    if (this.#text.isEmpty && piece.trim() === "") {
      this.#blank += piece;
      return;
    }
    const text = this.#blank + piece;
    this.#blank = "";
    this.#text.add(text);
    this.#onDelta({ type: "text", text });
  }

  addReasoning(piece: string): void {
    if (piece === "") return;
    const text = this.#isReasoningBroken && !this.#reasoning.isEmpty ? `\n\n${piece}` : piece;
    this.#isReasoningBroken = false;
    this.#reasoning.add(text);
    this.#onDelta({ type: "reasoning", text });
  }

  /** What is thought next begins after a blank line. */
  breakReasoning(): void {
    this.#isReasoningBroken = true;
  }

  openCall(id: string, name: string): Call {
    const call = { index: this.#calls.length, id, name, arguments: new GrowingText(), isClosed: false };
    this.#calls.push(call);
    this.#onDelta({ type: "toolCallStart", index: call.index, callId: id === "" ? null : CallId.make(id), name });
    return call;
  }

  growCall(call: Call, piece: string): void {
    if (piece === "") return;
    call.arguments.add(piece);
    this.#onDelta({ type: "toolCallDelta", index: call.index, text: piece });
  }

  closeCall(call: Call): void {
    if (call.isClosed) return;
    call.isClosed = true;
    this.#onDelta({ type: "toolCallEnd", index: call.index });
  }

  /** Keeps an item as the text in which it came. */
  addNative(json: string): void {
    this.#natives.push(json);
  }

  warn(sentence: string): void {
    this.#warnings.push(sentence);
  }

  /** Why results could not be paired with the calls; undefined where they can. */
  brokenCall(): string | undefined {
    const ids = new Set<string>();
    for (const { id, index, name } of this.#calls) {
      if (name === "") return `tool call ${index} has no name`;
      if (id === "") return `tool call ${index} (${name}) has no id`;
      if (ids.has(id)) return `tool call ${index} (${name}) has the id of another`;
      ids.add(id);
    }
    return undefined;
  }

  /** The whole response. */
  response(finish: FinishReason): ModelResponse {
    for (const call of this.#calls) this.closeCall(call);
    return this.#build(this.#calls, this.#natives, finish);
  }

  /**
   * What has arrived, undefined while that is nothing. Without native items: the last one may be a part, and a message
   * is replayed by its items alone.
   */
  partial(): ModelResponse | undefined {
    const calls = this.#calls.filter(({ id, name }) => id !== "" && name !== "");
    if (this.#text.isEmpty && this.#reasoning.isEmpty && calls.length === 0) return undefined;
    return this.#build(calls, [], "other");
  }

  #build(calls: ReadonlyArray<Call>, natives: ReadonlyArray<string>, finish: FinishReason): ModelResponse {
    const { format, modelId, source } = this.#binding;
    const parts: Array<Part> = [];
    if (!this.#text.isEmpty) parts.push({ type: "text", text: this.#text.text() });
    if (!this.#reasoning.isEmpty) parts.push({ type: "reasoning", text: this.#reasoning.text() });
    for (const json of natives) parts.push({ type: "native", format, source, model: modelId, json });
    for (const { id, name, ...call } of calls) {
      parts.push({ type: "toolCall", callId: CallId.make(id), name, arguments: call.arguments.text() });
    }
    return {
      message: { role: "assistant", parts },
      finish,
      model: this.model ?? modelId,
      ...(this.id === undefined ? {} : { responseId: this.id }),
      ...(this.usage === undefined ? {} : { usage: this.usage }),
      ...(this.#warnings.length === 0 ? {} : { warnings: [...this.#warnings] }),
    };
  }
}
