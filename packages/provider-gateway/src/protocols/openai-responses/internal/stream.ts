/**
 * The fold of a response of the Responses protocol: events of a stream and whole bodies end in the same message.
 *
 * Owns the state of one response and its native items. Does not own bytes, framing or HTTP statuses.
 *
 * A native item is the exact text of an output item as it stood in the event that said it was done, in the order of the
 * output. An item of which no such event came is taken from the whole response that ends the stream.
 */
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { FinishReason, ModelResponse } from "@cahier/domain/model/ModelResponse";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import * as Result from "effect/Result";
import { Draft } from "../../../internal/Draft.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import { isText } from "../../../internal/shape.ts";
import type { Problem } from "../../../Route.ts";
import { type OpenItem, OutputItems } from "./OutputItems.ts";
import * as quirks from "./quirks.ts";
import type * as wire from "./wire.ts";

export class ResponseFold {
  readonly #draft: Draft;
  readonly #items = new OutputItems();
  #isStarted = false;
  #isDone = false;
  #isRefused = false;
  #finish: FinishReason = "stop";

  constructor(binding: ModelBinding, onDelta: OnDelta) {
    this.#draft = new Draft(binding, onDelta);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  get isComplete(): boolean {
    return this.#isDone;
  }

  /** Folds a checked event that came as `text`. */
  add(event: wire.Event, text: string): undefined {
    const delta = typeof event.delta === "string" ? event.delta : "";
    if (event.response) this.#begin(event.response);
    switch (event.type) {
      case "response.output_item.added":
        if (event.item) this.#open(this.#items.at(event, event.item.type), event.item);
        return;
      case "response.output_text.delta":
        this.#say(this.#items.at(event, "message"), delta);
        return;
      case "response.refusal.delta":
        this.#isRefused = true;
        this.#say(this.#items.at(event, "message"), delta);
        return;
      case "response.reasoning_summary_part.added":
      case "response.reasoning_part.added":
        this.#draft.breakReasoning();
        return;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.#items.at(event, "reasoning").hasReasoned = true;
        this.#draft.addReasoning(delta);
        return;
      case "response.function_call_arguments.delta": {
        const { call } = this.#items.at(event, "function_call");
        if (call !== undefined) this.#draft.growCall(call, delta);
        return;
      }
      case "response.output_item.done":
        if (event.item) {
          this.#close(this.#items.at(event, event.item.type), event.item, jsonText.memberOf(text, "item") ?? "{}");
        }
        return;
      default:
        if (quirks.isEnd(event)) {
          this.#complete(quirks.endedBy(event), jsonText.memberOf(text, "response") ?? "{}");
        }
        return;
    }
  }

  /** Folds a checked whole response that came as `text`. */
  addWhole(response: wire.Response, text: string): Problem | undefined {
    if (!response.output) return { _tag: "invalid", detail: "the response has no output", quote: text };
    this.#begin(response);
    this.#complete(response, text);
    return undefined;
  }

  end(): Result.Result<ModelResponse, Problem> {
    if (!this.#isDone) {
      return Result.fail(
        this.#isStarted
          ? { _tag: "interrupted", detail: "the stream ended before its finish" }
          : { _tag: "invalid", detail: "the stream holds no event of a response" },
      );
    }
    for (const native of this.#items.natives()) this.#draft.addNative(native);
    const broken = this.#draft.brokenCall();
    if (broken !== undefined) return Result.fail({ _tag: "toolCall", detail: broken });
    return Result.succeed(this.#draft.response(this.#finishReason()));
  }

  partial(): ModelResponse | undefined {
    return this.#draft.partial();
  }

  #begin(response: wire.Response): void {
    this.#isStarted = true;
    if (isText(response.id)) this.#draft.id = response.id;
    if (isText(response.model)) this.#draft.model = response.model;
    if (response.usage) this.#draft.usage = quirks.readUsage(response.usage) ?? this.#draft.usage;
  }

  #complete(response: wire.Response, text: string): void {
    const output = response.output ?? [];
    const texts = output.length === 0 ? [] : jsonText.elementsOf(jsonText.memberOf(text, "output") ?? "[]");
    const opened = output.length === 0 ? [] : this.#items.matched(output);
    for (const [index, item] of output.entries()) {
      const open = opened[index];
      if (open?.native === undefined && open !== undefined) this.#close(open, item, texts[index] ?? "{}");
    }
    this.#finish = quirks.finishOf(response);
    this.#isDone = true;
  }

  #open(open: OpenItem, item: wire.Item): void {
    if (item.type === "reasoning") this.#draft.breakReasoning();
    if (item.type !== "function_call" || open.call !== undefined) return;
    open.call = this.#draft.openCall(isText(item.call_id) ? item.call_id : "", isText(item.name) ? item.name : "");
  }

  #say(open: OpenItem, text: string): void {
    open.said.add(text);
    this.#draft.addText(text);
  }

  /** The item is whole: what its deltas have not told is told now. */
  #close(open: OpenItem, item: wire.Item, text: string): void {
    this.#isStarted = true;
    this.#open(open, item);
    open.native = text;
    if (item.type === "message") {
      const said = quirks.readMessage(item);
      if (said.isRefusal) this.#isRefused = true;
      const told = open.said.text();
      if (said.text.startsWith(told)) this.#say(open, said.text.slice(told.length));
    }
    if (item.type === "reasoning" && !open.hasReasoned) {
      for (const thought of quirks.readReasoning(item)) {
        this.#draft.addReasoning(thought);
        this.#draft.breakReasoning();
      }
    }
    if (open.call === undefined) return;
    if (open.call.arguments.isEmpty) this.#draft.growCall(open.call, quirks.argumentText(item));
    this.#draft.closeCall(open.call);
  }

  #finishReason(): FinishReason {
    if (this.#isRefused) return "refusal";
    return this.#finish === "stop" && this.#draft.calls.length > 0 ? "toolCalls" : this.#finish;
  }
}
