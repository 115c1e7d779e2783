/**
 * A tool as this server has it: what is stated of it, and what a call does.
 *
 * Owns checking arguments and the form of answers and errors. Arguments are decoded once, here; of what a tool gives, only what its
 * output schema states leaves. A fault of the offer is an error result that whoever called can act on.
 */
import type { McpTool } from "@cahier/ports/McpGateway";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import type { OfferFault } from "../../Offer.ts";
import { limits } from "../limits.ts";

/** `progress` reaches whoever called, if it asked to be told; `done` never becomes smaller. */
export interface Call {
  readonly progress: (done: number, message: string) => Effect.Effect<void>;
}

export interface ServedTool {
  readonly statement: McpTool;
  /** `given` is what the client sent as arguments. */
  readonly call: (given: unknown, call: Call) => Effect.Effect<CallToolResult>;
}

/** `text` says the same as `structured`, for readers; `more` stands beside it. */
export interface Reply<Output> {
  readonly text: string;
  readonly structured: Output;
  readonly more?: ReadonlyArray<ContentBlock>;
}

/** What a tool does to the world. */
export interface Effects {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/** Looks at what the host has and changes nothing. */
export const reads: Effects = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

type Object = Readonly<Record<string, unknown>>;

/** A tool of an input and an output, both of them objects. */
export const make = <Input extends Object, Output extends Object, OutputEncoded extends Object>(given: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effects: Effects;
  readonly input: Schema.Codec<Input, unknown>;
  readonly output: Schema.Codec<Output, OutputEncoded>;
  readonly run: (input: Input, call: Call) => Effect.Effect<Reply<Output>, OfferFault>;
}): ServedTool => {
  const decode = Schema.decodeUnknownResult(given.input, { errors: "all", onExcessProperty: "error" });
  const encode = Schema.encodeSync(given.output);
  return {
    statement: {
      name: given.name,
      title: given.title,
      description: given.description,
      inputSchema: jsonSchemaOf(given.input, "error"),
      outputSchema: jsonSchemaOf(given.output, "ignore"),
      annotations: {
        readOnlyHint: given.effects.readOnly,
        destructiveHint: given.effects.destructive,
        idempotentHint: given.effects.idempotent,
        openWorldHint: given.effects.openWorld,
      },
    },
    call: (stated, call) => {
      const tooLarge = sizeFault(stated);
      if (tooLarge !== undefined) return Effect.succeed(refused(tooLarge));
      const decoded = decode(stated ?? {});
      if (Result.isFailure(decoded))
        return Effect.succeed(refused(`The arguments of ${given.name} are wrong:\n${decoded.failure.message}`));
      return given.run(decoded.success, call).pipe(
        Effect.map(({ text, structured, more = [] }): CallToolResult => ({
          content: [{ type: "text", text }, ...more],
          structuredContent: { ...encode(structured) },
        })),
        Effect.catchTag("OfferFault", (fault) => Effect.succeed(refused(wordsOf(fault)))),
      );
    },
  };
};

/** What went wrong, in words for whoever asked; it may be read by a model. */
export const wordsOf = ({ code, kind, message }: OfferFault): string =>
  [
    message,
    ...(kind === "runNotFound" ? ["list_runs shows those there are."] : []),
    ...(code === undefined ? [] : [`[${code}]`]),
  ].join(" ");

const refused = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });

const sizeFault = (stated: unknown): string | undefined => {
  const characters = stated === undefined ? 0 : JSON.stringify(stated).length;
  return characters > limits.argumentCharacters
    ? `The arguments have ${characters} characters; at most ${limits.argumentCharacters} are read.`
    : undefined;
};

/** JSON Schema 2020-12 without the bounds that every safe integer has: clients show it to models. */
const jsonSchemaOf = (schema: Schema.Top, onExcessProperty: "error" | "ignore"): McpTool["inputSchema"] => {
  const { definitions, schema: found } = Schema.toJsonSchemaDocument(schema, { onExcessProperty });
  const whole = Object.keys(definitions).length === 0 ? found : { ...found, $defs: definitions };
  const isBound = (key: string, value: unknown) =>
    (key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
  const text = JSON.stringify(whole, (key, value: unknown) => (isBound(key, value) ? undefined : value));
  return decodeJsonObject(text);
};

const decodeJsonObject = Schema.decodeSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)));
