/** Feeds bytes to a reply without a transport. */
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import * as Result from "effect/Result";
import { Reply } from "../../src/internal/Reply.ts";
import { source } from "../../src/providers/Custom.ts";
import type { Protocol } from "../../src/Route.ts";
import { collector, request } from "./requests.ts";

/** The protocol as the source `custom` speaks it. */
export const protocolOf = (format: ModelFormat): Protocol => {
  const found = source.protocols.find((protocol) => protocol.format === format);
  if (found === undefined) throw new Error(`the source custom does not speak ${format}`);
  return found;
};

export interface Fed {
  readonly status?: number;
  readonly interrupted?: boolean;
  readonly request?: ModelRequest;
}

/** The result, the deltas and the partial response of a body that arrives in these chunks. */
export const feed = (chunks: ReadonlyArray<Uint8Array>, options: Fed = {}) => {
  const seen = collector();
  const asked = options.request ?? request();
  const protocol = protocolOf(asked.binding.format);
  const decoder = protocol.decoder(asked, seen.onDelta);
  const reply = new Reply(decoder, protocol.framing);
  reply.head({ status: options.status ?? 200, headers: {} });
  for (const chunk of chunks) if (reply.chunk(chunk) === "stop") break;
  return { result: reply.end(options.interrupted ?? false), seen, partial: decoder.partial() };
};

/** A request in another format. */
export const inFormat = (format: ModelFormat, changes: Partial<ModelRequest> = {}): ModelRequest => {
  const asked = request(changes);
  return { ...asked, binding: { ...asked.binding, format } };
};

/** What comes of bodies of one format. */
export const decoding = (format: ModelFormat) => {
  const asked = inFormat(format);
  const success = (body: string): { response: ModelResponse; seen: ReturnType<typeof collector> } => {
    const fed = feed([bytes(body)], { request: asked });
    if (Result.isFailure(fed.result)) throw new Error(JSON.stringify(fed.result.failure));
    return { response: fed.result.success, seen: fed.seen };
  };
  const problem = (body: string, options: Fed = {}) => {
    const fed = feed([bytes(body)], { request: asked, ...options });
    if (Result.isSuccess(fed.result)) throw new Error("the body was accepted");
    return { problem: fed.result.failure.problem, partial: fed.partial };
  };
  return { asked, success, problem };
};

/** Bodies of one format; `text` is the whole, `body` its value. */
export const encoding = (format: ModelFormat) => {
  const text = (changes: Partial<ModelRequest>, encoder = protocolOf(format).encoder()): string => {
    const encoded = encoder.encode(inFormat(format, changes));
    if (Result.isFailure(encoded)) throw new Error(encoded.failure.detail);
    return new TextDecoder().decode(encoded.success);
  };
  const body = (changes: Partial<ModelRequest>, encoder = protocolOf(format).encoder()) =>
    JSON.parse(text(changes, encoder)) as { readonly [field: string]: unknown };
  const refusal = (changes: Partial<ModelRequest>): string => {
    const encoded = protocolOf(format).encoder().encode(inFormat(format, changes));
    return Result.isFailure(encoded) ? encoded.failure.detail : "";
  };
  const losses = (changes: Partial<ModelRequest>): ReadonlyArray<string> => {
    const encoder = protocolOf(format).encoder();
    text(changes, encoder);
    return encoder.takeWarnings();
  };
  return { text, body, refusal, losses };
};

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** All ways to cut the bytes in two, and all single bytes. */
export const cuts = function* (all: Uint8Array): Generator<ReadonlyArray<Uint8Array>> {
  for (let at = 0; at <= all.length; at += 1) yield [all.subarray(0, at), all.subarray(at)];
  yield Array.from(all, (_, at) => all.subarray(at, at + 1));
};
