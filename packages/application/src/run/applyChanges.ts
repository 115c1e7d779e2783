/**
 * Writes down what a tool call changed in the workspace.
 */
import * as PathMap from "@cahier/domain/run/PathMap";
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { CheckpointReason } from "@cahier/domain/run/checkpoint";
import { draft } from "@cahier/domain/run/RunEvent";
import type { CallState, FileState, TurnState } from "@cahier/domain/run/RunState";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import { byteLength } from "@cahier/domain/workspace/Utf8";
import * as Effect from "effect/Effect";
import { pointerToken } from "../payload/Payloads.ts";
import type { ToolChange } from "../tool/Tool.ts";
import { contentOf } from "../workspace/fileContent.ts";
import * as paths from "./paths.ts";
import { changeStatus, record, type RunContext } from "./RunContext.ts";

/** What came of the changes of a call. */
export interface AppliedChanges {
  /** The digest of the last file that was written or patched. */
  readonly digest: string | undefined;
  /** Why the state is to be named when the call is closed; undefined where no file is another one, or the call named it. */
  readonly checkpoint: CheckpointReason | undefined;
}

/** Records every change in order. */
export const applyChanges = Effect.fnUntraced(function* (
  context: RunContext,
  turn: TurnState,
  call: CallState,
  changes: ReadonlyArray<ToolChange>,
): Effect.fn.Return<AppliedChanges, Fatal> {
  let digest: string | undefined;
  let checkpoint: CheckpointReason | undefined;
  const digestAt = (path: string) => PathMap.get(context.writer.state().files, path)?.sha256;
  for (const change of changes) {
    switch (change._tag) {
      case "Read":
        recordRead(context, turn, call, change);
        break;
      case "SkillRead":
        record(
          context,
          draft("skill_read", context.invocationId, {
            ...base(context, turn, call),
            path: change.path,
            chars: change.chars,
          }),
        );
        break;
      case "Write": {
        const before = digestAt(change.path);
        digest = yield* write(context, turn, call, change);
        if (digest !== before) checkpoint = "tool_workspace_write";
        break;
      }
      case "Patch": {
        const before = digestAt(change.path);
        digest = yield* patch(context, turn, call, change);
        if (digest !== before) checkpoint = "tool_workspace_patch";
        break;
      }
      case "Tree":
        yield* writeTree(context, turn, call, change);
        if (change.changes.length > 0) checkpoint = "tool_workspace_write";
        break;
      case "Checkpoint":
        record(
          context,
          draft("checkpoint_created", context.invocationId, {
            checkpointId: change.id,
            reason: "tool",
            ...(change.label === undefined ? {} : { label: change.label }),
          }),
        );
        checkpoint = undefined;
        break;
      case "Finish":
      // What concerns other agents is written down by `applyDelegation`.
      case "Delegate":
      case "Handoff":
      case "ReturnTask":
      case "CancelTask":
        break;
      default:
        change satisfies never;
    }
  }
  return { digest, checkpoint };
});

type Change<Tag extends ToolChange["_tag"]> = Extract<ToolChange, { readonly _tag: Tag }>;

const base = (context: RunContext, turn: TurnState, call: CallState) => ({
  round: turn.round,
  invocationId: context.invocationId,
  callId: call.callId,
});

const recordRead = (context: RunContext, turn: TurnState, call: CallState, change: Change<"Read">): void => {
  const file = PathMap.get(context.writer.state().files, change.path);
  if (file === undefined) return;
  record(
    context,
    draft("workspace_file_read", context.invocationId, {
      ...base(context, turn, call),
      path: change.path,
      sha256: file.sha256,
      chars: file.chars,
      range: change.range,
    }),
  );
};

const write = Effect.fnUntraced(function* (
  context: RunContext,
  turn: TurnState,
  call: CallState,
  { path, mode, text, argument }: Change<"Write">,
): Effect.fn.Return<string, Fatal> {
  const before = PathMap.get(context.writer.state().files, path);
  const added = yield* context.payloads.store(
    path,
    text,
    argument === undefined
      ? undefined
      : { seq: call.requestedSeq, field: "argumentsRef", pointer: `/${pointerToken(argument)}` },
  );
  const after =
    mode === "append" && before !== undefined
      ? yield* context.files.appended(before, text)
      : { ...TextMetrics.measure(text), bytes: added.bytes, sha256: added.sha256 };
  if (mode === "append" && before !== undefined) context.files.rememberAppended(before, text, after);
  else context.files.remember(path, after.sha256, text);
  record(
    context,
    draft("workspace_file_written", context.invocationId, {
      ...base(context, turn, call),
      path,
      mode,
      ...after,
      ...(before === undefined ? {} : { previous: { sha256: before.sha256, chars: before.chars } }),
      content: added,
    }),
  );
  return after.sha256;
});

const patch = Effect.fnUntraced(function* (
  context: RunContext,
  turn: TurnState,
  call: CallState,
  { path, content, edits }: Change<"Patch">,
): Effect.fn.Return<string | undefined, Fatal> {
  const before = PathMap.get(context.writer.state().files, path);
  if (before === undefined) return undefined;
  const stored = yield* context.payloads.store(paths.patchEdits(call.argumentsRef.path), JSON.stringify(edits));
  const sha256 = Sha256.ofText(content);
  context.files.remember(path, sha256, content);
  record(
    context,
    draft("workspace_patch_applied", context.invocationId, {
      ...base(context, turn, call),
      path,
      ...TextMetrics.measure(content),
      bytes: byteLength(content),
      oldSha256: before.sha256,
      sha256,
      replacements: edits.at.length,
      edits: stored,
    }),
  );
  changeStatus(context.writer, context.invocationId, "applying_workspace_patch", "patch");
  return sha256;
});

/** What was seen of the files is what is there: whoever applies an outcome has compared them. */
const writeTree = Effect.fnUntraced(function* (
  context: RunContext,
  turn: TurnState,
  call: CallState,
  { changes }: Change<"Tree">,
): Effect.fn.Return<void, Fatal> {
  for (const { bytes, path } of changes) {
    const before = PathMap.get(context.writer.state().files, path);
    if (bytes !== null) yield* writeUnseen(context, turn, call, path, bytes, before);
    else if (before !== undefined)
      record(
        context,
        draft("workspace_file_removed", context.invocationId, {
          ...base(context, turn, call),
          path,
          sha256: before.sha256,
        }),
      );
  }
});

const writeUnseen = Effect.fnUntraced(function* (
  context: RunContext,
  turn: TurnState,
  call: CallState,
  path: string,
  bytes: Uint8Array,
  before: FileState | undefined,
): Effect.fn.Return<void, Fatal> {
  const { encoding, text } = contentOf(bytes);
  const content = yield* context.payloads.store(path, text);
  const sha256 = encoding === undefined ? content.sha256 : Sha256.ofBytes(bytes);
  context.files.remember(path, sha256, text);
  record(
    context,
    draft("workspace_file_written", context.invocationId, {
      ...base(context, turn, call),
      path,
      mode: "replace",
      ...TextMetrics.measure(encoding === undefined ? text : ""),
      bytes: bytes.length,
      sha256,
      ...(before === undefined ? {} : { previous: { sha256: before.sha256, chars: before.chars } }),
      content,
      ...(encoding === undefined ? {} : { encoding }),
      unseen: true,
    }),
  );
});
