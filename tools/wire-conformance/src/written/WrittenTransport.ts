/**
 * A transport whose servers answer with the turns of a scenario, in the words of a format's documentation.
 *
 * Owns how bodies are cut into chunks: at places that no server would choose, within characters and line ends.
 */
import { type ResponseReader, Transport, TransportFault } from "@cahier/provider-gateway/transport/Transport";
import * as Effect from "effect/Effect";
import type { Turn } from "../Turn.ts";
import type { Writer } from "./Writer.ts";

/** The turns in their order, each for one request. */
export const make = (writer: Writer, turns: ReadonlyArray<Turn>, stream: boolean): Transport["Service"] => {
  const asked = { count: 0 };
  return Transport.of({
    send: Effect.fnUntraced(function* (_, reader: ResponseReader) {
      const turn = turns[asked.count] ?? {};
      asked.count += 1;
      const body = new TextEncoder().encode(bodyOf(writer, turn, stream));
      const isEvents = stream && turn.refused === undefined;
      reader.head({
        status: turn.refused?.status ?? 200,
        headers: { "content-type": isEvents ? "text/event-stream" : "application/json", ...turn.refused?.headers },
      });
      for (const chunk of chunksOf(body)) if (reader.chunk(chunk) === "stop") return undefined;
      if (turn.ending === "open") return yield* Effect.never;
      if (turn.ending !== "cut") return undefined;
      return yield* new TransportFault({ kind: "bodyInterrupted", detail: "the connection broke here" });
    }),
  });
};

const bodyOf = (writer: Writer, turn: Turn, stream: boolean): string => {
  if (turn.refused !== undefined) return writer.refusal(turn.refused.status, turn.refused.complaint);
  if (stream) return writer.events(turn).join("");
  const whole = writer.whole(turn);
  return turn.ending === undefined ? whole : whole.slice(0, Math.floor(whole.length / 2));
};

const sizes = [1, 7, 96, 2, 301, 33, 640];

/** Chunks of a few sizes in turn, so that boundaries fall everywhere, and one within each character of several bytes. */
const chunksOf = function* (body: Uint8Array): Generator<Uint8Array> {
  let at = 0;
  for (let index = 0; at < body.length; index += 1) {
    const end = at + (sizes[index % sizes.length] ?? 1);
    const lead = body.subarray(at, end).findIndex((byte) => byte >= 0xc0);
    const cut = lead < 0 ? end : at + lead + 1;
    yield body.subarray(at, cut);
    at = cut;
  }
};
