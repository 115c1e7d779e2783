/**
 * The protocol `anthropic-messages`: Messages, of Anthropic and of everybody who speaks it.
 */
import { sse } from "../../internal/sse.ts";
import type { Protocol } from "../../Route.ts";
import { makeDecoder } from "./internal/decode.ts";
import { type Dialect, makeEncoder } from "./internal/encode.ts";

export const make = (dialect: Dialect): Protocol => ({
  format: "anthropic-messages",
  path: ({ binding, stream }) =>
    dialect.host === "vertex"
      ? `/models/${encodeURIComponent(binding.modelId)}:${stream ? "streamRawPredict" : "rawPredict"}`
      : "/messages",
  headers: dialect.host === "vertex" ? {} : { "anthropic-version": "2023-06-01" },
  bindingHeaders: ({ promptCacheTtl }) =>
    dialect.host === "vertex" || promptCacheTtl === undefined ? {} : { "anthropic-beta": betas[promptCacheTtl] },
  framing: sse,
  encoder: () => makeEncoder(dialect),
  decoder: makeDecoder,
});

/** What the server must be told of before it keeps prompts, and before it keeps them for an hour. */
const betas = {
  "5m": "prompt-caching-2024-07-31",
  "1h": "prompt-caching-2024-07-31,extended-cache-ttl-2025-04-11",
} as const;
