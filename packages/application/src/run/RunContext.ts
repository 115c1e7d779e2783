/**
 * What the steps of one invocation work with: its frozen setup, its caches and the ports.
 */
import type { InvocationId } from "@cahier/domain/identity/Identity";
import { ownsRunStatus } from "@cahier/domain/invocation/Invocation";
import type { GenerationParameters, ModelBinding, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import type { Denials } from "@cahier/domain/profile/ProfileLayer";
import type { ModelDelta } from "@cahier/domain/model/ModelResponse";
import { type CheckpointReason, nextCheckpointId } from "@cahier/domain/run/checkpoint";
import type { RunEventDraft } from "@cahier/domain/run/RunEvent";
import { draft } from "@cahier/domain/run/RunEvent";
import type { RunStatus } from "@cahier/domain/run/RunStatus";
import * as Status from "@cahier/domain/run/RunStatus";
import type { InvocationState } from "@cahier/domain/run/RunState";
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import type { WorkspaceAccess } from "@cahier/domain/workspace/WorkspaceRoot";
import type { ChatHost, ChatLocation } from "@cahier/ports/ChatHost";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { ModelGateway } from "@cahier/ports/ModelGateway";
import type { PromptAssembler } from "@cahier/ports/PromptAssembler";
import type { SourceProgress } from "@cahier/ports/ToolSource";
import type { Denied, Fatal } from "@cahier/domain/failure/Failure";
import type * as Effect from "effect/Effect";
import type { Agents } from "../delegation/Agents.ts";
import type { ContextRules } from "../context/ContextRules.ts";
import type { ContextWindow } from "../context/ContextWindow.ts";
import type { FrozenInput } from "../payload/FrozenInput.ts";
import type { Payloads } from "../payload/Payloads.ts";
import type { States } from "../persist/States.ts";
import type { Transcript } from "../prompt/Transcript.ts";
import type { AgentSkills } from "../skill/AgentSkills.ts";
import type { RunSkills } from "../skill/RunSkills.ts";
import type { CallIdentity, Tool } from "../tool/Tool.ts";
import type { Tools } from "../tool/Tools.ts";
import type { WorkspaceFiles } from "../workspace/WorkspaceFiles.ts";
import type { ChatState } from "./InvocationSetup.ts";
import type { Questions } from "./Questions.ts";
import type { RunWriter } from "./RunWriter.ts";

/** What was frozen for the invocation, read back from the journal. */
export interface InvocationSetup {
  readonly binding: ModelBinding;
  readonly snapshot: InvocationToolSnapshot;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly definitions: ReadonlyArray<ToolDefinition>;
  readonly parameters: GenerationParameters;
  readonly input: FrozenInput;
  readonly skills: AgentSkills;
  readonly access: WorkspaceAccess;
  readonly messageBodyPath: string;
  /** What the chat is to keep for its next prompt, in its host's form. */
  readonly chatState: ChatState | undefined;
  /** What the run denies to all of its agents, beside what their profiles do. */
  readonly denials: Denials | undefined;
  /** How long the prompt is, where its assembler has counted it. */
  readonly promptTokens: number | undefined;
  readonly contextRules: ContextRules;
  readonly stream: boolean;
  /** Whether a call of a tool that the invocation was not given is answered, or fails the run. */
  readonly unadvertisedTool: "return" | "fail";
  /** Longest result of an MCP or extension tool that the model sees whole, in characters. */
  readonly externalResultInlineCharLimit: number;
}

/** Live deltas of the model and whose request they answer, never journalled. Those of several invocations come mixed. */
export type OnModelDelta = (delta: ModelDelta, invocationId: InvocationId) => void;

/** How far a call of a tool is, never journalled. */
export type OnToolProgress = (
  progress: SourceProgress,
  call: CallIdentity & { readonly invocationId: InvocationId },
) => void;

/** What all invocations of a run share. */
export interface RunResources {
  readonly writer: RunWriter;
  readonly payloads: Payloads;
  readonly files: WorkspaceFiles;
  readonly tools: Tools["Service"];
  readonly agents: Agents;
  readonly skills: RunSkills;
  readonly documents: DocumentStore["Service"];
  /** Makes the prompts of agents whose profiles name a preset; undefined where only hosts make prompts. */
  readonly assembler: PromptAssembler["Service"] | undefined;
  readonly chat: ChatLocation;
  readonly gateway: ModelGateway["Service"];
  readonly chatHost: ChatHost["Service"];
  readonly states: States;
  /** Patterns of the tools whose calls this process allows without asking; nobody is there to be asked. */
  readonly approve: ReadonlyArray<string>;
  /** What tools ask people in the middle of their calls. */
  readonly questions: Questions;
  readonly onDelta: OnModelDelta;
  /** Undefined where nobody watches: then no tool is asked to say it. */
  readonly onProgress: OnToolProgress | undefined;
  /** Whether somebody has asked for the end of the run: what is broken off then is not taken up again. */
  readonly isCancelled: () => boolean;
  readonly nextHex: () => string;
}

/** What the steps of one invocation work with. */
export interface RunContext extends RunResources {
  readonly invocationId: InvocationId;
  readonly transcript: Transcript;
  readonly window: ContextWindow;
  readonly setup: InvocationSetup;
}

/** A part of a step that records something, alone. That of a delegated agent is whole whenever the agent is stopped. */
export const atomically = <A, E extends Denied | Fatal, R>(
  context: RunContext,
  section: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => context.writer.exclusively(section, invocationOf(context).kind === "subagent");

/** The invocation's present state; a context is only made for one that exists. */
export const invocationOf = (context: RunContext): InvocationState => {
  const found = context.writer.state().invocations[context.invocationId];
  if (found === undefined) throw new Error(`invocation ${context.invocationId} is not in the state`);
  return found;
};

/** Records events of this invocation. */
export const record = (context: RunContext, ...drafts: ReadonlyArray<RunEventDraft>): void =>
  context.writer.record(...drafts);

/** Names the state as it is now: part of the same append, and nothing is copied. */
export const recordCheckpoint = ({ invocationId, writer }: RunContext, reason: CheckpointReason): void =>
  writer.record(draft("checkpoint_created", invocationId, { checkpointId: nextCheckpointId(writer.state()), reason }));

/** Records a change of the run's status if it is one and is legal. A delegated agent never moves the status of its run. */
export const changeStatus = (writer: RunWriter, invocationId: InvocationId, to: RunStatus, reason: string): void => {
  const { invocations, status: from } = writer.state();
  if (!ownsRunStatus(invocations[invocationId]?.kind ?? "root")) return;
  if (from !== to && Status.canChange(from, to))
    writer.record(draft("status_changed", invocationId, { from, to, reason }));
};
