/**
 * Where tools come from that are not of the runtime: MCP servers, extensions, or anything else that can be called.
 *
 * A source is a plain record, and a process may have any number of them. It owns what its tools are and how a call reaches
 * them. Does not own whether a call may run, what is recorded of it, nor what is done with a long result: the runtime does.
 */
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import type { CallId, InvocationId, RunId } from "@cahier/domain/identity/Identity";
import type { ToolUsage } from "@cahier/domain/run/event/tool";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import type { ToolContent } from "@cahier/domain/tool/ToolContent";
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import type { ToolId } from "@cahier/domain/tool/ToolId";
import type * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";

/** What a run is for: a chat that it publishes to, or a conversation of its own. */
export type Scene = "chat" | "session";

/**
 * A tool as its source offers it. `permission` is what the source's own registration says and is a layer of policy; without it
 * the tool's default holds, which asks. `scenes` defaults to both. `groupName` is what people call the server or extension: the
 * model's name of the tool is made with it.
 */
export interface SourceTool {
  readonly descriptor: ToolDescriptor;
  readonly permission?: "always" | "ask";
  readonly scenes?: ReadonlyArray<Scene>;
  readonly groupName?: string;
}

/** Something of a catalogue that cannot be used; the rest can. `message` is a sentence for people. */
export interface SourceDiagnostic {
  readonly code: FailureCode;
  readonly toolId?: ToolId;
  readonly message: string;
}

/**
 * What a source offers now. `whyAbsent` says of a tool that somebody has named why it is not among them, where `diagnostics` do not:
 * they need not speak of what nobody has asked for.
 */
export interface SourceCatalogue {
  readonly tools: ReadonlyArray<SourceTool>;
  readonly diagnostics: ReadonlyArray<SourceDiagnostic>;
  readonly whyAbsent?: (toolId: string) => SourceDiagnostic | undefined;
}

/** What a tool asks of a person in the middle of a call. `schema` is the JSON Schema of an answer, an object of plain values. */
export interface SourceQuestion {
  readonly message: string;
  readonly schema: Schema.Json;
}

/** What the person said: `content` fits the schema. */
export type SourceReply =
  | { readonly action: "accept"; readonly content: JsonObject }
  | { readonly action: "decline" | "cancel" };

/** How far a call is: `done` of `total`, in a unit of the tool's own, and what it says of that. */
export interface SourceProgress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

/** A text that a tool asks the run's model for, in the middle of a call. `maxTokens` bounds the answer. */
export interface SourceSampling {
  readonly system?: string;
  readonly messages: ReadonlyArray<{ readonly role: "user" | "assistant"; readonly text: string }>;
  readonly maxTokens: number;
}

export interface SourceSample {
  readonly text: string;
  readonly model: string;
  /** Whether the answer was cut at `maxTokens`. */
  readonly isCut: boolean;
}

/**
 * A call that the gate has let through. `key` names it and no other one, ever, and is the same when it is made again after a
 * crash. The arguments fit the tool's input schema. `timeoutMs` is what the call may take; the time that it waits for a person
 * or for the run's model does not count. Interrupting a call ends it, and is told to whoever works on it.
 */
export interface SourceCall {
  readonly toolId: ToolId;
  readonly arguments: JsonObject;
  readonly runId: RunId;
  readonly invocationId: InvocationId;
  readonly callId: CallId;
  readonly key: string;
  readonly scene: Scene;
  readonly timeoutMs: number;
  /**
   * A person has approved this call, or every call of its tool in this run. Without it the call is let through by permissions as
   * they were when the run was given the tool: a source whose tool asks by now does not send it.
   */
  readonly approved?: true;
  /**
   * Says how far the call is, to whoever watches the run now; nothing of it is recorded. Free to call often.
   */
  readonly onProgress?: (progress: SourceProgress) => void;
  /**
   * Asks whoever attends the run, one question after the other; `cancel` where nobody does, or where the schema is none. A call
   * has 20 questions: every further one is answered `cancel`, and nobody hears of it.
   */
  readonly ask: (question: SourceQuestion) => Effect.Effect<SourceReply>;
  /**
   * Asks the run's model, for one text after the other; what it costs counts as the call's, however the call ends. Refused when
   * the run has spent its budget.
   */
  readonly sample: (request: SourceSampling) => Effect.Effect<SourceSample, SourceRefusal>;
}

/** Why something was refused, in words for whoever asked. */
export interface SourceRefusal {
  readonly code: FailureCode;
  readonly message: string;
}

/**
 * Something of an answer that is no text, such as an image. `uri` is what the answer's content and references name it by; the run
 * keeps it as a file and puts the file's path in the place of that name.
 */
export interface SourceAttachment {
  readonly uri: string;
  readonly mimeType?: string;
  readonly bytes: Uint8Array;
}

/**
 * What became of a call. `Answered`: its tool has answered; with `errorCode` it is an error that keeps its content. `NotSent`: the
 * call never reached its tool. `Unknown`: it may have taken effect, and nobody can tell; it is never made again. `usage` is what
 * it cost beside time.
 */
export type SourceOutcome =
  | {
      readonly _tag: "Answered";
      readonly content: string | ReadonlyArray<ToolContent>;
      readonly structured?: JsonObject;
      readonly resourceRefs?: ReadonlyArray<string>;
      readonly attachments?: ReadonlyArray<SourceAttachment>;
      readonly errorCode?: FailureCode;
      readonly usage?: ToolUsage;
    }
  | { readonly _tag: "NotSent"; readonly code: FailureCode; readonly message: string }
  | { readonly _tag: "Unknown"; readonly code: FailureCode; readonly message: string };

/** What became of a call whose process died: an outcome, or that it never happened and never will by itself. */
export type SourceReconciliation = SourceOutcome | { readonly _tag: "NeverHappened" };

/** Laws: `SRC-*` in `@cahier/testkit/laws/ToolSourceLaws`. */
export interface ToolSource {
  /** `mcp` or `extension`: the ids of its tools begin with it and `/`. A source of another kind is an extension to policy. */
  readonly provider: "mcp" | "extension";
  /** The same value for as long as nothing has changed, so that whoever keeps it sees a change at once. Never fails. */
  readonly catalogue: Effect.Effect<SourceCatalogue>;
  /**
   * Makes a call. Never fails: what went wrong is the outcome. A tool that is not there any more is `NotSent`. May be slow, and may
   * be interrupted at any time.
   */
  readonly call: (call: SourceCall) => Effect.Effect<SourceOutcome>;
  /** Finds out what became of a call, without making it. Without this, nobody knows. */
  readonly reconcile?: (call: SourceCall) => Effect.Effect<SourceReconciliation>;
}
