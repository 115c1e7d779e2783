/**
 * What a tool is to the runtime: a descriptor and a function from arguments to an outcome.
 *
 * A tool reads through its context and returns its changes as values; only the runtime applies them. Adding a built-in
 * is one file that exports a `Tool` and one line in `builtin/catalog.ts`.
 */
import type { CommitMode } from "@cahier/domain/chat/Chat";
import type { Denied, Fatal, Recoverable } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import type { CallId, CheckpointId, RunId, TaskId } from "@cahier/domain/identity/Identity";
import type { ResolvedProfile } from "@cahier/domain/profile/resolveProfile";
import type { ToolUsage } from "@cahier/domain/run/event/tool";
import type { InvocationState, RunState } from "@cahier/domain/run/RunState";
import type { SeenFile } from "@cahier/domain/run/staleFiles";
import type { AwaitMode } from "@cahier/domain/task/Task";
import type { StatedResult } from "@cahier/domain/task/TaskResult";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import type { ToolContent } from "@cahier/domain/tool/ToolContent";
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import type { CharRange } from "@cahier/domain/workspace/ReadState";
import type { TextEdits } from "@cahier/domain/workspace/TextPatch";
import type { WorkspaceAccess } from "@cahier/domain/workspace/WorkspaceRoot";
import type {
  SourceAttachment,
  SourceProgress,
  SourceQuestion,
  SourceRefusal,
  SourceReply,
  SourceSample,
  SourceSampling,
} from "@cahier/ports/ToolSource";
import type * as Effect from "effect/Effect";
import type { Agents } from "../delegation/Agents.ts";
import type { FrozenInput } from "../payload/FrozenInput.ts";
import type { AgentSkills } from "../skill/AgentSkills.ts";
import type { WorkspaceFiles } from "../workspace/WorkspaceFiles.ts";

/** Which call a result answers: `name` is the model's name of the tool. */
export interface CallIdentity {
  readonly callId: CallId;
  readonly toolId: string;
  readonly name: string;
}

/**
 * What a tool may see of the run that called it. `key` names the call and no other one, ever, and is the same when the call
 * is made again after a crash: whoever is asked twice under one key does it once.
 */
export interface ToolContext {
  readonly runId: RunId;
  readonly call: CallIdentity;
  readonly key: string;
  readonly state: RunState;
  readonly invocation: InvocationState;
  readonly input: FrozenInput;
  readonly skills: AgentSkills;
  readonly files: WorkspaceFiles;
  readonly agents: Pick<Agents, "callable" | "find">;
  /** 32 hex digits, never the same twice. */
  readonly nextHex: () => string;
  readonly access: WorkspaceAccess;
  readonly messageBodyPath: string;
  readonly snapshot: InvocationToolSnapshot;
  /** A person has approved this call, or every call of its tool in this run. */
  readonly isApproved: boolean;
  /**
   * Completes when the work is cancelled that the call belongs to. A tool that runs apart then has a second to answer with what it
   * has done, which is kept; any other is interrupted at once.
   */
  readonly stopped: Effect.Effect<void>;
  /**
   * Says how far the call is, to whoever watches the run now; undefined where nobody does. Nothing of it is recorded, and nothing
   * after the call's end is heard.
   */
  readonly onProgress: ((progress: SourceProgress) => void) | undefined;
  /** Asks whoever attends the run, on its record; the time of the call stands still meanwhile. `cancel` where nobody attends it. */
  readonly ask: (question: SourceQuestion) => Effect.Effect<SourceReply>;
  /** Asks the run's model for a text, within the budgets of the run. The runtime counts what it costs with the call, however it ends. */
  readonly sample: (request: SourceSampling) => Effect.Effect<SourceSample, SourceRefusal>;
}

/** One change that a call asks for. `text` of a write is the new content, of an append what is added. */
export type ToolChange =
  | { readonly _tag: "Read"; readonly path: string; readonly range: CharRange }
  /** So many characters of Skills were shown, of what stands at or below the path. */
  | { readonly _tag: "SkillRead"; readonly path: string; readonly chars: number }
  | {
      readonly _tag: "Write";
      readonly path: string;
      readonly mode: "replace" | "append";
      readonly text: string;
      /** The argument that holds exactly `text`, so that it is not stored again; absent for text that the tool made. */
      readonly argument?: string;
    }
  | {
      readonly _tag: "Patch";
      readonly path: string;
      readonly content: string;
      readonly edits: TextEdits;
    }
  /**
   * Files that are written or, with `bytes` null, removed: all of them or, where one is not any more what was seen of it,
   * none. `seen` names every changed path. The invocation has not seen what it wrote so.
   */
  | {
      readonly _tag: "Tree";
      readonly seen: ReadonlyArray<SeenFile>;
      readonly changes: ReadonlyArray<{ readonly path: string; readonly bytes: Uint8Array | null }>;
    }
  | { readonly _tag: "Checkpoint"; readonly id: CheckpointId; readonly label?: string }
  | { readonly _tag: "Finish" }
  /** Gives a task to another agent, or the caller's own place: `brief` is what that agent is told. */
  | { readonly _tag: "Delegate"; readonly taskId: string; readonly profile: ResolvedProfile; readonly brief: string }
  | { readonly _tag: "Handoff"; readonly taskId: string; readonly profile: ResolvedProfile; readonly brief: string }
  | { readonly _tag: "ReturnTask"; readonly result: StatedResult }
  | { readonly _tag: "CancelTask"; readonly taskId: string };

/**
 * What a call gave. `errorCode` marks a result as an error and keeps its content. `usage` is what the call cost beside
 * time. `callId` and `toolId` are stated by tools that live elsewhere: they must be those of the call.
 */
export interface Done {
  readonly _tag: "Done";
  readonly content: string | ReadonlyArray<ToolContent>;
  readonly structured?: JsonObject;
  readonly resourceRefs?: ReadonlyArray<string>;
  readonly attachments?: ReadonlyArray<SourceAttachment>;
  readonly changes?: ReadonlyArray<ToolChange>;
  readonly errorCode?: FailureCode;
  readonly usage?: ToolUsage;
  readonly callId?: string;
  readonly toolId?: string;
}

/**
 * `Done`: the result and what it changed. `Commit`: publish a file; the runtime does it and writes the result. `Await`: wait
 * for tasks of the caller; the runtime writes the result when they have ended or the time is up.
 */
export type ToolOutcome =
  | Done
  | { readonly _tag: "Commit"; readonly path: string; readonly mode: CommitMode; readonly reason?: string }
  | {
      readonly _tag: "Await";
      readonly mode: AwaitMode;
      readonly taskIds: ReadonlyArray<TaskId>;
      readonly timeoutMs: number;
    };

/** What became of a call whose process died: its result, that it never took effect, or that nobody can tell. */
export type Reconciliation =
  | { readonly _tag: "Known"; readonly outcome: Done }
  | { readonly _tag: "NeverHappened" }
  | { readonly _tag: "Unknown" };

/** `Finish`, `Commit`, `Await`, `Tree` and what concerns other agents are for the runtime's own tools; of one from outside they are refused. */
export interface Tool {
  readonly descriptor: ToolDescriptor;
  /** A built-in tool that takes its time: others go on meanwhile, so that the run may be another one when it has ended. */
  readonly runsApart?: true;
  readonly run: (
    argumentsValue: JsonObject,
    context: ToolContext,
  ) => Effect.Effect<ToolOutcome, Recoverable | Denied | Fatal>;
  /**
   * Finds out what became of an interrupted call that must not be repeated. Without it, and when it fails, the model is told
   * that the outcome is unknown. It changes nothing outside. `NeverHappened` has the call made now: it is to be said only
   * when whoever began it cannot make it any more, for a process that was taken for dead may wake up. A tool whose outside
   * refuses what an earlier owner asks is safe (`context.state.epoch` rises with each owner); one that cannot tell says
   * `Unknown`.
   */
  readonly reconcile?: (
    argumentsValue: JsonObject,
    context: ToolContext,
  ) => Effect.Effect<Reconciliation, Recoverable | Denied | Fatal>;
}
