/**
 * The protocol `gemini-interactions`.
 */
import { sse } from "../../internal/sse.ts";
import type { Protocol } from "../../Route.ts";
import { makeDecoder } from "./internal/decode.ts";
import { makeEncoder } from "./internal/encode.ts";

export const make = (): Protocol => ({
  format: "gemini-interactions",
  path: ({ stream }) => (stream ? "/interactions?alt=sse" : "/interactions"),
  framing: sse,
  encoder: makeEncoder,
  decoder: makeDecoder,
});
