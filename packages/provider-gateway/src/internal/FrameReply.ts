/**
 * Reads one response from a socket for a protocol: each text is one event.
 *
 * Does not own when the socket ends, nor faults: like `Reply` it ends in a response or a problem.
 */
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import * as Result from "effect/Result";
import type { Decoder, Problem } from "../Route.ts";
import type { Failure } from "./Reply.ts";

export class FrameReply {
  readonly #decoder: Decoder;
  #problem: Problem | undefined;
  #first: string | undefined;

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  /** Whether anything has come. */
  get hasHead(): boolean {
    return this.#first !== undefined;
  }

  readonly text = (text: string): "more" | "finished" => {
    this.#first ??= text.slice(0, previewLimit);
    this.#problem = this.#decoder.event(text, "message");
    return this.#problem !== undefined || this.#decoder.isFinished() ? "finished" : "more";
  };

  /** Closes the response. `interrupted` says that the transport lost it. */
  end(interrupted: boolean): Result.Result<ModelResponse, Failure> {
    if (this.#problem !== undefined) return this.#fail(this.#problem);
    if (interrupted && !this.#decoder.isComplete()) {
      return this.#fail({ _tag: "interrupted", detail: "the connection ended within the response" });
    }
    return Result.mapError(this.#decoder.end(), (problem) => this.#failure(problem));
  }

  #fail(problem: Problem): Result.Result<never, Failure> {
    return Result.fail(this.#failure(problem));
  }

  #failure(problem: Problem): Failure {
    return { head: { status: 101, headers: {} }, problem, body: this.#first ?? "" };
  }
}

const previewLimit = 1024;
