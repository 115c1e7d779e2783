/** Makes ready what an invocation works with that was given a task: model, tools and prompt, frozen in one append. */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { InvocationId } from "@cahier/domain/identity/Identity";
import { rootInvocation } from "@cahier/domain/identity/Identity";
import { type Message, text, textOf } from "@cahier/domain/model/Message";
import { ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { Payload } from "@cahier/domain/payload/Payload";
import { ResolvedProfile } from "@cahier/domain/profile/resolveProfile";
import { draft } from "@cahier/domain/run/RunEvent";
import type { InvocationState } from "@cahier/domain/run/RunState";
import { depthOf } from "@cahier/domain/run/tasks";
import type { FrozenSkill } from "@cahier/domain/skill/FrozenSkills";
import type { TaskState } from "@cahier/domain/task/Task";
import { type InvocationToolSnapshot, trust } from "@cahier/domain/tool/ToolSnapshot";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { type BoundModel, originOf } from "../../connection/chooseModel.ts";
import type { Callable } from "../../delegation/Agents.ts";
import * as FrozenInput from "../../payload/FrozenInput.ts";
import { delegationOf, limitsOf } from "../../profile/limitsOf.ts";
import { promptByPreset } from "../../prompt/promptByPreset.ts";
import { skippedOf } from "../../prompt/skippedOf.ts";
import { agentPrompt } from "../../prompt/systemPrompt.ts";
import * as AgentSkills from "../../skill/AgentSkills.ts";
import { ambientOf, type ResolvedSkills, scopesResolved } from "../../skill/resolveSkills.ts";
import { aliasesOf, prepareSnapshot } from "../../tool/prepareSnapshot.ts";
import { type ChatState, PromptSnapshot } from "../InvocationSetup.ts";
import * as paths from "../paths.ts";
import type { RunResources } from "../RunContext.ts";
import { requireCountable } from "../startChecks.ts";
import { recordOf } from "./endTask.ts";

/** Records everything that the invocation works with, and that its task is begun. */
export const prepareInvocation = Effect.fn("Invocation.prepare")(function* (
  resources: RunResources,
  invocationId: InvocationId,
  task: TaskState,
): Effect.fn.Return<void, Fatal> {
  const { agents, payloads, writer } = resources;
  const invocation = writer.state().invocations[invocationId];
  const root = writer.state().invocations[rootInvocation];
  if (invocation === undefined || root === undefined || root.context === null)
    return yield* fatal("journal.corrupt", "The journal does not say what the run was started with.");
  const profile = yield* read(resources, task.profile, decoders.profile);
  const base = yield* read(resources, root.context.promptSnapshot, decoders.prompt);
  const model: BoundModel = (yield* agents.bind(profile)) ?? {
    mode: "currentPromptSnapshot",
    binding: yield* read(resources, root.binding, decoders.binding),
  };
  // What nobody can count would hold nothing back: neither the agent's own limit nor that of the run.
  yield* requireCountable({ profile }, model.binding);
  if (root.context.limits.budget?.cost !== undefined)
    yield* requireCountable(
      { profile: { ...profile, run: { ...profile.run, budget: root.context.limits.budget } } },
      model.binding,
    );
  const parent = writer.state().invocations[task.parent];
  const delegation = delegationOf(profile, {
    isSubagent: invocation.kind === "subagent",
    depth: depthOf(writer.state(), invocation),
    parentMaxDepth: parent?.context?.limits.delegation?.maxDepth,
  });
  const snapshot = yield* Effect.fromResult(
    prepareSnapshot({
      id: `tools_${resources.nextHex()}`,
      catalog: (yield* resources.tools.catalogue).tools,
      scene: "chat",
      profile,
      layers: yield* agents.layers(profile, model.binding),
      exitPolicy: invocation.exitPolicy,
      delegates: delegation?.canDelegate === true,
      earlierAliases: yield* earlierAliases(resources, [root, ...(parent === undefined ? [] : [parent])]),
    }),
  ).pipe(Effect.mapError(({ code, message }) => fatal(code, message)));
  const limits = { ...limitsOf(profile), ...(delegation === undefined ? {} : { delegation }) };
  const callable =
    delegation === undefined
      ? []
      : yield* agents.callable({
          profileId: profile.id,
          isSubagent: invocation.kind === "subagent",
          depth: depthOf(writer.state(), invocation),
          delegation,
        });
  const skills = yield* skillsOf(resources, root, profile);
  const parts = {
    base,
    callable,
    skills: skills.frozen.skills,
    invocation,
    modelId: model.binding.modelId,
    profile,
    root,
    snapshot,
    task,
  };
  const prompt = yield* promptOf(resources, parts);
  const stored = {
    binding: yield* payloads.store(paths.modelBinding(invocationId), JSON.stringify(model.binding)),
    prompt: yield* payloads.store(paths.promptSnapshot(invocationId), JSON.stringify(prompt)),
    tools: yield* payloads.store(paths.toolSnapshot(invocationId), JSON.stringify(snapshot)),
    ...(skills.isRecorded
      ? { skills: yield* payloads.store(paths.frozenSkills(invocationId), JSON.stringify(skills.frozen)) }
      : {}),
  };
  const { chat, promptInput, worldInfo } = root.context;
  const begin = Effect.sync(() =>
    writer.record(
      {
        ...draft("agent_task_started", task.parent, {
          taskId: task.taskId,
          parentInvocationId: task.parent,
          childInvocationId: invocationId,
          status: "running",
        }),
        related: [invocationId],
      },
      draft("agent_invocation_started", invocationId, { ...recordOf(invocation), status: "running" }),
      ...(stored.skills === undefined ? [] : [scopesResolved(invocationId, invocation.profileId, skills)]),
      draft("agent_model_binding_resolved", invocationId, {
        invocationId,
        ...originOf(model),
        binding: stored.binding,
        source: model.binding.source,
        format: model.binding.format,
        modelId: model.binding.modelId,
      }),
      draft("context_assembled", invocationId, {
        invocationId,
        request: {
          source: model.binding.source,
          format: model.binding.format,
          model: model.binding.modelId,
          messageCount: prompt.messages.length,
          toolCount: snapshot.bindings.length,
        },
        tools: snapshot.bindings.map(({ descriptor }) => descriptor.id),
        limits,
        contextPolicy: prompt.contextPolicy,
        promptSource: profile.preset.mode === "ref" ? "preset" : "task",
        promptSnapshot: stored.prompt,
        ...(prompt.tokens === undefined ? {} : { tokens: prompt.tokens }),
        toolSnapshot: stored.tools,
        ...(chat === undefined ? {} : { chat }),
        ...(worldInfo === undefined ? {} : { worldInfo }),
        ...(promptInput === undefined ? {} : { promptInput }),
        ...(stored.skills === undefined ? {} : { skills: stored.skills }),
      }),
      ...skippedOf(invocationId, prompt),
    ),
  );
  // That of a delegated agent is whole whenever the agent is stopped.
  yield* writer.exclusively(begin, invocation.kind === "subagent");
});

const decoders = {
  binding: Schema.decodeUnknownEffect(Schema.fromJsonString(ModelBinding)),
  profile: Schema.decodeUnknownEffect(Schema.fromJsonString(ResolvedProfile)),
  prompt: Schema.decodeUnknownEffect(Schema.fromJsonString(PromptSnapshot)),
};

const read = <A>(
  { payloads }: RunResources,
  payload: Payload | null,
  decode: (json: unknown) => Effect.Effect<A, Schema.SchemaError>,
): Effect.Effect<A, Fatal> =>
  payload === null
    ? Effect.fail(fatal("journal.corrupt", "The journal does not say what the run was started with."))
    : Effect.flatMap(payloads.read(payload), (json) =>
        Effect.mapError(decode(json), (cause) =>
          fatal("journal.corrupt", `${payload.path} does not have the form that it was stored in.`, { cause }),
        ),
      );

/** The Skills of its own profile, in the scopes that its run has for all its agents. */
const skillsOf = Effect.fnUntraced(function* (
  { payloads, skills, writer }: RunResources,
  root: InvocationState,
  profile: ResolvedProfile,
): Effect.fn.Return<ResolvedSkills, Fatal> {
  const { preset } = (yield* AgentSkills.read(payloads, root.context?.skills)).ambient;
  const { target } = writer.state();
  return yield* skills.resolve(profile, target === null ? {} : ambientOf(target.chatRef, preset));
});

/** The names that tools have in the run already. */
const earlierAliases = Effect.fnUntraced(function* (
  { payloads }: RunResources,
  invocations: ReadonlyArray<InvocationState>,
): Effect.fn.Return<ReadonlyMap<string, string>, Fatal> {
  const aliases = new Map<string, string>();
  for (const { context } of invocations) {
    if (context === null) continue;
    const snapshot = trust(yield* payloads.read(context.toolSnapshot));
    if (snapshot !== undefined && Result.isSuccess(snapshot))
      for (const [id, alias] of aliasesOf(snapshot.success)) aliases.set(id, alias);
  }
  return aliases;
});

/** What the prompt of an invocation that was given a task is made of. */
interface PromptParts {
  readonly base: PromptSnapshot;
  readonly callable: ReadonlyArray<Callable>;
  readonly skills: ReadonlyArray<FrozenSkill>;
  readonly invocation: InvocationState;
  readonly modelId: string;
  readonly profile: ResolvedProfile;
  readonly root: InvocationState;
  readonly snapshot: InvocationToolSnapshot;
  readonly task: TaskState;
}

const promptOf = Effect.fnUntraced(function* (
  resources: RunResources,
  { base, callable, invocation, modelId, profile, root, skills, snapshot, task }: PromptParts,
): Effect.fn.Return<PromptSnapshot, Fatal> {
  const isDelegated = invocation.kind === "subagent";
  const agentSystemPrompt = agentPrompt(snapshot, profile, {
    role: isDelegated ? "delegated" : "writer",
    agents: callable,
    skills,
  });
  const { payloads } = resources;
  const agentTask = yield* payloads.read(task.brief);
  if (profile.preset.mode === "ref") {
    const made = yield* promptByPreset(resources, {
      invocation,
      task,
      profile,
      modelId,
      agentSystemPrompt,
      agentTask,
      promptInput: root.context?.promptInput,
    });
    const chatState = isDelegated ? undefined : bothStates(base.chatState, made.chatState);
    const { chatState: _chatState, ...prompt } = made;
    return chatState === undefined ? prompt : { ...prompt, chatState };
  }
  const brief = text("user", agentTask);
  const messages = isDelegated
    ? [text("system", agentSystemPrompt), ...(yield* historyOf(payloads, root, profile)), brief]
    : [...withPrompt(base, agentSystemPrompt), brief];
  const { includeActivatedWorldInfo, initialChatHistoryMessages } = profile.context;
  return {
    contextPolicy: { includeActivatedWorldInfo, initialChatHistoryMessages },
    messages,
    generationParameters: base.generationParameters,
    agentSystemPrompt,
    ...(isDelegated || base.chatState === undefined ? {} : { chatState: base.chatState }),
  };
});

/** What a run leaves to its chat is left by whoever publishes: of its first prompt, and of the successor's own. */
const bothStates = (first: ChatState | undefined, own: ChatState | undefined): ChatState | undefined =>
  first === undefined || own === undefined
    ? (own ?? first)
    : { values: { ...own.values, ...first.values }, before: { ...own.before, ...first.before } };

/** The messages of the run's own prompt with other instructions in the place of its agent's. */
const withPrompt = (base: PromptSnapshot, prompt: string): ReadonlyArray<Message> => {
  const before = base.agentSystemPrompt;
  const isThere = (message: Message) => before !== undefined && before !== "" && textOf(message).includes(before);
  if (before === undefined || !base.messages.some(isThere)) return [text("system", prompt), ...base.messages];
  return base.messages.map((message) =>
    isThere(message)
      ? {
          ...message,
          parts: message.parts.map((part) =>
            part.type === "text" ? { ...part, text: part.text.split(before).join(prompt) } : part,
          ),
        }
      : message,
  );
};

/** A task speaks for itself: of the chat only as much is told as the profile asks for by a number. */
const historyOf = Effect.fnUntraced(function* (
  payloads: RunResources["payloads"],
  root: InvocationState,
  { context }: ResolvedProfile,
): Effect.fn.Return<ReadonlyArray<Message>, Fatal> {
  if (context.initialChatHistoryMessages <= 0 || root.context === null) return [];
  const input = yield* FrozenInput.make(payloads, root.context);
  const visible = ((yield* input.messages) ?? []).filter(({ hidden }) => !hidden);
  return visible
    .slice(Math.max(0, visible.length - context.initialChatHistoryMessages))
    .map(({ name, role, text: said }) => text(role, said, name));
});
