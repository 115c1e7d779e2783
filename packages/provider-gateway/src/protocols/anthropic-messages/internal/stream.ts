/**
 * The fold of a Messages response: events of a stream and whole bodies end in the same message.
 *
 * Owns the state of one response and its native blocks. Does not own bytes, framing or HTTP statuses.
 *
 * A native block is exact JSON text: of a whole body what stands there, of a stream what `GrowingItem` makes of the start
 * event and the deltas. `input` is its pieces joined and nothing else, and citations are the texts in which they came.
 */
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { FinishReason, ModelResponse } from "@cahier/domain/model/ModelResponse";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import * as Result from "effect/Result";
import { type Call, Draft } from "../../../internal/Draft.ts";
import { GrowingItem } from "../../../internal/GrowingItem.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import { isText } from "../../../internal/shape.ts";
import type { Problem } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import type * as wire from "./wire.ts";

export class MessagesFold {
  readonly #draft: Draft;
  readonly #blocks = new Map<number, OpenBlock>();
  #isStarted = false;
  #isDone = false;
  #stop: string | undefined;
  #usage: wire.Usage = {};

  constructor(binding: ModelBinding, onDelta: OnDelta) {
    this.#draft = new Draft(binding, onDelta);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  get isComplete(): boolean {
    return this.#isDone || this.#stop !== undefined;
  }

  /** Folds a checked event that came as `text`. */
  add(event: wire.Event, text: string): Problem | undefined {
    switch (event.type) {
      case "message_start":
        this.#begin(event.message);
        break;
      case "content_block_start":
        this.#openBlock(event.index, event.content_block, jsonText.memberOf(text, "content_block") ?? "{}");
        break;
      case "content_block_delta":
        return this.#grow(event.index, event.delta, text);
      case "content_block_stop":
        this.#closeBlock(event.index);
        break;
      case "message_delta":
        this.#addUsage(event.usage);
        if (isText(event.delta?.stop_reason)) this.#stop = event.delta.stop_reason;
        break;
      case "message_stop":
        this.#isDone = true;
        break;
    }
    return undefined;
  }

  /** Folds a checked whole response that came as `text`. */
  addWhole(message: wire.Message, text: string): undefined {
    this.#begin(message);
    if (isText(message.stop_reason)) this.#stop = message.stop_reason;
    const blocks = jsonText.elementsOf(jsonText.memberOf(text, "content") ?? "[]");
    for (const [index, block] of message.content.entries()) {
      this.#openBlock(index, block, blocks[index] ?? "{}");
      this.#closeBlock(index);
    }
    this.#isDone = true;
  }

  end(): Result.Result<ModelResponse, Problem> {
    if (!this.isComplete) {
      return Result.fail(
        this.#isStarted
          ? { _tag: "interrupted", detail: "the stream ended before its finish" }
          : { _tag: "invalid", detail: "the stream holds no event of a response" },
      );
    }
    if (!this.#isStarted) return Result.fail({ _tag: "invalid", detail: "the response has no message" });
    for (const index of this.#blocks.keys()) this.#closeBlock(index);
    const broken = this.#draft.brokenCall();
    if (broken !== undefined) return Result.fail({ _tag: "toolCall", detail: broken });
    return Result.succeed(this.#draft.response(this.#finishReason()));
  }

  partial(): ModelResponse | undefined {
    return this.#draft.partial();
  }

  #begin(message: wire.Message): void {
    this.#isStarted = true;
    if (isText(message.id)) this.#draft.id = message.id;
    if (isText(message.model)) this.#draft.model = message.model;
    this.#addUsage(message.usage);
  }

  #addUsage(usage: unknown): void {
    this.#usage = quirks.joinUsage(this.#usage, usage);
    this.#draft.usage = quirks.readUsage(this.#usage);
  }

  #openBlock(index: number, block: wire.Block, text: string): void {
    this.#isStarted = true;
    this.#closeBlock(index);
    const isCall = block.type === "tool_use";
    const call = isCall
      ? this.#draft.openCall(isText(block.id) ? block.id : "", isText(block.name) ? block.name : "")
      : undefined;
    this.#blocks.set(index, {
      item: new GrowingItem(block, text),
      input: jsonText.memberOf(text, "input") ?? "",
      call,
    });
    if (block.type === "thinking") this.#draft.breakReasoning();
    if (block.type === "text" && isText(block.text)) this.#draft.addText(block.text);
    if (block.type === "thinking" && isText(block.thinking)) this.#draft.addReasoning(block.thinking);
  }

  /** A delta of a kind that is unknown grows the members that it names. */
  #grow(index: number, delta: wire.Delta, text: string): Problem | undefined {
    const block = this.#blocks.get(index);
    if (block === undefined) return { _tag: "invalid", detail: "a delta is of no block", quote: text };
    for (const name in delta) {
      const value = delta[name];
      if (name === "type" || value === null) continue;
      if (delta.type === "citations_delta" && name === "citation") block.item.push("citations", rawMember(text, name));
      else if (typeof value !== "string") block.item.set(name, rawMember(text, name));
      else this.#growText(block, delta.type, name, value);
    }
    return undefined;
  }

  #growText({ call, item }: OpenBlock, type: string, name: string, piece: string): void {
    if (type === "input_json_delta" && name === "partial_json") {
      if (piece !== "") item.addJson("input", piece);
      if (call !== undefined) this.#draft.growCall(call, piece);
      return;
    }
    item.addText(name, piece);
    if (type === "text_delta" && name === "text") this.#draft.addText(piece);
    if (type === "thinking_delta" && name === "thinking") this.#draft.addReasoning(piece);
  }

  #closeBlock(index: number): void {
    const block = this.#blocks.get(index);
    if (block === undefined) return;
    this.#blocks.delete(index);
    this.#draft.addNative(block.item.json());
    if (block.call === undefined) return;
    if (block.call.arguments.isEmpty) this.#draft.growCall(block.call, block.input);
    this.#draft.closeCall(block.call);
  }

  #finishReason(): FinishReason {
    const known = this.#stop === undefined ? "stop" : (finishes[this.#stop] ?? "other");
    if (known === "stop" && this.#draft.calls.length > 0) return "toolCalls";
    return known === "toolCalls" && this.#draft.calls.length === 0 ? "stop" : known;
  }
}

/** `input` is the text of the input with which a call began. */
interface OpenBlock {
  readonly item: GrowingItem;
  readonly input: string;
  readonly call: Call | undefined;
}

const rawMember = (event: string, name: string): string =>
  jsonText.memberOf(jsonText.memberOf(event, "delta") ?? "{}", name) ?? "null";

const finishes: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "toolCalls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
};
