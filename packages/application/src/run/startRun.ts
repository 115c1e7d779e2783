/**
 * The two ways to start a run: from a chat that the host can read, or with a prompt that a host has made.
 *
 * Owns the order of the checks. Both end in the one admission. Nothing of the chat is touched before everything else
 * is known to be right, and no start happens without a stated prompt.
 */
import { type FrozenChat, GenerationType } from "@cahier/domain/chat/Chat";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import { ChatHost, type ChatFault, type ChatLocation } from "@cahier/ports/ChatHost";
import { type Character, PromptAssembler, type PromptFault } from "@cahier/ports/PromptAssembler";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { classifyChat } from "../failure/classifyChat.ts";
import * as Identifiers from "../identity/Identifiers.ts";
import { findProfile, type FoundProfile, type ProfileChoice } from "../profile/findProfile.ts";
import { readPromptSnapshot } from "../prompt/readPromptSnapshot.ts";
import { systemPrompt } from "../prompt/systemPrompt.ts";
import { prepareSnapshot } from "../tool/prepareSnapshot.ts";
import { Tools } from "../tool/Tools.ts";
import { admitRun, openJournal } from "./admitRun.ts";
import type { PromptSnapshot } from "./InvocationSetup.ts";
import { type OnModelDelta, Runs } from "./Runs.ts";
import type { RunHandle } from "./supervise.ts";

interface StartOptions {
  readonly chat: ChatLocation;
  /** Default `normal`. */
  readonly generationType?: string;
  readonly profile?: ProfileChoice;
  /** The model to use; its endpoint and secret reference are frozen with the run. */
  readonly binding: ModelBinding;
  /** What the host wants to say of this generation; journalled as given. */
  readonly generationIntent?: Schema.Json;
  readonly onDelta?: OnModelDelta;
}

export interface StartFromChat extends StartOptions {
  readonly character?: Character;
  /** A line that the user says first: appended to the chat as part of the frozen prefix. */
  readonly message?: string;
}

export interface StartWithPromptSnapshot extends StartOptions {
  readonly promptSnapshot: unknown;
}

/** A run that has been admitted and is being carried on. */
export interface StartedRun extends RunHandle {
  readonly generationType: GenerationType;
  readonly chat: FrozenChat;
}

const decodeGenerationType = Schema.decodeUnknownOption(GenerationType);

/** Starts a run whose prompt the embedded assembler makes of the chat, the character and the profile. */
export const startRunFromChat = Effect.fn("Runs.startFromChat")(function* (options: StartFromChat) {
  const assembler = yield* PromptAssembler;
  const start = yield* prepare(options);
  const { found, snapshot } = start;
  const { profile } = found;
  if (options.message !== undefined && start.generationType !== "normal")
    return yield* fatal(
      "usage.invalid",
      `A message can be added before a normal generation only, not before ${start.generationType}.`,
    );
  const assemble = (chat: FrozenChat): Effect.Effect<PromptSnapshot, Fatal> =>
    assembler
      .assemble({
        generationType: start.generationType,
        chat,
        ...(options.character === undefined ? {} : { character: options.character }),
        agentSystemPrompt:
          profile.instructions.agentSystemPrompt ?? systemPrompt(snapshot, profile.output.messageBodyPath),
        initialChatHistoryMessages: profile.context.initialChatHistoryMessages,
      })
      .pipe(
        Effect.mapError(classifyPrompt),
        Effect.map((messages) => ({ contextPolicy: policyOf(found), messages, generationParameters: {} })),
      );
  // Once for the checks: what follows may change the chat.
  yield* assemble(start.chat);
  yield* openJournal(start.runId, start.chat, start.createdAt);
  const chat = yield* withMessage(options, start.chat, start.createdAt).pipe(
    Effect.tapError(() => abandon(start.runId)),
  );
  return yield* carryOn(options, { ...start, chat, prompt: yield* assemble(chat), promptSource: assembler.source });
});

/** Starts a run with a prompt that the host has assembled. */
export const startRunWithPromptSnapshot = Effect.fn("Runs.startWithPromptSnapshot")(function* (
  options: StartWithPromptSnapshot,
) {
  const start = yield* prepare(options);
  const prompt = yield* readPromptSnapshot(options.promptSnapshot, policyOf(start.found));
  yield* openJournal(start.runId, start.chat, start.createdAt);
  return yield* carryOn(options, { ...start, prompt, promptSource: "snapshot" });
});

const prepare = Effect.fnUntraced(function* (options: StartOptions) {
  const chatHost = yield* ChatHost;
  const { catalog } = yield* Tools;
  const { next } = yield* Identifiers.Identifiers;
  const generationType = decodeGenerationType(options.generationType ?? "normal");
  if (Option.isNone(generationType))
    return yield* fatal(
      "agent.invalid_generation_type",
      `There is no generation type "${options.generationType}". Use normal, regenerate or swipe.`,
    );
  const found = yield* findProfile(options.profile ?? {});
  const chat = yield* chatHost.freeze(options.chat, generationType.value).pipe(Effect.mapError(chatRefusal));
  const createdAt = new Date(yield* Clock.currentTimeMillis).toISOString();
  return {
    runId: Identifiers.runId(next()),
    createdAt,
    generationType: generationType.value,
    found,
    chat,
    snapshot: prepareSnapshot(`tools_${next()}`, catalog, found.profile),
  };
});

type Prepared = Effect.Success<ReturnType<typeof prepare>>;

const carryOn = Effect.fnUntraced(function* (
  options: StartOptions,
  start: Prepared & { readonly prompt: PromptSnapshot; readonly promptSource: string },
) {
  const runs = yield* Runs;
  const writer = yield* admitRun({
    ...start,
    location: options.chat,
    binding: options.binding,
    ...(options.generationIntent === undefined ? {} : { intent: options.generationIntent }),
  });
  const handle = yield* runs.carryOn(writer, options.onDelta);
  return { ...handle, generationType: start.generationType, chat: start.chat } satisfies StartedRun;
});

const withMessage = Effect.fnUntraced(function* (
  options: StartFromChat,
  chat: FrozenChat,
  at: string,
): Effect.fn.Return<FrozenChat, Fatal, ChatHost> {
  if (options.message === undefined) return chat;
  const chatHost = yield* ChatHost;
  yield* chatHost
    .appendUserMessage(options.chat, { text: options.message, revision: chat.revision, at })
    .pipe(Effect.mapError(chatRefusal));
  return yield* chatHost.freeze(options.chat, "normal").pipe(Effect.mapError(chatRefusal));
});

/** A run that was not admitted leaves nothing behind. */
const abandon = Effect.fnUntraced(function* (runId: RunId): Effect.fn.Return<void, never, RunJournal> {
  const journal = yield* RunJournal;
  yield* journal.remove(runId).pipe(Effect.ignore);
});

const policyOf = ({ profile }: FoundProfile) => ({
  initialChatHistoryMessages: profile.context.initialChatHistoryMessages,
  includeActivatedWorldInfo: profile.context.includeActivatedWorldInfo,
});

const chatRefusal = (fault: ChatFault): Fatal => {
  const failure = classifyChat(fault);
  return failure._tag === "Fatal" ? failure : fatal(failure.reason.code, failure.message, { cause: fault });
};

const classifyPrompt = (fault: PromptFault): Fatal =>
  fault.reason._tag === "Empty"
    ? fatal("agent.tool_loop_requires_messages", fault.detail, { cause: fault })
    : fatal("agent.prompt_marker_unmaterialized", fault.detail, { cause: fault });
