/**
 * The names of sources and formats, and the other names by which imported settings call them.
 */
import { ModelFormat } from "@cahier/domain/model/ModelFormat";
import type * as Option from "effect/Option";
import * as Schema from "effect/Schema";

/** The name that the gateway has for a source, which may have none of that name. */
export const sourceOf = (name: string): string => sourceNames[name.trim().toLowerCase()] ?? name.trim().toLowerCase();

/** The format that a name stands for; none for a name that stands for nothing. */
export const formatOf = (name: string): Option.Option<ModelFormat> => {
  const plain = name.trim().toLowerCase().replaceAll("_", "-");
  return decodeFormat(formatNames[plain] ?? plain);
};

const decodeFormat = Schema.decodeUnknownOption(ModelFormat);

const sourceNames: Readonly<Record<string, string>> = {
  claude: "anthropic",
  google: "gemini",
  makersuite: "gemini",
};

const formatNames: Readonly<Record<string, ModelFormat>> = {
  "claude-messages": "anthropic-messages",
  gemini: "gemini-generate-content",
  "openai-compat": "openai-chat",
  "openai-compatible": "openai-chat",
};
