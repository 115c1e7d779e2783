/**
 * Tools of extensions: code of whoever embeds the runtime, in this process, in a page or in another process.
 *
 * Owns which tools are registered and whether they are switched on. A tool is there for as long as the scope that registered it,
 * and nothing of it is kept. Does not own who may call it: approvals and profiles do; and no tool writes to a workspace by itself.
 */
import type { CallId, InvocationId, RunId } from "@cahier/domain/identity/Identity";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import type { StatedAnnotations } from "@cahier/domain/tool/ToolDescriptor";
import type { ToolId } from "@cahier/domain/tool/ToolId";
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import type { Scene, ToolSource } from "./ToolSource.ts";

/**
 * A tool as its extension states it; its id is `extension/<extensionId>:<name>`. `extensionId` is 1 to 128 of letters, digits, `.`,
 * `_` and `-`, `name` 1 to 128 characters without white space at its ends. `inputSchema` is a JSON Schema (2020-12) of type object without remote
 * references. `contexts` is not empty. `enabled` is true unless stated. Of `annotations` what is left out is taken at its worst:
 * not only reading, not repeatable.
 */
export interface ExtensionTool {
  readonly extensionId: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, Schema.Json>>;
  readonly contexts: ReadonlyArray<Scene>;
  readonly enabled?: boolean;
  readonly annotations?: StatedAnnotations;
}

/** Which call a function answers. `target` is what the run is for. Interruption says that nobody waits any more. */
export interface ExtensionCall {
  readonly toolId: ToolId;
  readonly runId: RunId;
  readonly invocationId: InvocationId;
  readonly callId: CallId;
  readonly target: Scene;
}

/**
 * Why a function gave nothing. `failed`: it says so itself. `notReached`: it was never called. `lost`: it was called or may have
 * been, and what came of it cannot be told.
 */
export class ExtensionFault extends Schema.TaggedError<ExtensionFault>()("ExtensionFault", {
  kind: Schema.Literals(["failed", "notReached", "lost"]),
  detail: Schema.String,
}) {}

/**
 * What a tool does. A text is given to the model as it is, any other JSON as JSON, undefined as null. What is no JSON, and a
 * defect, are an error of the tool.
 */
export type ExtensionFunction = (
  given: JsonObject,
  call: ExtensionCall,
) => Effect.Effect<Schema.Json | undefined, ExtensionFault>;

/** A tool that is registered now. */
export interface RegisteredTool extends ExtensionTool {
  readonly toolId: ToolId;
  readonly enabled: boolean;
}

/** Why a registration is refused. `detail` says what to do about it. */
export class ExtensionRefusal extends Schema.TaggedError<ExtensionRefusal>()("ExtensionRefusal", {
  code: Schema.Literals(["extension.registration_invalid", "extension.tool_duplicate", "extension.tool_unavailable"]),
  detail: Schema.String,
}) {}

/** Laws: `EXT-*` in `@cahier/testkit/laws/ExtensionToolsLaws`. */
export class ExtensionTools extends Context.Service<
  ExtensionTools,
  {
    /** Offers a tool until the scope closes. Its id must be free (`extension.tool_duplicate`) and its form right (`extension.registration_invalid`). */
    readonly register: (
      tool: ExtensionTool,
      run: ExtensionFunction,
    ) => Effect.Effect<ToolId, ExtensionRefusal, Scope.Scope>;
    /** Switches a registered tool on or off, for new invocations and new calls; `extension.tool_unavailable` when it is not registered. */
    readonly setEnabled: (toolId: ToolId, enabled: boolean) => Effect.Effect<void, ExtensionRefusal>;
    /** All registered tools by id, those that are switched off too. */
    readonly list: Effect.Effect<ReadonlyArray<RegisteredTool>>;
    /** The tools that are on, for runs. A function is looked up by its id when it is called, so one registered anew is the one. */
    readonly source: ToolSource;
  }
>()("@cahier/ports/ExtensionTools") {}
