/**
 * Reads one HTTP response for a protocol: tells apart an error status, an event stream, one JSON body and a page of
 * HTML by what the body is, not by what its content type claims.
 *
 * Owns bytes, characters and where the response ends. Does not own the meaning of events, nor faults: it ends in a
 * response or a problem.
 */
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import * as Result from "effect/Result";
import type { Decoder, Framer, Framing, Problem } from "../Route.ts";
import type { Demand, ResponseHead, ResponseReader } from "../transport/Transport.ts";

/** What came of a response: `status` and `headers` are those of HTTP; `problem` as `Problem`, or an error status. */
export interface Failure {
  readonly head: ResponseHead;
  readonly problem: Problem | { readonly _tag: "status" };
  /** The body or its beginning. */
  readonly body: string;
}

/** One response. The members of `ResponseReader` are for the transport, then `end` is called once. */
export class Reply implements ResponseReader {
  readonly #decoder: Decoder;
  readonly #framer: Framer;
  readonly #characters = new TextDecoder();
  #head: ResponseHead | undefined;
  #mode: "unknown" | "error" | "stream" | "whole" = "unknown";
  /** The whole body, or of a stream the beginning. */
  readonly #pieces: Array<string> = [];
  #kept = 0;
  #problem: Problem | undefined;

  constructor(decoder: Decoder, framing: Framing) {
    this.#decoder = decoder;
    this.#framer = framing((data, name) => {
      this.#problem ??= decoder.event(data, name);
    });
  }

  get hasHead(): boolean {
    return this.#head !== undefined;
  }

  readonly head = (head: ResponseHead): void => {
    this.#head = head;
    if (head.status < 200 || head.status > 299) this.#mode = "error";
  };

  readonly chunk = (bytes: Uint8Array): Demand => {
    const text = this.#characters.decode(bytes, { stream: true });
    if (this.#mode === "unknown") this.#mode = modeOf(text);
    if (this.#mode === "stream") return this.#stream(text);
    this.#keep(text);
    if (this.#mode === "error") return this.#kept < errorLimit ? "more" : "stop";
    if (this.#kept <= bodyLimit) return "more";
    this.#problem = { _tag: "invalid", detail: "the body is longer than this gateway accepts" };
    return "stop";
  };

  /** Closes the response. `interrupted` says that the transport lost it. */
  end(interrupted: boolean): Result.Result<ModelResponse, Failure> {
    const head = this.#head ?? { status: 0, headers: {} };
    if (this.#mode === "error") return this.#fail(head, { _tag: "status" });
    if (this.#mode === "unknown") return this.#fail(head, this.#lost(interrupted, "the body is empty"));
    if (this.#problem !== undefined) return this.#fail(head, this.#problem);
    const last = this.#mode === "stream" ? this.#lastEvent() : this.#wholeBody(interrupted);
    if (last !== undefined && !this.#decoder.isComplete()) return this.#fail(head, last);
    if (interrupted && !this.#decoder.isComplete()) return this.#fail(head, this.#lost(true, ""));
    const ended = this.#decoder.end();
    return Result.isSuccess(ended) ? Result.succeed(ended.success) : this.#fail(head, ended.failure);
  }

  #stream(text: string): Demand {
    if (this.#kept < previewLimit) this.#keep(text);
    const tooLong = this.#framer.feed(text);
    if (tooLong !== undefined) this.#problem ??= { _tag: "invalid", detail: tooLong };
    if (this.#problem !== undefined) return "stop";
    return this.#decoder.isFinished() ? "finished" : "more";
  }

  /** A stream that stops within an event is cut, not broken. */
  #lastEvent(): Problem | undefined {
    this.#framer.feed(this.#characters.decode());
    this.#framer.end();
    const problem = this.#problem;
    if (problem?._tag !== "invalid") return problem;
    return this.#decoder.partial() === undefined ? problem : this.#lost(true, "");
  }

  #wholeBody(interrupted: boolean): Problem | undefined {
    this.#keep(this.#characters.decode());
    const body = this.#pieces.join("");
    if (body.trimStart().startsWith("<")) return { _tag: "invalid", detail: "the body is HTML or XML, not JSON" };
    const problem = this.#decoder.whole(body);
    return problem?._tag === "invalid" ? this.#lost(interrupted, problem.detail) : problem;
  }

  #lost(interrupted: boolean, detail: string): Problem {
    return interrupted
      ? { _tag: "interrupted", detail: "the connection ended within the response" }
      : { _tag: "invalid", detail };
  }

  #fail(head: ResponseHead, problem: Failure["problem"]): Result.Result<never, Failure> {
    return Result.fail({ head, problem, body: this.#pieces.join("").slice(0, errorLimit) });
  }

  #keep(text: string): void {
    this.#pieces.push(text);
    this.#kept += text.length;
  }
}

const previewLimit = 1024;
const errorLimit = 16 * 1024;
const bodyLimit = 64 * 1024 * 1024;

/** A JSON or HTML body begins with its bracket; everything else is taken for a stream. Blank text decides nothing. */
const modeOf = (text: string): "unknown" | "stream" | "whole" => {
  const first = /\S/.exec(text)?.[0];
  if (first === undefined) return "unknown";
  return first === "{" || first === "[" || first === "<" ? "whole" : "stream";
};
