/**
 * The two ways to start a run: from a chat that the host can read, or with a prompt that a host has made.
 *
 * Owns the order of the checks. Both end in the one admission. Nothing of the chat is touched before everything else
 * is known to be right and stored, and no start happens without a stated prompt.
 */
import { type FrozenChat, GenerationType } from "@cahier/domain/chat/Chat";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import { persistRoot } from "@cahier/domain/persist/PersistentState";
import type { ContextPolicy } from "@cahier/domain/run/event/model";
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import * as ActivatedWorldInfo from "@cahier/domain/worldinfo/ActivatedWorldInfo";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { ChatHost, type ChatLocation } from "@cahier/ports/ChatHost";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import { type Character, type PresetRef, PromptAssembler } from "@cahier/ports/PromptAssembler";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { chatRefusal } from "../failure/classifyChat.ts";
import { withAdvice } from "../failure/withAdvice.ts";
import { type AskedModel, type BoundModel, chooseModel } from "../connection/chooseModel.ts";
import * as Identifiers from "../identity/Identifiers.ts";
import { type Base, chooseBase } from "../persist/chooseBase.ts";
import { captured } from "../rollback/captured.ts";
import * as Agents from "../delegation/Agents.ts";
import { delegationOf, foreground } from "../profile/limitsOf.ts";
import * as Policies from "../policy/Policies.ts";
import { findProfile, type FoundProfile, type ProfileChoice } from "../profile/findProfile.ts";
import { assemblePrompt, type MadePrompt } from "../prompt/assemblePrompt.ts";
import * as FrozenPromptInput from "../prompt/FrozenPromptInput.ts";
import { agreeOnPolicy, readPromptSnapshot } from "../prompt/readPromptSnapshot.ts";
import { agentPrompt } from "../prompt/systemPrompt.ts";
import { ambientOf, type ResolvedSkills, resolveSkills } from "../skill/resolveSkills.ts";
import { prepareSnapshot } from "../tool/prepareSnapshot.ts";
import { Tools } from "../tool/Tools.ts";
import { abandonRun } from "./abandonRun.ts";
import { admitRun, openJournal, type Preparation, prepareRun, type RunInput } from "./admitRun.ts";
import { type CarryOnOptions, Runs } from "./Runs.ts";
import type { RunWriter } from "./RunWriter.ts";
import {
  requireCommit,
  requireCountable,
  requireNamed,
  requireSameCharacter,
  requireSamePreset,
} from "./startChecks.ts";
import type { RunHandle } from "./supervise.ts";

interface StartOptions extends CarryOnOptions {
  readonly chat: ChatLocation;
  /** Default `normal`. */
  readonly generationType?: string;
  readonly profile?: ProfileChoice;
  /** The model to use, whatever the profile names; its endpoint and secret reference are frozen with the run. */
  readonly binding?: AskedModel;
  /** Gives the host's own model. Asked only when neither `binding` nor the profile names one. */
  readonly hostModel?: Effect.Effect<ModelBinding, Fatal>;
  /** What the host wants to say of this generation; journalled as given. */
  readonly generationIntent?: Schema.Json;
  /** The world info that the host activated for this generation: see `ActivatedWorldInfo`. */
  readonly worldInfo?: unknown;
  /** The state that the run is to begin with: the start is refused when its chat leads to another one. */
  readonly persistBaseStateId?: string;
  /** The preset that the run is started under: its agents have the Skills of that preset. */
  readonly preset?: PresetRef;
}

export interface StartFromChat extends StartOptions {
  readonly character?: Character;
  /** A line that the user says first: appended to the chat as part of the frozen prefix. */
  readonly message?: string;
}

export interface StartWithPromptSnapshot extends StartOptions {
  readonly promptSnapshot: unknown;
  /**
   * What the host made the prompt of, as it likes: it is frozen with the run, and given back to the host when it is asked for
   * the prompt of another agent (`prompt_assembly_requested`).
   */
  readonly promptInput?: Schema.Json;
  /** The character that the host made the prompt for, by its id: the start is refused when the chat is with another one. */
  readonly characterId?: string;
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
  const choice = yield* choose(options);
  const { generationType, snapshot } = choice;
  const { profile } = choice.found;
  yield* requireCommit(choice);
  const start = yield* freeze(options, choice);
  if (options.message !== undefined && generationType !== "normal")
    return yield* fatal(
      "usage.invalid",
      `A message can be added before a normal generation only, not before ${generationType}.`,
    );
  const agentSystemPrompt = agentPrompt(snapshot, profile, {
    agents: yield* callableBy(profile),
    skills: start.skills.frozen.skills,
  });
  const admitAs = (preparation: Preparation, chat: FrozenChat, { activated: found, material, prompt }: MadePrompt) =>
    admitted(preparation, {
      chat,
      promptInput: FrozenPromptInput.of(generationType, chat, options.character, material),
      prompt,
      promptSource: assembler.source,
      worldInfo: choice.worldInfo ?? found,
    });
  const assemble = (chat: FrozenChat): Effect.Effect<MadePrompt, Fatal> =>
    assemblePrompt(assembler, {
      generationType,
      chat,
      character: options.character,
      agentSystemPrompt,
      profile,
      modelId: choice.model.binding.modelId,
      keepsMaterial: delegationOf(profile, foreground) !== undefined,
    });
  // Made for the chat as it is going to be: a prompt that cannot be made or stored leaves the chat alone.
  const expected = yield* assemble(expectedChat(start.chat, options.message));
  return yield* carryOn(options, start, (preparation) =>
    Effect.gen(function* () {
      const { message } = options;
      if (message === undefined) return yield* admitAs(preparation, start.chat, expected);
      yield* preparation.storePrompt(expected.prompt);
      yield* appendMessage(options.chat, message, start);
      return yield* frozen(options.chat, start.generationType).pipe(
        Effect.flatMap((chat) => Effect.flatMap(assemble(chat), (made) => admitAs(preparation, chat, made))),
        Effect.mapError(afterMessage),
      );
    }),
  );
});

/** Starts a run with a prompt that the host has assembled. */
export const startRunWithPromptSnapshot = Effect.fn("Runs.startWithPromptSnapshot")(function* (
  options: StartWithPromptSnapshot,
) {
  const stated = yield* readPromptSnapshot(options.promptSnapshot);
  const choice = yield* choose(options);
  const prompt = yield* agreeOnPolicy(stated, choice.policy);
  yield* requireCommit(choice);
  yield* requireSamePreset(options.preset, choice.found.profile);
  const start = yield* freeze(options, choice);
  yield* requireSameCharacter(options.characterId, start.chat.ref);
  return yield* carryOn(options, start, (preparation) =>
    admitted(preparation, {
      chat: start.chat,
      promptInput: options.promptInput,
      prompt,
      promptSource: "snapshot",
      worldInfo: choice.worldInfo,
    }),
  );
});

/** Whom the agent of a profile can call as it begins. */
const callableBy = Effect.fnUntraced(function* (profile: FoundProfile["profile"]) {
  const delegation = delegationOf(profile, foreground);
  if (delegation === undefined) return [];
  const agents = yield* Agents.make;
  return yield* agents.callable({ profileId: profile.id, isSubagent: false, depth: 0, delegation });
});

/** What a start asks for, decided without looking at the chat. */
interface Choice {
  readonly generationType: GenerationType;
  readonly found: FoundProfile;
  readonly model: BoundModel;
  readonly policy: ContextPolicy;
  readonly snapshot: InvocationToolSnapshot;
  readonly worldInfo: ActivatedWorldInfo.ActivatedWorldInfo | undefined;
}

const choose = Effect.fnUntraced(function* (
  options: StartOptions,
): Effect.fn.Return<Choice, Fatal, DocumentStore | Tools> {
  const { tools: catalog } = yield* (yield* Tools).catalogue;
  const { next } = yield* Identifiers.Identifiers;
  yield* requireNamed(options.preset);
  const generationType = decodeGenerationType(options.generationType ?? "normal");
  if (Option.isNone(generationType))
    return yield* fatal(
      "agent.invalid_generation_type",
      `There is no generation type "${options.generationType}". Use normal, regenerate or swipe.`,
    );
  const found = yield* findProfile(options.profile ?? {});
  const model = yield* chooseModel(options.binding, found.profile, options.hostModel);
  yield* requireCountable(found, model.binding);
  const { initialChatHistoryMessages, includeActivatedWorldInfo } = found.profile.context;
  const snapshot = yield* Effect.fromResult(
    prepareSnapshot({
      id: `tools_${next()}`,
      catalog,
      scene: "chat",
      profile: found.profile,
      layers: yield* Policies.layersForRun(found.profile, model.binding),
    }),
  ).pipe(Effect.mapError(({ code, message }) => fatal(code, message)));
  return {
    generationType: generationType.value,
    found,
    model,
    policy: { initialChatHistoryMessages, includeActivatedWorldInfo },
    snapshot,
    worldInfo: options.worldInfo === undefined ? undefined : yield* activated(options.worldInfo),
  };
});

const activated = (input: unknown): Effect.Effect<ActivatedWorldInfo.ActivatedWorldInfo, Fatal> =>
  Effect.fromResult(Result.mapError(ActivatedWorldInfo.decode(input), ({ code, message }) => fatal(code, message)));

interface Start extends Choice {
  readonly runId: RunId;
  readonly createdAt: string;
  readonly chat: FrozenChat;
  readonly base: Base | undefined;
  readonly replaced: string | undefined;
  readonly skills: ResolvedSkills;
}

const freeze = Effect.fnUntraced(function* (
  options: StartOptions,
  choice: Choice,
): Effect.fn.Return<Start, Fatal, ChatHost | BlobStore | DocumentStore | RunJournal> {
  const { next } = yield* Identifiers.Identifiers;
  const { generationType } = choice;
  const chat = yield* frozen(options.chat, generationType);
  const expected = options.persistBaseStateId;
  const remembers = choice.found.profile.workspace.visibleRoots.includes(persistRoot);
  const base = remembers ? yield* chooseBase({ location: options.chat, generationType, chat, expected }) : undefined;
  const skills = yield* resolveSkills(choice.found.profile, ambientOf(chat.ref, options.preset));
  const createdAt = new Date(yield* Clock.currentTimeMillis).toISOString();
  const replaced = generationType === "regenerate" ? yield* captured(options.chat, "last", chat.revision) : undefined;
  return { ...choice, runId: Identifiers.runId(next()), createdAt, chat, base, replaced, skills };
});

const frozen = Effect.fnUntraced(function* (
  chat: ChatLocation,
  generationType: GenerationType,
): Effect.fn.Return<FrozenChat, Fatal, ChatHost> {
  const chatHost = yield* ChatHost;
  return yield* chatHost.freeze(chat, generationType).pipe(Effect.mapError(chatRefusal));
});

/** An admitted run: the chat that it was admitted with and the writer that stands behind its first batch. */
interface Admitted {
  readonly chat: FrozenChat;
  readonly writer: RunWriter;
}

const admitted = (
  preparation: Preparation,
  input: RunInput,
): Effect.Effect<Admitted, Fatal, Effect.Services<ReturnType<typeof admitRun>>> =>
  Effect.map(admitRun(preparation, input), (writer) => ({ chat: input.chat, writer }));

/** Opens the journal, prepares and admits the run, and hands it to whoever carries runs on. */
const carryOn = Effect.fnUntraced(function* <R>(
  options: StartOptions,
  { chat: before, ...start }: Start,
  admit: (preparation: Preparation) => Effect.Effect<Admitted, Fatal, R>,
) {
  const runs = yield* Runs;
  yield* openJournal(start.runId, before, start.createdAt);
  const { chat, writer } = yield* prepareRun({
    ...start,
    location: options.chat,
    ...(options.generationIntent === undefined ? {} : { intent: options.generationIntent }),
  }).pipe(
    Effect.flatMap(admit),
    Effect.onError(() => abandonRun(start.runId)),
  );
  const handle = yield* runs
    .carryOn(writer, options)
    .pipe(
      Effect.mapError((failure) =>
        withAdvice(failure, `The run ${start.runId} is admitted: resume it instead of starting it again.`),
      ),
    );
  return { ...handle, generationType: start.generationType, chat } satisfies StartedRun;
});

/** The chat with the message at its end, as its host is expected to give it back. */
const expectedChat = (chat: FrozenChat, message: string | undefined): FrozenChat =>
  message === undefined
    ? chat
    : {
        ...chat,
        messages: [
          ...chat.messages,
          { index: chat.messages.length, role: "user", name: chat.userName, text: message, hidden: false },
        ],
      };

const appendMessage = Effect.fnUntraced(function* (
  location: ChatLocation,
  text: string,
  { chat, createdAt }: Start,
): Effect.fn.Return<void, Fatal, ChatHost> {
  const chatHost = yield* ChatHost;
  yield* chatHost
    .appendUserMessage(location, { text, revision: chat.revision, at: createdAt })
    .pipe(
      Effect.mapError((fault) =>
        fault.reason._tag === "Silent"
          ? withAdvice(chatRefusal(fault), "Look at the end of the chat: the message may be in it.")
          : chatRefusal(fault),
      ),
    );
});

const afterMessage = (failure: Fatal): Fatal =>
  withAdvice(failure, "The message is in the chat already: leave it out when you start again.");
