/**
 * What a server may ask for in the middle of a call: answers of a person, and texts of a model.
 *
 * Owns which requests are passed on and what is given back. Does not own how a person or a model is asked: the call does. A server
 * that may not ask a model is refused in words.
 */
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import { McpFault, type McpHost, type McpQuestion, type McpReply } from "@cahier/ports/McpGateway";
import type { SourceCall, SourceSampling } from "@cahier/ports/ToolSource";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Predicate from "effect/Predicate";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { cutText } from "../payload/cutText.ts";
import { compileSchema } from "../tool/compileSchema.ts";

/** A host, and how long it was waited for so far, in milliseconds: that time is not the call's. */
export interface CallHost {
  readonly host: Required<Pick<McpHost, "ask" | "sample">>;
  readonly waitedMs: () => number;
}

/** The host of one call. */
export const make = (call: Pick<SourceCall, "ask" | "sample">, allowsSampling: boolean): CallHost => {
  const waited = { milliseconds: 0, since: 0, waits: 0 };

  // Several waits at once take the time of one.
  const change = (waits: 1 | -1) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (waited.waits > 0) waited.milliseconds += now - waited.since;
      waited.since = now;
      waited.waits += waits;
    });

  const timed = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      change(1),
      () => effect,
      () => change(-1),
    );

  return {
    host: {
      ask: (question) => timed(ask(call, question)),
      sample: (_, request) => (allowsSampling ? timed(sample(call, request)) : refused),
    },
    waitedMs: () => waited.milliseconds,
  };
};

/** Most bytes of a question, and of the schema of its answer. */
const questionBytes = 4096;
const schemaChars = 64 * 1024;

/** A question that nobody could answer rightly is asked of nobody; an answer that does not fit is none. */
const ask = Effect.fnUntraced(function* (
  call: Pick<SourceCall, "ask">,
  { message, schema }: McpQuestion,
): Effect.fn.Return<McpReply> {
  if (!isJsonObject(schema) || JSON.stringify(schema).length > schemaChars) return { action: "cancel" };
  const compiled = compileSchema(schema);
  if (Result.isFailure(compiled)) return { action: "cancel" };
  const reply = yield* call.ask({ message: cutText(message, questionBytes), schema });
  if (reply.action !== "accept") return reply;
  return compiled.success.fits(reply.content) ? reply : { action: "cancel" };
});

const sample = Effect.fnUntraced(function* (
  call: Pick<SourceCall, "sample">,
  request: Schema.Json,
): Effect.fn.Return<Schema.Json, McpFault> {
  const asked = samplingOf(request);
  if (asked === undefined)
    return yield* new McpFault({
      code: "mcp.sampling_unsupported",
      detail: "a model is asked here with texts alone, without tools, and with a limit of tokens",
    });
  const { isCut, model, text } = yield* call
    .sample(asked)
    .pipe(Effect.mapError(({ code, message }) => new McpFault({ code, detail: message })));
  return {
    role: "assistant",
    content: { type: "text", text },
    model,
    stopReason: isCut ? "maxTokens" : "endTurn",
  };
});

const refused = Effect.fail(
  new McpFault({
    code: "mcp.sampling_refused",
    detail: "this server may not ask a model; only its user can allow it, in its registration",
  }),
);

const TextBlock = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String });

const SamplingRequest = Schema.Struct({
  systemPrompt: Schema.optionalKey(Schema.String),
  messages: Schema.Array(
    Schema.Struct({
      role: Schema.Literals(["user", "assistant"]),
      content: Schema.Union([TextBlock, Schema.Array(TextBlock)]),
    }),
  ),
  maxTokens: Schema.Int.check(Schema.isGreaterThan(0)),
  tools: Schema.optionalKey(Schema.Array(Schema.Json)),
});

const decodeSampling = Schema.decodeUnknownOption(SamplingRequest);

/** The request as the runtime takes it; undefined for one that it has no way to answer. */
const samplingOf = (request: Schema.Json): SourceSampling | undefined => {
  const read = Option.getOrUndefined(decodeSampling(request));
  if (read === undefined || read.messages.length === 0 || (read.tools ?? []).length > 0) return undefined;
  return {
    ...(read.systemPrompt === undefined ? {} : { system: read.systemPrompt }),
    messages: read.messages.map(({ content, role }) => ({
      role,
      text: [content]
        .flat()
        .map((block) => block.text)
        .join("\n\n"),
    })),
    maxTokens: read.maxTokens,
  };
};

const isJsonObject = (value: Schema.Json): value is JsonObject => Predicate.isObject(value) && !Array.isArray(value);
