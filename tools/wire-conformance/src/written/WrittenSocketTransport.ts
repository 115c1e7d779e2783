/**
 * A transport of WebSockets whose server answers Responses frames with the turns of a scenario.
 *
 * Owns where a refusal comes: what a proxy or a gate says answers the handshake, what the model's server says is a frame.
 */
import { SocketRefused, SocketTransport } from "@cahier/provider-gateway/transport/SocketTransport";
import { TransportFault } from "@cahier/provider-gateway/transport/Transport";
import * as Effect from "effect/Effect";
import type { Turn } from "../Turn.ts";
import { frames, writer } from "./openAiResponses.ts";
import { sentences } from "./Writer.ts";

/** A frame that a client sent, as far as it is looked at. */
export interface Sent {
  readonly generate?: boolean;
  readonly previous_response_id?: string;
  readonly input?: ReadonlyArray<unknown>;
  readonly [member: string]: unknown;
}

/** The turns in their order, the frames that came, and how many connections were opened and closed. */
export interface WrittenSocket {
  readonly transport: SocketTransport["Service"];
  readonly sent: ReadonlyArray<Sent>;
  readonly seen: { readonly opened: number; readonly closed: number };
}

export const make = (turns: ReadonlyArray<Turn>): WrittenSocket => {
  const sent: Array<Sent> = [];
  const seen = { opened: 0, closed: 0, answered: 0 };
  const transport = SocketTransport.of({
    open: Effect.fnUntraced(function* () {
      const refused = turns[seen.answered]?.refused;
      if (refused !== undefined && refused.complaint !== "overflow") {
        const { complaint, headers = {}, status } = refused;
        return yield* new SocketRefused({ head: { status, headers }, body: writer.refusal(status, complaint) });
      }
      seen.opened += 1;
      const state = { isOpen: true };
      const close = (): void => {
        if (state.isOpen) seen.closed += 1;
        state.isOpen = false;
      };
      return {
        isOpen: () => state.isOpen,
        close,
        exchange: Effect.fnUntraced(
          function* (text: string, onText: (text: string) => "more" | "finished") {
            const frame = JSON.parse(text) as Sent;
            sent.push(frame);
            const isWarmUp = frame.generate === false;
            const turn = isWarmUp ? {} : (turns[seen.answered] ?? {});
            if (!isWarmUp) seen.answered += 1;
            for (const event of eventsOf(turn, `resp_${sent.length}`)) {
              if (onText(JSON.stringify(event)) === "finished") return undefined;
            }
            if (turn.ending === "open") return yield* Effect.never;
            return yield* new TransportFault({ kind: "bodyInterrupted", detail: "the connection broke here" });
          },
          Effect.onInterrupt(() => Effect.sync(close)),
        ),
      };
    }),
  });
  return { transport, sent, seen };
};

const eventsOf = (turn: Turn, id: string): ReadonlyArray<object> =>
  turn.refused === undefined
    ? frames(turn, id)
    : [
        {
          type: "error",
          status: turn.refused.status,
          error: {
            type: "invalid_request_error",
            code: "context_length_exceeded",
            message: sentences[turn.refused.complaint],
          },
        },
      ];
