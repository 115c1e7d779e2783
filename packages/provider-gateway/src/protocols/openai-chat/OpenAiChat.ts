/**
 * The protocol `openai-chat`: Chat Completions, of OpenAI and of everybody who speaks it.
 */
import { sse } from "../../internal/sse.ts";
import type { Protocol } from "../../Route.ts";
import { makeDecoder } from "./internal/decode.ts";
import { type Dialect, makeEncoder } from "./internal/encode.ts";

export const make = (dialect: Dialect): Protocol => ({
  format: "openai-chat",
  path: () => "/chat/completions",
  framing: sse,
  encoder: () => makeEncoder(dialect),
  decoder: makeDecoder,
});
