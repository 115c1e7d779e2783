/** Feeds bytes to a reply without a transport. */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import { Reply } from "../../src/internal/Reply.ts";
import { source } from "../../src/providers/Custom.ts";
import type { Protocol } from "../../src/Route.ts";
import { collector, request } from "./requests.ts";

const [protocol] = source.protocols as readonly [Protocol];

export interface Fed {
  readonly status?: number;
  readonly interrupted?: boolean;
  readonly request?: ModelRequest;
}

/** The result, the deltas and the partial response of a body that arrives in these chunks. */
export const feed = (chunks: ReadonlyArray<Uint8Array>, options: Fed = {}) => {
  const seen = collector();
  const decoder = protocol.decoder(options.request ?? request(), seen.onDelta);
  const reply = new Reply(decoder, protocol.framing);
  reply.head({ status: options.status ?? 200, headers: {} });
  for (const chunk of chunks) if (reply.chunk(chunk) === "stop") break;
  return { result: reply.end(options.interrupted ?? false), seen, partial: decoder.partial() };
};

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** All ways to cut the bytes in two, and all single bytes. */
export const cuts = function* (all: Uint8Array): Generator<ReadonlyArray<Uint8Array>> {
  for (let at = 0; at <= all.length; at += 1) yield [all.subarray(0, at), all.subarray(at)];
  yield Array.from(all, (_, at) => all.subarray(at, at + 1));
};
