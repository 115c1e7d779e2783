/**
 * Reads back what was frozen for an invocation: its model, tools, prompt and profile.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { InvocationId } from "@cahier/domain/identity/Identity";
import { Message } from "@cahier/domain/model/Message";
import { GenerationParameters, ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { Payload } from "@cahier/domain/payload/Payload";
import { PromptComponent, TokenCount } from "@cahier/domain/prompt/PromptComponent";
import { accessOf, ResolvedProfile } from "@cahier/domain/profile/resolveProfile";
import { ContextPolicy } from "@cahier/domain/run/event/model";
import type { ContextState, RunState } from "@cahier/domain/run/RunState";
import type { FrozenSkills } from "@cahier/domain/skill/FrozenSkills";
import { profileOf } from "@cahier/domain/run/tasks";
import { type InvocationToolSnapshot, trust } from "@cahier/domain/tool/ToolSnapshot";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as FrozenInput from "../payload/FrozenInput.ts";
import type { Payloads } from "../payload/Payloads.ts";
import { definitionsOf } from "../tool/prepareSnapshot.ts";
import * as AgentSkills from "../skill/AgentSkills.ts";
import type { SkillContents } from "../skill/SkillContents.ts";
import type { Tools } from "../tool/Tools.ts";
import type { ContextRules } from "../context/ContextRules.ts";
import type { InvocationSetup } from "./RunContext.ts";

/** What a chat is to keep: `values` by key, in the place of those of `before`; null is a key that the chat did not have. */
export const ChatState = Schema.Struct({
  values: Schema.Record(Schema.String, Schema.Json),
  before: Schema.Record(Schema.String, Schema.Json),
});
export type ChatState = typeof ChatState.Type;

/**
 * The messages that an invocation starts with, and under which rules they were made. `agentSystemPrompt` is the text of the
 * agent's own instructions within them, where it is known. `components`, `tokens` and `chatState` are what their assembler said.
 */
export const PromptSnapshot = Schema.Struct({
  contextPolicy: ContextPolicy,
  messages: Schema.Array(Message),
  generationParameters: GenerationParameters,
  agentSystemPrompt: Schema.optionalKey(Schema.String),
  components: Schema.optionalKey(Schema.Array(PromptComponent)),
  tokens: Schema.optionalKey(TokenCount),
  chatState: Schema.optionalKey(ChatState),
});
export type PromptSnapshot = typeof PromptSnapshot.Type;

const decoders = {
  binding: Schema.decodeUnknownEffect(Schema.fromJsonString(ModelBinding)),
  profile: Schema.decodeUnknownEffect(Schema.fromJsonString(ResolvedProfile)),
  prompt: Schema.decodeUnknownEffect(Schema.fromJsonString(PromptSnapshot)),
};

/** What was frozen for one invocation, as it was stored. */
export interface FrozenInvocation {
  readonly context: ContextState;
  readonly binding: ModelBinding;
  readonly profile: ResolvedProfile;
  readonly prompt: PromptSnapshot;
  readonly snapshot: InvocationToolSnapshot;
  readonly skills: FrozenSkills;
}

/** Reads back what was frozen; fatal when the journal does not hold it. */
export const readFrozen = Effect.fnUntraced(function* (
  state: RunState,
  invocationId: InvocationId,
  payloads: Payloads,
): Effect.fn.Return<FrozenInvocation, Fatal> {
  const invocation = state.invocations[invocationId];
  const context = invocation?.context;
  if (invocation === undefined || context === null || context === undefined)
    return yield* fatal(
      "agent.resume_unavailable",
      "The run was never admitted. A message that was given with it may be in the chat already: look there, leave it out if so, and start it again.",
    );
  const read = <A>(payload: Payload | null, decode: (json: unknown) => Effect.Effect<A, Schema.SchemaError>) =>
    payload === null
      ? Effect.fail(fatal("journal.corrupt", "The journal does not say what the run was started with."))
      : Effect.flatMap(payloads.read(payload), (json) =>
          Effect.mapError(decode(json), (cause) =>
            fatal("journal.corrupt", `${payload.path} does not have the form that it was stored in.`, { cause }),
          ),
        );
  return {
    context,
    binding: yield* read(invocation.binding, decoders.binding),
    profile: yield* read(profileOf(state, invocationId), decoders.profile),
    prompt: yield* read(context.promptSnapshot, decoders.prompt),
    snapshot: yield* snapshotOf(context.toolSnapshot, yield* payloads.read(context.toolSnapshot)),
    skills: yield* AgentSkills.read(payloads, context.skills),
  };
});

/** The setup and prompt of one invocation; fatal when the journal does not hold them. */
export const load = Effect.fn("InvocationSetup.load")(function* (
  state: RunState,
  invocationId: InvocationId,
  payloads: Payloads,
  tools: Tools["Service"],
  contents: SkillContents,
): Effect.fn.Return<{ readonly setup: InvocationSetup; readonly prompt: ReadonlyArray<Message> }, Fatal> {
  const { binding, context, profile, prompt, skills, snapshot } = yield* readFrozen(state, invocationId, payloads);
  return {
    prompt: prompt.messages,
    setup: {
      input: yield* FrozenInput.make(payloads, context),
      binding,
      snapshot,
      tools: new Map(
        snapshot.bindings.flatMap(({ descriptor }) => {
          const tool = tools.toolOf(descriptor);
          return tool === undefined ? [] : [[descriptor.id, tool] as const];
        }),
      ),
      definitions: definitionsOf(snapshot),
      parameters: prompt.generationParameters,
      skills: AgentSkills.make(contents, skills, profile.skills),
      access: accessOf(profile, skills.skills.length === 0 ? [] : [AgentSkills.skillsRoot]),
      messageBodyPath: profile.output.messageBodyPath,
      chatState: prompt.chatState,
      promptTokens: prompt.tokens?.count,
      denials: profile.sourceTrace.denials,
      contextRules: rulesOf(profile),
      stream: profile.run.stream,
      unadvertisedTool: profile.tools.unadvertisedTool,
      externalResultInlineCharLimit: profile.tools.externalResultInlineCharLimit,
    },
  };
});

/** What the profile says of how much of the work is shown. */
export const rulesOf = ({ context, instructions }: ResolvedProfile): ContextRules => ({
  ...context,
  language: instructions.language,
});

const snapshotOf = ({ path }: Payload, text: string): Effect.Effect<InvocationToolSnapshot, Fatal> => {
  const read = trust(text);
  return read === undefined
    ? Effect.fail(fatal("journal.corrupt", `${path} does not have the form that it was stored in.`))
    : Effect.fromResult(Result.mapError(read, ({ code, message }) => fatal(code, message)));
};
