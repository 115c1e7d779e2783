/**
 * The one admission of a run: from a checked start to a journal whose first batch holds everything frozen.
 *
 * A run whose first batch is appended can always be carried on; before that there is no run.
 */
import type { FrozenChat, GenerationType } from "@cahier/domain/chat/Chat";
import { workspaceIdOf } from "@cahier/domain/chat/workspaceIdOf";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { ProfileId, rootInvocation, type RunId } from "@cahier/domain/identity/Identity";
import { draft, type PayloadOf, type RunEventDraft } from "@cahier/domain/run/RunEvent";
import { empty } from "@cahier/domain/run/RunState";
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import type { Payload } from "@cahier/domain/payload/Payload";
import type { ActivatedWorldInfo } from "@cahier/domain/worldinfo/ActivatedWorldInfo";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { ChatLocation } from "@cahier/ports/ChatHost";
import { RunJournal } from "@cahier/ports/RunJournal";
import type * as Schema from "effect/Schema";
import * as Effect from "effect/Effect";
import { type BoundModel, originOf } from "../connection/chooseModel.ts";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as FrozenInput from "../payload/FrozenInput.ts";
import * as Payloads from "../payload/Payloads.ts";
import type { Base } from "../persist/chooseBase.ts";
import type { FoundProfile } from "../profile/findProfile.ts";
import { delegationOf, foreground, foregroundLimits } from "../profile/limitsOf.ts";
import { type ResolvedSkills, scopesResolved } from "../skill/resolveSkills.ts";
import type { PromptSnapshot } from "./InvocationSetup.ts";
import { Ownership } from "./Ownership.ts";
import * as paths from "./paths.ts";
import { skippedOf } from "../prompt/skippedOf.ts";
import { changeStatus } from "./RunContext.ts";
import * as RunWriter from "./RunWriter.ts";

/** Everything that a run is started with, checked, but for its input. */
export interface AdmissionTerms {
  readonly runId: RunId;
  /** ISO 8601; the time of the run's record and of its first event. */
  readonly createdAt: string;
  readonly generationType: GenerationType;
  readonly location: ChatLocation;
  readonly found: FoundProfile;
  readonly snapshot: InvocationToolSnapshot;
  readonly model: BoundModel;
  readonly intent?: Schema.Json;
  /** What the run begins with of what the chat's agents remember. */
  readonly base: Base | undefined;
  /** The message that a regenerate takes the place of, as the chat host keeps it. */
  readonly replaced: string | undefined;
  /** The Skills that its agent is given. */
  readonly skills: ResolvedSkills;
}

/** What a run works from: the chat as it was frozen, and the prompt that was made of it. */
export interface RunInput {
  readonly chat: FrozenChat;
  readonly prompt: PromptSnapshot;
  readonly promptSource: string;
  /** What prompts of other agents of the run can be made of; absent where nobody says. */
  readonly promptInput?: Schema.Json | undefined;
  readonly worldInfo: ActivatedWorldInfo | undefined;
}

/** What is stored of a run before its first batch. */
export interface Preparation {
  readonly terms: AdmissionTerms;
  readonly profileId: ProfileId;
  readonly stored: {
    readonly profile: Payload;
    readonly binding: Payload;
    readonly tools: Payload;
    readonly skills?: Payload;
  };
  readonly remembered: ReadonlyArray<PayloadOf<"persistent_file_projected">>;
  readonly replaces?: Payload;
  /** Stores a prompt of the run; a prompt that is stored already costs nothing more. */
  readonly storePrompt: (prompt: PromptSnapshot) => Effect.Effect<Payload, Fatal>;
  /** Stores what the run's tools read of its input. */
  readonly storeInput: (input: RunInput) => Effect.Effect<FrozenInput.StoredInput, Fatal>;
}

/** Makes the run's empty journal. It shows that the storage can be written before anything else is touched. */
export const openJournal = Effect.fn("Admission.openJournal")(function* (
  runId: RunId,
  chat: FrozenChat,
  createdAt: string,
): Effect.fn.Return<void, Fatal, RunJournal> {
  const journal = yield* RunJournal;
  yield* journal
    .create({ runId, workspaceId: workspaceIdOf(chat.ref.kind, chat.stableChatId), createdAt })
    .pipe(Effect.mapError(classifyStorage));
});

/** Takes the run for this process and stores what does not depend on its input. */
export const prepareRun = Effect.fn("Admission.prepare")(function* (
  terms: AdmissionTerms,
): Effect.fn.Return<Preparation, Fatal, RunJournal | BlobStore | Ownership> {
  const { runId, snapshot } = terms;
  const { profile } = terms.found;
  const ownership = yield* Ownership;
  const payloads = yield* Payloads.make(runId);
  const profileId = yield* Effect.fromOption(ProfileId.makeOption(profile.id)).pipe(
    Effect.mapError(() => fatal("agent.profile_id_invalid", `"${profile.id}" cannot be the id of a profile.`)),
  );
  ownership.take(runId);
  yield* ownership.beat;
  const stored = {
    profile: yield* payloads.store(paths.resolvedProfile, JSON.stringify(profile)),
    binding: yield* payloads.store(paths.modelBinding(rootInvocation), JSON.stringify(terms.model.binding)),
    tools: yield* payloads.store(paths.toolSnapshot(rootInvocation), JSON.stringify(snapshot)),
    ...(terms.skills.isRecorded
      ? { skills: yield* payloads.store(paths.frozenSkills(rootInvocation), JSON.stringify(terms.skills.frozen)) }
      : {}),
  };
  const { base, replaced } = terms;
  const remembered = yield* Effect.forEach(base?.files ?? [], ({ chars, path, text, words }) =>
    Effect.map(payloads.store(path, text), (content) => ({
      stateId: base?.stateId ?? "",
      path,
      chars,
      words,
      content,
    })),
  );
  return {
    terms,
    profileId,
    stored,
    remembered,
    ...(replaced === undefined ? {} : { replaces: yield* payloads.store(paths.replacedMessage, replaced) }),
    storePrompt: (prompt) => payloads.store(paths.promptSnapshot(rootInvocation), JSON.stringify(prompt)),
    // Whoever is given work may read the chat, whether or not whoever gives it does.
    storeInput: ({ chat, promptInput, worldInfo }) =>
      FrozenInput.store(
        payloads,
        snapshot,
        { messages: chat.messages, worldInfo, promptInput },
        delegationOf(profile, foreground) !== undefined,
      ),
  };
});

/** Appends the first batch of a prepared run and gives the writer that stands behind it. */
export const admitRun = Effect.fn("Admission.admit")(function* (
  { profileId, remembered, replaces, storeInput, storePrompt, stored, terms }: Preparation,
  input: RunInput,
): Effect.fn.Return<RunWriter.RunWriter, Fatal, RunJournal | Ownership> {
  const { found, generationType, location, runId, snapshot } = terms;
  const { profile } = found;
  const { binding } = terms.model;
  const ownership = yield* Ownership;
  const { chat, prompt, promptSource } = input;
  const promptSnapshot = yield* storePrompt(prompt);
  const storedInput = yield* storeInput(input);
  const writer = yield* RunWriter.make(runId, 1, empty);
  const workspaceId = workspaceIdOf(chat.ref.kind, chat.stableChatId);
  const root = { invocationId: rootInvocation, profileId, kind: "root" as const };
  writer.recordAt(
    terms.createdAt,
    draft("run_created", rootInvocation, {
      workspaceId,
      target: {
        kind: "chat",
        stableChatId: chat.stableChatId,
        chatRef: chat.ref,
        generationType,
        location: location.location,
        ...(location.groupId === undefined ? {} : { groupId: location.groupId }),
        characterName: chat.characterName,
        inputMessageCount: chat.messages.length,
        revision: chat.revision,
        ...(replaces === undefined ? {} : { replaces }),
      },
      presentation: profile.run.presentation,
      profileId,
    }),
  );
  writer.record(
    draft("run_owner_changed", rootInvocation, { owner: ownership.self, reason: "started" }),
    draft("profile_resolved", rootInvocation, {
      profileId,
      source: profile.sourceTrace.profileSource,
      resolvedProfile: stored.profile,
      diagnostics: found.diagnostics,
    }),
  );
  if (terms.intent !== undefined)
    writer.record(draft("generation_intent_recorded", rootInvocation, { intent: terms.intent }));
  changeStatus(writer, rootInvocation, "initializing_workspace", "started");
  writer.record(
    draft("workspace_initialized", rootInvocation, { workspaceId, stableChatId: chat.stableChatId }),
    ...projectionOf(terms.base, remembered),
    draft("agent_invocation_created", rootInvocation, {
      ...root,
      status: "created",
      exitPolicy: "run_finish_allowed",
    }),
  );
  changeStatus(writer, rootInvocation, "assembling_context", "workspace ready");
  if (stored.skills !== undefined) writer.record(scopesResolved(rootInvocation, profileId, terms.skills));
  writer.record(
    draft("agent_model_binding_resolved", rootInvocation, {
      invocationId: rootInvocation,
      ...originOf(terms.model),
      binding: stored.binding,
      source: binding.source,
      format: binding.format,
      modelId: binding.modelId,
    }),
    draft("context_assembled", rootInvocation, {
      invocationId: rootInvocation,
      request: {
        source: binding.source,
        format: binding.format,
        model: binding.modelId,
        messageCount: prompt.messages.length,
        toolCount: snapshot.bindings.length,
      },
      tools: snapshot.bindings.map(({ descriptor }) => descriptor.id),
      limits: foregroundLimits(profile),
      contextPolicy: prompt.contextPolicy,
      promptSource,
      promptSnapshot,
      ...(prompt.tokens === undefined ? {} : { tokens: prompt.tokens }),
      toolSnapshot: stored.tools,
      ...storedInput,
      ...(stored.skills === undefined ? {} : { skills: stored.skills }),
    }),
    ...skippedOf(rootInvocation, prompt),
    draft("agent_invocation_started", rootInvocation, { ...root, status: "running" }),
  );
  yield* writer.flush;
  return writer;
});

const projectionOf = (base: Base | undefined, remembered: Preparation["remembered"]): ReadonlyArray<RunEventDraft> =>
  base === undefined
    ? []
    : [
        draft("persistent_projection_initialized", rootInvocation, {
          stateId: base.stateId,
          source: base.source,
          ...(base.removed.length === 0 ? {} : { removed: base.removed }),
          fileCount: remembered.length,
        }),
        ...remembered.map((file) => draft("persistent_file_projected", rootInvocation, file)),
      ];
