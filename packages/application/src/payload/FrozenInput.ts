/**
 * What of a run's frozen input its tools may read: the chat's messages before the run, and the activated world info.
 *
 * Owns storing it at admission and reading it back, once, when a tool first asks for it. Does not own freezing: the
 * chat host gives the prefix, and whoever starts the run gives the activation.
 */
import { ChatMessage, type FrozenChat } from "@cahier/domain/chat/Chat";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { Payload } from "@cahier/domain/payload/Payload";
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import * as ActivatedWorldInfo from "@cahier/domain/worldinfo/ActivatedWorldInfo";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type { Payloads } from "./Payloads.ts";

/** The input as tools read it; what the run was started without is undefined. */
export interface FrozenInput {
  readonly messages: Effect.Effect<ReadonlyArray<ChatMessage> | undefined, Fatal>;
  readonly worldInfo: Effect.Effect<ActivatedWorldInfo.ActivatedWorldInfo | undefined, Fatal>;
}

/** Where the input is kept; absent is what no tool of the invocation reads. */
export interface StoredInput {
  readonly chat?: Payload;
  readonly worldInfo?: Payload;
  readonly promptInput?: Payload;
}

/** The names of the input in the readable tree. */
export const chatPath = "input/chat.json";
export const worldInfoPath = "input/world_info.json";
export const promptInputPath = "input/prompt_input.json";

/** The input before it is stored. */
export interface GivenInput {
  readonly messages: FrozenChat["messages"];
  readonly worldInfo: ActivatedWorldInfo.ActivatedWorldInfo | undefined;
  readonly promptInput: Schema.Json | undefined;
}

/** Stores what the tools of `snapshot` can ask for; `forOthers`, what those of any other agent of the run can. */
export const store = Effect.fnUntraced(function* (
  payloads: Payloads,
  snapshot: InvocationToolSnapshot,
  { messages, promptInput, worldInfo }: GivenInput,
  forOthers = false,
): Effect.fn.Return<StoredInput, Fatal> {
  const reads = forOthers || snapshot.bindings.some(({ descriptor }) => descriptor.id.startsWith("builtin:chat."));
  return {
    ...(reads ? { chat: yield* payloads.store(chatPath, textOf(messages)) } : {}),
    ...(worldInfo === undefined ? {} : { worldInfo: yield* payloads.store(worldInfoPath, JSON.stringify(worldInfo)) }),
    ...(promptInput === undefined || !forOthers
      ? {}
      : { promptInput: yield* payloads.store(promptInputPath, JSON.stringify(promptInput)) }),
  };
});

/** The messages as they are stored: what runs have left in them is not for tools, and may change while the text does not. */
export const textOf = (messages: ReadonlyArray<ChatMessage>): string =>
  JSON.stringify(
    messages.map(({ hidden, index, name, role, sendDate, text }) => ({
      index,
      role,
      name,
      text,
      hidden,
      ...(sendDate === undefined ? {} : { sendDate }),
    })),
  );

/** The input behind its payloads. */
export const make = Effect.fnUntraced(function* (
  payloads: Payloads,
  { chat, worldInfo }: StoredInput,
): Effect.fn.Return<FrozenInput> {
  return {
    messages: yield* Effect.cached(read(payloads, chat, decodeMessages)),
    worldInfo: yield* Effect.cached(read(payloads, worldInfo, decodeWorldInfo)),
  };
});

const decodeMessages = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(ChatMessage)));
const decodeWorldInfo = Schema.decodeUnknownEffect(Schema.fromJsonString(ActivatedWorldInfo.ActivatedWorldInfo));

const read = <A>(
  payloads: Payloads,
  payload: Payload | undefined,
  decode: (json: unknown) => Effect.Effect<A, Schema.SchemaError>,
): Effect.Effect<A | undefined, Fatal> =>
  payload === undefined
    ? Effect.succeed(undefined)
    : Effect.flatMap(payloads.read(payload), (json) =>
        Effect.mapError(decode(json), (cause) =>
          fatal("journal.corrupt", `${payload.path} does not have the form that it was stored in.`, { cause }),
        ),
      );
