/**
 * The prompt of an agent that was given work and whose profile names a preset: made by the assembler of this process from what
 * the run was started with, or by the host that started the run.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { type Message, textOf } from "@cahier/domain/model/Message";
import type { Payload } from "@cahier/domain/payload/Payload";
import type { ResolvedProfile } from "@cahier/domain/profile/resolveProfile";
import { draft } from "@cahier/domain/run/RunEvent";
import type { InvocationState } from "@cahier/domain/run/RunState";
import type { TaskState } from "@cahier/domain/task/Task";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import type { PromptSnapshot } from "../run/InvocationSetup.ts";
import type { RunResources } from "../run/RunContext.ts";
import { assemblePrompt } from "./assemblePrompt.ts";
import * as FrozenPromptInput from "./FrozenPromptInput.ts";
import * as PromptAssemblies from "./PromptAssemblies.ts";
import { agreeOnPolicy, readPromptSnapshot } from "./readPromptSnapshot.ts";

/** For whom the prompt is, and the texts that it must hold. */
export interface AgentWithPreset {
  readonly invocation: InvocationState;
  readonly task: TaskState;
  readonly profile: ResolvedProfile;
  readonly modelId: string;
  readonly agentSystemPrompt: string;
  readonly agentTask: string;
  /** What the run was started with, where that was frozen. */
  readonly promptInput: Payload | undefined;
}

/** How long a host may take to make a prompt. */
export const assemblyDeadlineMs = 600_000;

/** How often an answer is looked for, in milliseconds. */
const lookEveryMs = 250;

/** Makes the prompt. While a host is asked, the other agents of the run go on. */
export const promptByPreset = Effect.fn("Prompt.byPreset")(function* (
  resources: RunResources,
  agent: AgentWithPreset,
): Effect.fn.Return<PromptSnapshot, Fatal> {
  const { assembler, payloads } = resources;
  const { agentSystemPrompt, agentTask, modelId, profile, promptInput } = agent;
  const frozen =
    promptInput === undefined ? Option.none() : FrozenPromptInput.decode(yield* payloads.read(promptInput));
  if (assembler === undefined || Option.isNone(frozen)) return yield* askHost(resources, agent);
  const { character, chat, generationType, material } = frozen.value;
  const { prompt } = yield* assemblePrompt(assembler, {
    generationType,
    chat,
    character,
    agentSystemPrompt,
    agentTask,
    profile,
    modelId,
    material,
  });
  return prompt;
});

const askHost = Effect.fnUntraced(function* (
  resources: RunResources,
  agent: AgentWithPreset,
): Effect.fn.Return<PromptSnapshot, Fatal> {
  const { documents, writer } = resources;
  const { invocation, profile } = agent;
  const request = requestOf(resources, agent);
  const { assemblyId } = request;
  yield* PromptAssemblies.leave(documents, request, agent.promptInput);
  const about = { assemblyId, invocationId: invocation.id, profileId: invocation.profileId };
  if (invocation.assembly?.assemblyId !== assemblyId)
    yield* writer.exclusively(
      Effect.suspend(() => {
        writer.record(
          draft("prompt_assembly_requested", invocation.id, {
            ...about,
            scope: request.invocationKind === "subagent" ? "subagent" : "handoff",
            requestKind: request.kind,
            requestSchemaVersion: request.schemaVersion,
            requestFingerprint: request.fingerprint,
          }),
        );
        return writer.flush;
      }),
    );
  const { askedAt = new Date(writer.now()).toISOString() } = writer.state().invocations[invocation.id]?.assembly ?? {};
  const made = yield* Effect.result(
    Effect.flatMap(answerTo(resources, assemblyId, askedAt), (answer) => accept(resources, agent, answer)),
  );
  yield* writer.exclusively(
    Effect.suspend(() => {
      writer.record(
        made._tag === "Success"
          ? draft("prompt_assembly_completed", invocation.id, { ...about, messageCount: made.success.messages.length })
          : draft("prompt_assembly_failed", invocation.id, {
              ...about,
              code: made.failure.reason.code,
              message: made.failure.message,
            }),
      );
      return writer.flush;
    }),
  );
  yield* PromptAssemblies.remove(documents, writer.runId, assemblyId);
  if (made._tag === "Failure") return yield* made.failure;
  return { ...made.success, contextPolicy: policyOf(profile) };
});

/** The same facts after a crash are the same request, and so is its id. */
const requestOf = (
  { nextHex, writer }: RunResources,
  { agentSystemPrompt, agentTask, invocation, modelId, profile, promptInput, task }: AgentWithPreset,
): PromptAssemblies.PromptAssemblyRequest => {
  const { ref = { apiId: "", name: "" } } = profile.preset;
  const facts = {
    kind: PromptAssemblies.kind,
    schemaVersion: PromptAssemblies.schemaVersion,
    runId: writer.runId,
    invocationId: invocation.id,
    invocationKind: invocation.kind,
    parentInvocationId: invocation.parent,
    taskId: task.taskId,
    profileId: invocation.profileId,
    generationType: writer.state().target?.generationType ?? "normal",
    presetRef: ref,
    modelId,
    contextPolicy: policyOf(profile),
    agentSystemPrompt,
    agentTaskPrompt: agentTask,
    requiredAgentPromptComponents: PromptAssemblies.requiredComponents,
  } as const;
  const fingerprint = PromptAssemblies.fingerprintOf(facts, promptInput);
  const before = invocation.assembly;
  const assemblyId = before?.fingerprint === fingerprint ? before.assemblyId : `assembly_${nextHex()}`;
  return { ...facts, assemblyId, fingerprint };
};

const policyOf = ({ context }: ResolvedProfile) => ({
  initialChatHistoryMessages: context.initialChatHistoryMessages,
  includeActivatedWorldInfo: context.includeActivatedWorldInfo,
});

/**
 * Waits for the answer until the deadline, which counts from when it was first asked for; what cannot be looked up now is
 * looked up again.
 */
const answerTo = (
  resources: RunResources,
  assemblyId: string,
  askedAt: string,
): Effect.Effect<PromptAssemblies.Answer, Fatal> =>
  Effect.timeoutOrElse(lookFor(resources, assemblyId), {
    duration: Math.max(lookEveryMs, Date.parse(askedAt) + assemblyDeadlineMs - resources.writer.now()),
    orElse: () => Effect.fail(fatal("agent.host_timeout", `Nobody made the prompt ${assemblyId} within ten minutes.`)),
  });

const lookFor = Effect.fnUntraced(function* (
  { documents, writer }: RunResources,
  assemblyId: string,
): Effect.fn.Return<PromptAssemblies.Answer> {
  for (;;) {
    const answer = yield* PromptAssemblies.answerTo(documents, writer.runId, assemblyId).pipe(
      Effect.orElseSucceed(() => Option.none<PromptAssemblies.Answer>()),
    );
    if (Option.isSome(answer)) return answer.value;
    yield* Effect.sleep(lookEveryMs);
  }
});

/** The prompt of an answer, held to what was asked for. */
const accept = Effect.fnUntraced(function* (
  { payloads }: RunResources,
  { agentSystemPrompt, agentTask, profile }: AgentWithPreset,
  answer: PromptAssemblies.Answer,
): Effect.fn.Return<PromptSnapshot, Fatal> {
  if ("error" in answer)
    return yield* fatal("agent.prompt_assembly_failed", `The host could not make the prompt: ${answer.error}`);
  const json = yield* payloads.read(answer.promptSnapshot);
  const stated = yield* readPromptSnapshot(yield* parse(json).pipe(Effect.orElseSucceed(() => undefined)));
  const prompt = yield* agreeOnPolicy(stated, policyOf(profile));
  for (const [component, text] of [
    ["agentSystemPrompt", agentSystemPrompt],
    ["agentTask", agentTask],
  ] as const)
    if (!holds(prompt.messages, text))
      return yield* fatal(
        "agent.prompt_assembly_failed",
        `The prompt that the host made does not hold ${component}. Put its text into the prompt as it is.`,
      );
  return { ...prompt, agentSystemPrompt };
});

const parse = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Json));

const holds = (messages: ReadonlyArray<Message>, text: string): boolean =>
  text.trim() === "" || messages.some((message) => textOf(message).includes(text));
