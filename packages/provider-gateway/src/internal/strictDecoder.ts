/**
 * A decoder whose tool calls come from schemas in strict form: their arguments are given back in the form of the tools'.
 * Deltas show them as they came.
 */
import type { ToolDefinition } from "@cahier/domain/model/ModelRequest";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import * as Result from "effect/Result";
import type { Decoder } from "../Route.ts";
import * as strictSchema from "./strictSchema.ts";

export const make = (decoder: Decoder, tools: ReadonlyArray<ToolDefinition>): Decoder => ({
  ...decoder,
  end: () => Result.map(decoder.end(), (response) => restore(response, tools)),
});

const restore = (response: ModelResponse, tools: ReadonlyArray<ToolDefinition>): ModelResponse => {
  const parts = response.message.parts.map((part) => {
    const tool = part.type === "toolCall" ? tools.find(({ name }) => name === part.name) : undefined;
    // A tool without a strict form was sent as it is.
    if (part.type !== "toolCall" || tool === undefined || strictSchema.of(tool.inputSchema) === undefined) return part;
    return { ...part, arguments: strictSchema.restore(part.arguments, tool.inputSchema) };
  });
  return { ...response, message: { ...response.message, parts } };
};
