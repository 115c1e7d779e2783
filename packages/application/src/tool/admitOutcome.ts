/**
 * What a tool from outside may answer.
 *
 * Owns the check of its answer's form, and that its changes are ones that a tool may ask for: files that the invocation
 * may write, and no end of the run or message of the chat, which only the runtime's own tools give. Does not own
 * rendering (`resultOf`) nor applying changes. Built-in tools are held to their types and ask for themselves.
 */
import { type Fatal, type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import { CheckpointId } from "@cahier/domain/identity/Identity";
import { ToolUsage } from "@cahier/domain/run/event/tool";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import { ToolContent } from "@cahier/domain/tool/ToolContent";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as TextPatch from "@cahier/domain/workspace/TextPatch";
import * as Effect from "effect/Effect";
import * as Predicate from "effect/Predicate";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { requireText, visibleFile, writablePath } from "./builtin/workspaceFile.ts";
import type { Done, ToolChange, ToolContext, ToolOutcome } from "./Tool.ts";

/** The outcome as it may be applied, or why it may not, for the model. `argumentsValue` is what the tool was called with. */
export const admitOutcome = Effect.fnUntraced(function* (
  argumentsValue: JsonObject,
  context: ToolContext,
  outcome: unknown,
): Effect.fn.Return<ToolOutcome, Recoverable | Fatal> {
  const text = textOf(outcome);
  if (text !== undefined) return { _tag: "Done", content: text };
  const read = decode(outcome);
  if (Result.isFailure(read)) return yield* malformed(context, read.failure.message);
  const { changes, ...rest } = read.success;
  const done = rest as Done;
  if (changes === undefined) return done;
  return { ...done, changes: yield* Effect.forEach(changes, (change) => admitChange(argumentsValue, context, change)) };
});

/** Most answers are one text and nothing else, and need no further look. */
const textOf = (outcome: unknown): string | undefined => {
  if (!Predicate.isObject(outcome) || Object.keys(outcome).length !== 2 || outcome["_tag"] !== "Done") return undefined;
  const { content } = outcome as { readonly content?: unknown };
  return typeof content === "string" ? content : undefined;
};

const Change = Schema.Union([
  Schema.TaggedStruct("Read", {
    path: Schema.String,
    range: Schema.Tuple([Schema.Int, Schema.Int]),
  }),
  Schema.TaggedStruct("Write", {
    path: Schema.String,
    mode: Schema.Literals(["replace", "append"]),
    text: Schema.String,
    argument: Schema.optionalKey(Schema.String),
  }),
  Schema.TaggedStruct("Patch", { path: Schema.String, content: Schema.String, edits: TextPatch.TextEdits }),
  Schema.TaggedStruct("Checkpoint", {
    id: CheckpointId,
    label: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
  }),
]);

const decode = Schema.decodeUnknownResult(
  Schema.TaggedStruct("Done", {
    content: Schema.Union([Schema.String, Schema.Array(ToolContent)]),
    structured: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
    resourceRefs: Schema.optionalKey(Schema.Array(Schema.String)),
    attachments: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          uri: Schema.String,
          mimeType: Schema.optionalKey(Schema.String),
          bytes: Schema.instanceOf(Uint8Array),
        }),
      ),
    ),
    changes: Schema.optionalKey(Schema.Array(Change)),
    errorCode: Schema.optionalKey(Schema.String),
    usage: Schema.optionalKey(ToolUsage),
    callId: Schema.optionalKey(Schema.String),
    toolId: Schema.optionalKey(Schema.String),
  }),
);

const admitChange = Effect.fnUntraced(function* (
  argumentsValue: JsonObject,
  context: ToolContext,
  change: typeof Change.Type,
): Effect.fn.Return<ToolChange, Recoverable | Fatal> {
  switch (change._tag) {
    case "Read": {
      const found = yield* visibleFile(context, change.path);
      yield* requireText(found);
      return { ...change, path: found.path };
    }
    case "Write": {
      const { argument, ...write } = change;
      const { file, path } = yield* writablePath(context, change.path);
      if (change.mode === "append" && file !== undefined) yield* requireText({ path, file });
      const isArgument = argument !== undefined && argumentsValue[argument] === change.text;
      return { ...write, path, text: change.text.toWellFormed(), ...(isArgument ? { argument } : {}) };
    }
    case "Patch": {
      const { file, path } = yield* visibleFile(context, change.path);
      yield* writablePath(context, change.path);
      yield* requireText({ path, file });
      const redone = TextPatch.redo(yield* context.files.content(file), change.edits);
      return Result.isSuccess(redone) && redone.success === change.content
        ? { ...change, path }
        : yield* malformed(context, `its edits of ${quote(path)} do not give the content that it states`);
    }
    case "Checkpoint":
      return change;
    default:
      return change satisfies never;
  }
});

const malformed = ({ call, snapshot }: ToolContext, why: string): Effect.Effect<never, Recoverable> => {
  const source = snapshot.bindings.find(({ descriptor }) => descriptor.id === call.toolId)?.descriptor.source;
  return Effect.fail(
    recoverable(
      source === "mcp" ? "mcp.server_error" : "extension.tool_error",
      `${call.name} answered something that cannot be used, so nothing of it was applied: ${why.slice(0, mostOfReason).toWellFormed()}. Go on without this tool.`,
    ),
  );
};

const mostOfReason = 300;
