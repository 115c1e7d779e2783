/**
 * Reads a prompt that a host has made: the checks of a start, in their order.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { Message, text } from "@cahier/domain/model/Message";
import { GenerationParameters } from "@cahier/domain/model/ModelRequest";
import { ContextPolicy } from "@cahier/domain/run/event/model";
import { anchorMarker } from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Predicate from "effect/Predicate";
import * as Schema from "effect/Schema";
import type { PromptSnapshot } from "../run/InvocationSetup.ts";

/** The keys under which a chat-completion payload may come; without one the snapshot itself is the payload. */
const payloadKeys = ["chatCompletionPayload", "chat_completion_payload", "generateData", "generate_data"];

/** A message of a chat-completion payload: text, or parts of which only text is taken. */
const WireMessage = Schema.Struct({
  role: Schema.Literals(["system", "developer", "user", "assistant"]),
  content: Schema.Union([
    Schema.String,
    Schema.Array(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })),
  ]),
  name: Schema.optionalKey(Schema.String),
});

const decodePolicy = Schema.decodeUnknownOption(ContextPolicy);
const decodeMessages = Schema.decodeUnknownOption(Schema.Array(Message));
const decodeWireMessages = Schema.decodeUnknownOption(Schema.Array(WireMessage));
const decodeParameters = Schema.decodeUnknownOption(GenerationParameters);

/** A prompt as a host states it; whether its context policy is the profile's is not known yet. */
export interface StatedPrompt extends Omit<PromptSnapshot, "contextPolicy"> {
  readonly contextPolicy: unknown;
}

/** The prompt in canonical messages, or the first thing that is wrong with it. */
export const readPromptSnapshot = Effect.fnUntraced(function* (input: unknown): Effect.fn.Return<StatedPrompt, Fatal> {
  if (input === undefined || input === null)
    return yield* fatal("agent.prompt_snapshot_required", "A run needs a prompt: give promptSnapshot.");
  if (!isRecord(input))
    return yield* fatal("agent.invalid_prompt_snapshot", "The prompt snapshot must be an object with messages.");
  const payload = payloadKeys.map((key) => input[key]).find(isRecord) ?? input;
  const given = payload["messages"];
  if (!Array.isArray(given) || given.length === 0)
    return yield* fatal(
      "agent.tool_loop_requires_messages",
      "The prompt has no messages. Assemble one before the start.",
    );
  yield* refuseTools(payload);
  const messages = yield* messagesOf(given);
  yield* refuseMarkers(messages);
  const generationParameters = decodeParameters(input["generationParameters"] ?? {});
  if (Option.isNone(generationParameters))
    return yield* fatal(
      "agent.invalid_prompt_snapshot",
      "generationParameters of the prompt has a field of a wrong type.",
    );
  return { contextPolicy: input["contextPolicy"], messages, generationParameters: generationParameters.value };
});

/** The prompt under the profile's context policy, which it must state as its own. */
export const agreeOnPolicy = Effect.fnUntraced(function* (
  prompt: StatedPrompt,
  contextPolicy: ContextPolicy,
): Effect.fn.Return<PromptSnapshot, Fatal> {
  if (prompt.contextPolicy === undefined)
    return yield* fatal(
      "agent.context_policy_required",
      "The prompt does not state its contextPolicy. Copy the profile's context.",
    );
  const stated = decodePolicy(prompt.contextPolicy);
  if (Option.isNone(stated))
    return yield* fatal(
      "agent.invalid_context_policy_snapshot",
      "contextPolicy needs initialChatHistoryMessages (a whole number) and includeActivatedWorldInfo (true or false).",
    );
  if (
    stated.value.initialChatHistoryMessages !== contextPolicy.initialChatHistoryMessages ||
    stated.value.includeActivatedWorldInfo !== contextPolicy.includeActivatedWorldInfo
  )
    return yield* fatal(
      "agent.context_policy_mismatch",
      "The prompt was made under another context policy than the profile's. Assemble it again for this profile.",
    );
  return { ...prompt, contextPolicy };
});

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  Predicate.isObject(value) && !Array.isArray(value);

const messagesOf = Effect.fnUntraced(function* (
  given: ReadonlyArray<unknown>,
): Effect.fn.Return<ReadonlyArray<Message>, Fatal> {
  if (given.some(isToolTurn))
    return yield* fatal(
      "agent.external_tool_turns_unsupported",
      "The prompt has turns with tool calls. Leave them out: a run makes its own.",
    );
  const canonical = decodeMessages(given);
  if (Option.isSome(canonical)) return canonical.value;
  const wire = decodeWireMessages(given);
  if (Option.isSome(wire)) return wire.value.map(fromWire);
  return yield* fatal(
    "agent.invalid_prompt_snapshot",
    "A message of the prompt has neither parts nor text as content.",
  );
});

const isToolTurn = (message: unknown): boolean => {
  if (!isRecord(message)) return false;
  if (message["role"] === "tool" || "tool_calls" in message) return true;
  const { parts } = message;
  return Array.isArray(parts) && parts.some((part) => isRecord(part) && toolParts.has(part["type"]));
};

const toolParts: ReadonlySet<unknown> = new Set(["toolCall", "toolResult"]);

const fromWire = ({ role, content, name }: typeof WireMessage.Type): Message =>
  text(role, typeof content === "string" ? content : content.map((part) => part.text).join(""), name);

const refuseTools = (payload: { readonly [key: string]: unknown }): Effect.Effect<void, Fatal> => {
  if ("tools" in payload)
    return Effect.fail(
      fatal("agent.external_tools_unsupported", "The prompt brings tools of its own. The profile decides the tools."),
    );
  // Even null: a caller that states a choice expects it to be followed.
  return "tool_choice" in payload
    ? Effect.fail(
        fatal("agent.external_tool_choice_unsupported", "The prompt states a tool choice. Leave tool_choice out."),
      )
    : Effect.void;
};

const anyMarker = anchorMarker("").slice(0, -2);

const refuseMarkers = (messages: ReadonlyArray<Message>): Effect.Effect<void, Fatal> =>
  JSON.stringify(messages).includes(anyMarker)
    ? Effect.fail(
        fatal(
          "agent.prompt_marker_unmaterialized",
          `A placeholder (${anyMarker}…}}) is left in the prompt. Fill every anchor before the start.`,
        ),
      )
    : Effect.void;
