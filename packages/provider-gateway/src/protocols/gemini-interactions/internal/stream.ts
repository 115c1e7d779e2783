/**
 * The fold of an interaction: events of a stream and whole bodies end in the same message.
 *
 * Owns the state of one response and its native steps. Does not own bytes, framing or HTTP statuses.
 *
 * A native step is exact JSON text: of a whole body what stands there, of a stream what `GrowingItem` makes of the start
 * event and the deltas. Text that came in pieces is one content of its step; summaries of thoughts and media are listed
 * as they came.
 */
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { FinishReason, ModelResponse } from "@cahier/domain/model/ModelResponse";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import * as Result from "effect/Result";
import { type Call, Draft } from "../../../internal/Draft.ts";
import { GrowingItem } from "../../../internal/GrowingItem.ts";
import { GrowingText } from "../../../internal/GrowingText.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import { isText } from "../../../internal/shape.ts";
import type { Problem } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import type * as wire from "./wire.ts";

export class InteractionFold {
  readonly #draft: Draft;
  readonly #steps = new Map<number, OpenStep>();
  #isStarted = false;
  #isDone = false;
  #status: unknown;

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
  add(event: wire.Event, text: string): Problem | undefined {
    const index = event.index ?? 0;
    if (event.interaction) this.#begin(event.interaction);
    switch (event.event_type) {
      case "step.start":
        if (event.step) this.#open(index, event.step, jsonText.memberOf(text, "step") ?? "{}");
        return undefined;
      case "step.delta":
        return event.delta ? this.#grow(index, event.delta, text) : undefined;
      case "step.stop":
        this.#close(index);
        return undefined;
      case "interaction.completed":
        this.#isDone = true;
        return undefined;
      default:
        return undefined;
    }
  }

  /** Folds a checked whole interaction that came as `text`. */
  addWhole(interaction: wire.Interaction, text: string): Problem | undefined {
    if (!interaction.steps) return { _tag: "invalid", detail: "the interaction has no steps", quote: text };
    this.#begin(interaction);
    const texts = jsonText.elementsOf(jsonText.memberOf(text, "steps") ?? "[]");
    for (const [index, step] of interaction.steps.entries()) {
      if (quirks.isEcho(step)) continue;
      this.#open(index, step, texts[index] ?? "{}");
      this.#close(index);
    }
    this.#isDone = true;
    return undefined;
  }

  end(): Result.Result<ModelResponse, Problem> {
    if (!this.#isDone) {
      return Result.fail(
        this.#isStarted
          ? { _tag: "interrupted", detail: "the stream ended before its finish" }
          : { _tag: "invalid", detail: "the stream holds no event of an interaction" },
      );
    }
    for (const index of this.#steps.keys()) this.#close(index);
    const broken = this.#draft.brokenCall();
    if (broken !== undefined) return Result.fail({ _tag: "toolCall", detail: broken });
    return Result.succeed(this.#draft.response(this.#finishReason()));
  }

  partial(): ModelResponse | undefined {
    return this.#draft.partial();
  }

  #begin(interaction: wire.Interaction): void {
    this.#isStarted = true;
    if (isText(interaction.id)) this.#draft.id = interaction.id;
    if (isText(interaction.model)) this.#draft.model = interaction.model;
    if (isText(interaction.status)) this.#status = interaction.status;
    if (interaction.usage) this.#draft.usage = quirks.readUsage(interaction.usage) ?? this.#draft.usage;
  }

  #open(index: number, step: wire.Step, text: string): void {
    this.#isStarted = true;
    this.#close(index);
    const isCall = step.type === "function_call";
    const [id, name] = [isText(step.id) ? step.id : "", isText(step.name) ? step.name : ""];
    this.#steps.set(index, {
      item: new GrowingItem(step, text),
      started: text,
      content: [],
      call: isCall ? this.#draft.openCall(id, name) : undefined,
    });
    if (step.type === "thought") this.#draft.breakReasoning();
    if (step.type === "model_output") for (const said of quirks.textsOf(step.content)) this.#draft.addText(said);
    if (step.type === "thought") for (const thought of quirks.textsOf(step.summary)) this.#think(thought);
  }

  /** A delta of a kind that is unknown grows the members that it names. */
  #grow(index: number, delta: wire.Delta, text: string): Problem | undefined {
    const step = this.#steps.get(index);
    if (step === undefined) return { _tag: "invalid", detail: "a delta is of no step", quote: text };
    // Most deltas are text, and nothing needs to be cut out of those.
    if (delta.type === "text") {
      this.#addText(step, delta["text"]);
      return undefined;
    }
    const raw = jsonText.memberOf(text, "delta") ?? "{}";
    switch (delta.type) {
      case "text_annotation_delta":
        annotate(step, jsonText.elementsOf(jsonText.memberOf(raw, "annotations") ?? "[]"));
        return undefined;
      case "image":
      case "audio":
      case "video":
      case "document":
        step.content.push({ kind: "whole", text: raw });
        return undefined;
      case "thought_summary": {
        step.item.push("summary", jsonText.memberOf(raw, "content") ?? "{}");
        for (const thought of quirks.textsOf([delta["content"]])) this.#think(thought);
        return undefined;
      }
      case "arguments_delta":
        this.#addArguments(step, delta["arguments"]);
        return undefined;
      default:
        for (const [name, value] of Object.entries(delta)) {
          if (name === "type") continue;
          if (typeof value === "string") step.item.addText(name, value);
          else step.item.set(name, jsonText.memberOf(raw, name) ?? "null");
        }
        return undefined;
    }
  }

  #think(text: string): void {
    this.#draft.addReasoning(text);
    this.#draft.breakReasoning();
  }

  #addText({ content }: OpenStep, piece: unknown): void {
    if (!isText(piece)) return;
    this.#draft.addText(piece);
    const last = content.at(-1);
    if (last?.kind === "text") last.text.add(piece);
    else content.push({ kind: "text", text: new GrowingText(piece), annotations: [] });
  }

  #addArguments({ call, item }: OpenStep, piece: unknown): void {
    if (!isText(piece)) return;
    item.addJson("arguments", piece);
    if (call !== undefined) this.#draft.growCall(call, piece);
  }

  #close(index: number): void {
    const step = this.#steps.get(index);
    if (step === undefined) return;
    this.#steps.delete(index);
    for (const content of step.content) step.item.push("content", contentJson(content));
    this.#draft.addNative(step.item.json());
    if (step.call === undefined) return;
    if (step.call.arguments.isEmpty)
      this.#draft.growCall(step.call, jsonText.memberOf(step.started, "arguments") ?? "");
    this.#draft.closeCall(step.call);
  }

  #finishReason(): FinishReason {
    if (this.#draft.calls.length > 0) return this.#status === "incomplete" ? "length" : "toolCalls";
    return finishes[String(this.#status)] ?? "other";
  }
}

/** A step while it arrives; `content` is what has come by deltas. */
interface OpenStep {
  readonly item: GrowingItem;
  readonly started: string;
  readonly content: Array<Content>;
  readonly call: Call | undefined;
}

type Content =
  | { readonly kind: "text"; readonly text: GrowingText; readonly annotations: Array<string> }
  | { readonly kind: "whole"; readonly text: string };

const annotate = ({ content }: OpenStep, annotations: ReadonlyArray<string>): void => {
  const last = content.at(-1);
  if (last?.kind === "text") last.annotations.push(...annotations);
};

const contentJson = (content: Content): string => {
  if (content.kind === "whole") return content.text;
  const text = JSON.stringify({ type: "text", text: content.text.text() });
  return content.annotations.length === 0
    ? text
    : `${text.slice(0, -1)},"annotations":[${content.annotations.join(",")}]}`;
};

const finishes: Readonly<Record<string, FinishReason>> = {
  completed: "stop",
  requires_action: "stop",
  incomplete: "length",
};
