/**
 * The fold of a Chat Completions response: chunks of a stream and whole bodies go through the same steps.
 *
 * Owns the state of one response, the order of its parts (text, reasoning, native, tool calls) and its deltas. Does not own
 * bytes, framing or HTTP statuses.
 */
import { CallId } from "@cahier/domain/identity/Identity";
import type { Part } from "@cahier/domain/model/Message";
import type { ModelBinding, ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { FinishReason, ModelResponse, Usage } from "@cahier/domain/model/ModelResponse";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import * as Result from "effect/Result";
import { GrowingText } from "../../../internal/GrowingText.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import type { Problem } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import { Details } from "./reasoningDetails.ts";
import type * as wire from "./wire.ts";

export class ChatFold {
  readonly #onDelta: OnDelta;
  readonly #binding: ModelBinding;
  readonly #position: number;
  readonly #calls: Array<quirks.CallSlot> = [];
  readonly #text = new GrowingText();
  /** Blank text at the beginning, held back: blank text alone is no part of a message. */
  #blank = "";
  readonly #reasoning = new GrowingText();
  readonly #details = new Details();
  #refused = false;
  #sawChoice = false;
  #finish: string | undefined;
  #done = false;
  #id: string | undefined;
  #model: string | undefined;
  #usage: Usage | undefined;

  constructor({ binding, position }: ModelRequest, onDelta: OnDelta) {
    this.#binding = binding;
    this.#position = position;
    this.#onDelta = onDelta;
  }

  /** The stream's own end mark has come, or the whole body. */
  markDone(): void {
    this.#done = true;
  }

  get isDone(): boolean {
    return this.#done;
  }

  get isComplete(): boolean {
    return this.#done || this.#finish !== undefined;
  }

  /** Folds a checked chunk, or a whole body, that came as `text`. The first choice is the answer; others are ignored. */
  add(completion: wire.Completion, text: string, isWhole = false): Problem | undefined {
    if (typeof completion.id === "string" && completion.id !== "") this.#id ??= completion.id;
    if (typeof completion.model === "string" && completion.model !== "") this.#model ??= completion.model;
    if (completion.usage) this.#usage = quirks.readUsage(completion.usage) ?? this.#usage;
    const place = completion.choices?.findIndex((candidate) => (candidate.index ?? 0) === 0) ?? -1;
    const choice = completion.choices?.[place];
    if (choice === undefined) return undefined;
    this.#sawChoice = true;
    const content = choice.delta ?? choice.message;
    if (content) this.#addContent(content, isWhole);
    if (content?.reasoning_details) {
      this.#details.add(content.reasoning_details, () => detailsOf(text, place, choice.delta ? "delta" : "message"));
    }
    if (typeof choice.finish_reason !== "string" || choice.finish_reason === "") return undefined;
    this.#finish = choice.finish_reason;
    if (choice.finish_reason !== "error") return undefined;
    return { _tag: "error", status: 500, body: "the stream ended with finish_reason error" };
  }

  end(): Result.Result<ModelResponse, Problem> {
    if (!this.isComplete) return Result.fail(this.#unfinished());
    if (!this.#sawChoice) return invalid("the response has no choice");
    if (this.#binding.syntheticToolCallIds === true) this.#nameCalls();
    const broken = this.#brokenCall();
    if (broken !== undefined) return Result.fail({ _tag: "toolCall", detail: broken });
    for (const slot of this.#calls) {
      this.#start(slot);
      this.#onDelta({ type: "toolCallEnd", index: slot.index });
    }
    return Result.succeed(this.#response(this.#calls, this.#finishReason()));
  }

  /** The text, the reasoning and the calls that have a name and an id; undefined while there is nothing. */
  partial(): ModelResponse | undefined {
    const calls = this.#calls.filter((slot) => slot.id !== "" && slot.name !== "");
    if (this.#text.isEmpty && this.#reasoning.isEmpty && calls.length === 0) return undefined;
    return this.#response(calls, "other");
  }

  #addContent(content: wire.Content, isWhole: boolean): void {
    const read = quirks.readContent(content.content);
    const reasoning = quirks.readReasoning(content) + read.reasoning;
    if (reasoning !== "") {
      this.#reasoning.add(reasoning);
      this.#onDelta({ type: "reasoning", text: reasoning });
    }
    if (read.text !== "") this.#addText(read.text);
    if (typeof content.refusal === "string" && content.refusal !== "") {
      this.#refused = true;
      this.#addText(content.refusal);
    }
    if (content.tool_calls) for (const piece of content.tool_calls) this.#addCall(piece, isWhole);
    if (content.function_call) this.#addLegacyCall(content.function_call);
  }

  #addText(piece: string): void {
    if (this.#text.isEmpty && piece.trim() === "") {
      this.#blank += piece;
      return;
    }
    const text = this.#blank + piece;
    this.#blank = "";
    this.#text.add(text);
    this.#onDelta({ type: "text", text });
  }

  /** A whole message has each call once; of a stream several pieces may be of one call. */
  #addCall(piece: wire.ToolCall, isWhole: boolean): void {
    const known = isWhole ? undefined : quirks.slotOf(this.#calls, piece);
    const slot = known ?? this.#open(piece.index ?? undefined);
    if (piece.id) slot.id = piece.id;
    if (piece.function?.name) slot.name = quirks.joinName(slot.name, piece.function.name);
    const text = quirks.argumentText(piece);
    if (slot.started && text !== "") this.#onDelta({ type: "toolCallDelta", index: slot.index, text });
    slot.text.add(text);
    if (slot.name !== "") this.#start(slot);
  }

  /** The form before tool calls has no id, so it can never be answered. */
  #addLegacyCall(call: unknown): void {
    if (this.#calls.length > 0 || typeof call !== "object") return;
    this.#open(undefined).name = "function_call";
  }

  #open(wireIndex: number | undefined): quirks.CallSlot {
    const slot = { index: this.#calls.length, wireIndex, id: "", name: "", text: new GrowingText(), started: false };
    this.#calls.push(slot);
    return slot;
  }

  #start(slot: quirks.CallSlot): void {
    if (slot.started) return;
    slot.started = true;
    const callId = slot.id === "" ? null : CallId.make(slot.id);
    this.#onDelta({ type: "toolCallStart", index: slot.index, callId, name: slot.name });
    if (slot.text.isEmpty) return;
    this.#onDelta({ type: "toolCallDelta", index: slot.index, text: slot.text.text() });
  }

  /** The same answer gets the same ids again, and no other answer of the session gets them. */
  #nameCalls(): void {
    for (const slot of this.#calls) if (slot.id === "") slot.id = `call_${this.#position}_${slot.index}`;
  }

  #brokenCall(): string | undefined {
    const ids = new Set<string>();
    for (const slot of this.#calls) {
      if (slot.name === "") return `tool call ${slot.index} has no name`;
      if (slot.id === "") return `tool call ${slot.index} (${slot.name}) has no id`;
      if (ids.has(slot.id)) return `tool call ${slot.index} (${slot.name}) has the id of another`;
      ids.add(slot.id);
    }
    return undefined;
  }

  #unfinished(): Problem {
    return this.#sawChoice
      ? { _tag: "interrupted", detail: "the stream ended before its finish" }
      : { _tag: "invalid", detail: "the stream holds no chunk of a response" };
  }

  #finishReason(): FinishReason {
    const known = this.#finish === undefined ? "stop" : (finishes[this.#finish.toLowerCase()] ?? "other");
    if (this.#refused) return "refusal";
    if (known === "stop" && this.#calls.length > 0) return "toolCalls";
    return known === "toolCalls" && this.#calls.length === 0 ? "stop" : known;
  }

  #native(json: string): Part {
    const { source, format, modelId } = this.#binding;
    return { type: "native", format, source, model: modelId, json };
  }

  #response(calls: ReadonlyArray<quirks.CallSlot>, finish: FinishReason): ModelResponse {
    const parts: Array<Part> = [];
    if (!this.#text.isEmpty) parts.push({ type: "text", text: this.#text.text() });
    if (!this.#reasoning.isEmpty) parts.push({ type: "reasoning", text: this.#reasoning.text() });
    for (const detail of this.#details.json()) parts.push(this.#native(detail));
    for (const slot of calls) {
      parts.push({ type: "toolCall", callId: CallId.make(slot.id), name: slot.name, arguments: slot.text.text() });
    }
    return {
      message: { role: "assistant", parts },
      finish,
      model: this.#model ?? this.#binding.modelId,
      ...(this.#id === undefined ? {} : { responseId: this.#id }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
  }
}

const detailsOf = (completion: string, choice: number, content: "delta" | "message"): ReadonlyArray<string> => {
  const text = jsonText.elementsOf(jsonText.memberOf(completion, "choices") ?? "[]")[choice] ?? "{}";
  const details = jsonText.memberOf(jsonText.memberOf(text, content) ?? "{}", "reasoning_details");
  return jsonText.elementsOf(details ?? "[]");
};

const invalid = (detail: string): Result.Result<never, Problem> => Result.fail({ _tag: "invalid", detail });

const finishes: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  tool_calls: "toolCalls",
  tool_use: "toolCalls",
  function_call: "toolCalls",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "refusal",
  refusal: "refusal",
};
