/**
 * The sources that a connection may name, and the names that imported connections have for sources and formats.
 */
import type * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { ModelFormat } from "../model/ModelFormat.ts";

/** The vendors, and kinds of endpoints, that a connection can lead to. */
export const ConnectionSource = Schema.Literals([
  "openai",
  "openrouter",
  "custom",
  "anthropic",
  "gemini",
  "vertexai",
  "deepseek",
  "cohere",
  "groq",
  "moonshot",
  "nanogpt",
  "chutes",
  "siliconflow",
  "workers_ai",
  "zai",
  "minimax",
  "aws_bedrock",
  "ollama",
]);
export type ConnectionSource = typeof ConnectionSource.Type;

/** The source that a name stands for, whatever its case; none for a name that stands for nothing. */
export const sourceOf = (name: string): Option.Option<ConnectionSource> => {
  const plain = name.trim().toLowerCase();
  return decodeSource(Object.hasOwn(otherSources, plain) ? otherSources[plain] : plain);
};

/** The wire format that a name stands for. A script is no format of a connection. */
export const formatOf = (name: string): Option.Option<ConnectionFormat> => {
  const plain = name.trim().toLowerCase().replaceAll("_", "-");
  return decodeFormat(Object.hasOwn(otherFormats, plain) ? otherFormats[plain] : plain);
};

/** The formats in which a server can be asked. */
export const ConnectionFormat = Schema.Literals(
  ModelFormat.literals.filter((format) => format !== "scripted") as ReadonlyArray<Exclude<ModelFormat, "scripted">>,
);
export type ConnectionFormat = typeof ConnectionFormat.Type;

/** The format of a source that is not `custom`. */
export const formatOfSource = (source: ConnectionSource): ConnectionFormat => {
  if (source === "anthropic") return "anthropic-messages";
  return source === "gemini" || source === "vertexai" ? "gemini-generate-content" : "openai-chat";
};

const decodeSource = Schema.decodeUnknownOption(ConnectionSource);
const decodeFormat = Schema.decodeUnknownOption(ConnectionFormat);

const otherSources: Readonly<Record<string, ConnectionSource>> = {
  claude: "anthropic",
  google: "gemini",
  makersuite: "gemini",
};

const otherFormats: Readonly<Record<string, ConnectionFormat>> = {
  "claude-messages": "anthropic-messages",
  gemini: "gemini-generate-content",
  "openai-compat": "openai-chat",
  "openai-compatible": "openai-chat",
};
