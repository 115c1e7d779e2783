/**
 * The protocol `openai-responses` over HTTP, of OpenAI and of everybody who speaks it.
 */
import { sse } from "../../internal/sse.ts";
import type { Protocol } from "../../Route.ts";
import { makeDecoder } from "./internal/decode.ts";
import { makeEncoder } from "./internal/encode.ts";

export const make = (): Protocol => ({
  format: "openai-responses",
  path: () => "/responses",
  framing: sse,
  encoder: makeEncoder,
  decoder: makeDecoder,
});
