/**
 * The protocol `gemini-generate-content`: the model and the method stand in the path.
 */
import { sse } from "../../internal/sse.ts";
import type { Protocol } from "../../Route.ts";
import { makeDecoder } from "./internal/decode.ts";
import { makeEncoder } from "./internal/encode.ts";

export const make = (): Protocol => ({
  format: "gemini-generate-content",
  path: ({ binding, stream }) => {
    const model = encodeURIComponent(binding.modelId.replace(/^models\//, ""));
    return `/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
  },
  framing: sse,
  encoder: makeEncoder,
  decoder: makeDecoder,
});
