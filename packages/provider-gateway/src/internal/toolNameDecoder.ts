/**
 * A decoder for requests in which tools had to be called something else: the calls of the response, and their deltas,
 * have the names of the tools again.
 */
import type { ToolDefinition } from "@cahier/domain/model/ModelRequest";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import * as Result from "effect/Result";
import type { Decoder } from "../Route.ts";
import * as wireNames from "./wireNames.ts";

/** The decoder that `open` makes, as it is where no tool has another name on the wire. */
export const make = (
  tools: ReadonlyArray<ToolDefinition>,
  onDelta: OnDelta,
  open: (onDelta: OnDelta) => Decoder,
): Decoder => {
  const renamed = tools.flatMap(({ name }) => {
    const onWire = wireNames.tool(name);
    return onWire === name ? [] : [[onWire, name] as const];
  });
  if (renamed.length === 0) return open(onDelta);
  const names = new Map(renamed);
  const decoder = open((delta) =>
    onDelta(delta.type === "toolCallStart" ? { ...delta, name: names.get(delta.name) ?? delta.name } : delta),
  );
  const restore = (response: ModelResponse): ModelResponse => {
    const parts = response.message.parts.map((part) =>
      part.type === "toolCall" ? { ...part, name: names.get(part.name) ?? part.name } : part,
    );
    return { ...response, message: { ...response.message, parts } };
  };
  return {
    ...decoder,
    end: () => Result.map(decoder.end(), restore),
    partial: () => {
      const partial = decoder.partial();
      return partial === undefined ? undefined : restore(partial);
    },
  };
};
