/**
 * The protocol `openai-chat`: Chat Completions, of OpenAI and of everybody who speaks it.
 */
import { sse } from "../../internal/sse.ts";
import * as strictDecoder from "../../internal/strictDecoder.ts";
import * as toolNameDecoder from "../../internal/toolNameDecoder.ts";
import type { Protocol } from "../../Route.ts";
import { makeDecoder } from "./internal/decode.ts";
import type { Dialect } from "./internal/Dialect.ts";
import { makeEncoder } from "./internal/encode.ts";

export const make = (dialect: Dialect): Protocol => ({
  format: "openai-chat",
  path: () => "/chat/completions",
  framing: sse,
  encoder: () => makeEncoder(dialect),
  decoder: (request, onDelta) => {
    const decoder = toolNameDecoder.make(request.tools, onDelta, (seen) => makeDecoder(request, seen));
    return dialect.strictTools === true ? strictDecoder.make(decoder, request.tools) : decoder;
  },
});
