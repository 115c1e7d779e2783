/**
 * The fold of a generateContent response: chunks of a stream and whole bodies go through the same steps.
 *
 * Owns the state of one response and its native parts. Does not own bytes, framing or HTTP statuses.
 *
 * A native part is exact JSON text as it came. Text comes in many chunks: a run of parts that are text and nothing else,
 * and all thoughts or all not, is one native part, the first of them with the joined text in its place. A part with a
 * signature, or with anything else, is never joined to another: the signature belongs where it came.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { FinishReason, ModelResponse } from "@cahier/domain/model/ModelResponse";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import * as Result from "effect/Result";
import { Draft } from "../../../internal/Draft.ts";
import { GrowingText } from "../../../internal/GrowingText.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import { isText } from "../../../internal/shape.ts";
import type { Problem } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import type * as wire from "./wire.ts";

export class ContentFold {
  readonly #draft: Draft;
  readonly #position: number;
  /** The run of plain text that may go on. */
  #run:
    | { readonly first: string; readonly isThought: boolean; readonly text: GrowingText; isGrown: boolean }
    | undefined;
  #sawCandidate = false;
  #isDone = false;
  #finish: string | undefined;
  #isBlocked = false;
  /** Each chunk has the counts so far, and only the last ones are read. */
  #usage: unknown;

  constructor(request: ModelRequest, onDelta: OnDelta) {
    this.#draft = new Draft(request.binding, onDelta);
    this.#position = request.position;
  }

  /** The whole body has come. */
  markDone(): void {
    this.#isDone = true;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  get isComplete(): boolean {
    return this.#isDone || this.#isBlocked || this.#finish !== undefined;
  }

  /** Folds a checked chunk that came as `text`. The first candidate is the answer; others are ignored. */
  add(response: wire.Response, text: string): undefined {
    if (isText(response.responseId)) this.#draft.id ??= response.responseId;
    if (isText(response.modelVersion)) this.#draft.model ??= response.modelVersion;
    if (response.usageMetadata) this.#usage = response.usageMetadata;
    if (isText(response.promptFeedback?.blockReason)) this.#isBlocked = true;
    const place = (response.candidates ?? []).findIndex((candidate) => (candidate.index ?? 0) === 0);
    const candidate = response.candidates?.[place];
    if (candidate === undefined) return;
    this.#sawCandidate = true;
    this.#addParts(candidate.content?.parts ?? [], () => partsOf(text, place));
    if (isText(candidate.finishReason)) this.#finish = candidate.finishReason;
  }

  end(): Result.Result<ModelResponse, Problem> {
    if (!this.isComplete) {
      return Result.fail(
        this.#sawCandidate
          ? { _tag: "interrupted", detail: "the stream ended before its finish" }
          : { _tag: "invalid", detail: "the stream holds no part of a response" },
      );
    }
    if (!this.#sawCandidate && !this.#isBlocked) {
      return Result.fail({ _tag: "invalid", detail: "the response has no candidate" });
    }
    this.#endRun();
    this.#draft.usage = quirks.readUsage(this.#usage);
    const broken = this.#draft.brokenCall();
    if (broken !== undefined) return Result.fail({ _tag: "toolCall", detail: broken });
    return Result.succeed(this.#draft.response(this.#finishReason()));
  }

  partial(): ModelResponse | undefined {
    this.#draft.usage = quirks.readUsage(this.#usage);
    return this.#draft.partial();
  }

  /** `texts` cuts the parts out of the chunk, which most chunks do not need. */
  #addParts(parts: ReadonlyArray<wire.Part>, texts: () => ReadonlyArray<string>): void {
    for (const [index, part] of parts.entries()) {
      if (quirks.isPlainText(part) && typeof part.text === "string") {
        this.#addText(part.text, part.thought === true, () => texts()[index] ?? "{}");
        continue;
      }
      this.#endRun();
      const text = texts()[index] ?? "{}";
      this.#draft.addNative(text);
      if (part.functionCall) this.#addCall(part.functionCall, text);
      if (typeof part.text === "string") this.#show(part.text, part.thought === true);
    }
  }

  #addText(text: string, isThought: boolean, whole: () => string): void {
    if (this.#run?.isThought === isThought) {
      this.#run.text.add(text);
      this.#run.isGrown = true;
    } else {
      this.#endRun();
      if (isThought) this.#draft.breakReasoning();
      this.#run = { first: whole(), isThought, text: new GrowingText(text), isGrown: false };
    }
    this.#show(text, isThought);
  }

  #endRun(): void {
    if (this.#run === undefined) return;
    const { first, isGrown, text } = this.#run;
    this.#run = undefined;
    this.#draft.addNative(
      isGrown ? jsonText.withMembers(first, new Map([["text", JSON.stringify(text.text())]])) : first,
    );
  }

  #show(text: string, isThought: boolean): void {
    if (isThought) this.#draft.addReasoning(text);
    else this.#draft.addText(text);
  }

  #addCall(called: NonNullable<wire.Part["functionCall"]>, text: string): void {
    const id = isText(called.id) ? called.id : quirks.ownCallId(this.#position, this.#draft.calls.length);
    const call = this.#draft.openCall(id, isText(called.name) ? called.name : "");
    const raw = jsonText.memberOf(jsonText.memberOf(text, "functionCall") ?? "{}", "args");
    this.#draft.growCall(call, raw ?? "{}");
    this.#draft.closeCall(call);
  }

  #finishReason(): FinishReason {
    if (this.#finish === undefined) return this.#isBlocked ? "refusal" : "other";
    const known = finishes[this.#finish] ?? "other";
    return known === "stop" && this.#draft.calls.length > 0 ? "toolCalls" : known;
  }
}

const partsOf = (chunk: string, candidate: number): ReadonlyArray<string> => {
  const text = jsonText.elementsOf(jsonText.memberOf(chunk, "candidates") ?? "[]")[candidate] ?? "{}";
  return jsonText.elementsOf(jsonText.memberOf(jsonText.memberOf(text, "content") ?? "{}", "parts") ?? "[]");
};

const finishes: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  // Imitators say so of calls.
  FUNCTION_CALL: "stop",
  MAX_TOKENS: "length",
  SAFETY: "refusal",
  RECITATION: "refusal",
  LANGUAGE: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal",
  IMAGE_SAFETY: "refusal",
  IMAGE_PROHIBITED_CONTENT: "refusal",
  IMAGE_RECITATION: "refusal",
};
