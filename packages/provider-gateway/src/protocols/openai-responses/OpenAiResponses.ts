/**
 * The protocol `openai-responses`, of OpenAI and of everybody who speaks it: over HTTP, or over one WebSocket a session.
 */
import { sse } from "../../internal/sse.ts";
import * as strictDecoder from "../../internal/strictDecoder.ts";
import type { Protocol } from "../../Route.ts";
import { makeDecoder } from "./internal/decode.ts";
import { type Dialect, makeEncoder, makeSocketEncoder } from "./internal/encode.ts";

export const make = (dialect: Dialect = { strictTools: false }): Protocol => ({
  format: "openai-responses",
  path: () => "/responses",
  framing: sse,
  encoder: () => makeEncoder(dialect),
  decoder: (request, onDelta) => {
    const decoder = makeDecoder(request, onDelta);
    return dialect.strictTools ? strictDecoder.make(decoder, request.tools) : decoder;
  },
  socket: {
    headers: { "openai-beta": "responses_websockets=2026-02-06" },
    encoder: () => makeSocketEncoder(dialect),
    forgotten: new Set(["previous_response_not_found"]),
    usedUp: new Set(["websocket_connection_limit_reached"]),
  },
});
