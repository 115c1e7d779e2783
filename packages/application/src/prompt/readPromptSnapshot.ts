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

/** The prompt, in canonical messages, whose stated context policy equals the profile's. */
export const readPromptSnapshot = Effect.fnUntraced(function* (
  input: unknown,
  policy: ContextPolicy,
): Effect.fn.Return<PromptSnapshot, Fatal> {
  if (input === undefined || input === null)
    return yield* fatal("agent.prompt_snapshot_required", "A run needs a prompt: give promptSnapshot.");
  if (!isRecord(input))
    return yield* fatal("agent.invalid_prompt_snapshot", "The prompt snapshot must be an object with messages.");
  const payload = payloadKeys.map((key) => input[key]).find(isRecord) ?? input;
  const messages = yield* messagesOf(payload);
  yield* refuseTools(payload);
  yield* refuseMarkers(messages);
  yield* agree(input["contextPolicy"], policy);
  return {
    contextPolicy: policy,
    messages,
    generationParameters: Option.getOrElse(decodeParameters(input["generationParameters"] ?? {}), () => ({})),
  };
});

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  Predicate.isObject(value) && !Array.isArray(value);

const messagesOf = (payload: { readonly [key: string]: unknown }): Effect.Effect<ReadonlyArray<Message>, Fatal> => {
  const given = payload["messages"];
  if (!Array.isArray(given) || given.length === 0)
    return Effect.fail(
      fatal("agent.tool_loop_requires_messages", "The prompt has no messages. Assemble one before the start."),
    );
  if (given.some((message) => isRecord(message) && (message["role"] === "tool" || "tool_calls" in message)))
    return Effect.fail(
      fatal(
        "agent.external_tool_turns_unsupported",
        "The prompt has turns with tool calls. Leave them out: a run makes its own.",
      ),
    );
  const canonical = decodeMessages(given);
  if (Option.isSome(canonical)) return Effect.succeed(canonical.value);
  const wire = decodeWireMessages(given);
  return Option.isSome(wire)
    ? Effect.succeed(wire.value.map(fromWire))
    : Effect.fail(
        fatal("agent.invalid_prompt_snapshot", "A message of the prompt has neither parts nor text as content."),
      );
};

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

const agree = (stated: unknown, policy: ContextPolicy): Effect.Effect<void, Fatal> => {
  if (stated === undefined)
    return Effect.fail(
      fatal(
        "agent.context_policy_required",
        "The prompt does not state its contextPolicy. Copy the profile's context.",
      ),
    );
  const decoded = decodePolicy(stated);
  if (Option.isNone(decoded))
    return Effect.fail(
      fatal(
        "agent.invalid_context_policy_snapshot",
        "contextPolicy needs initialChatHistoryMessages (a whole number) and includeActivatedWorldInfo (true or false).",
      ),
    );
  const { initialChatHistoryMessages, includeActivatedWorldInfo } = decoded.value;
  return initialChatHistoryMessages === policy.initialChatHistoryMessages &&
    includeActivatedWorldInfo === policy.includeActivatedWorldInfo
    ? Effect.void
    : Effect.fail(
        fatal(
          "agent.context_policy_mismatch",
          "The prompt was made under another context policy than the profile's. Assemble it again for this profile.",
        ),
      );
};
