/**
 * What a chat's agents remember: an immutable set of files under `persist/`, published by one run.
 *
 * Owns the form and its refusals. Does not own where it is stored, nor which one a run begins with (`baseOf`).
 */
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { RunId, type WorkspaceId } from "../identity/Identity.ts";
import * as Sha256 from "../payload/Sha256.ts";
import { quote, refuse, type Refusal } from "../workspace/Refusal.ts";

/** The root whose files are remembered. */
export const persistRoot = "persist";

/** One remembered file; counts are of its content. */
export const PersistentFile = Schema.Struct({
  path: Schema.String,
  sha256: Sha256.Sha256,
  bytes: Schema.Int,
  chars: Schema.Int,
  words: Schema.Int,
});
export type PersistentFile = typeof PersistentFile.Type;

/** `baseStateId` is the state that it was made from, and `deleted` are the files of that which it does not have. */
export const PersistentState = Schema.Struct({
  schemaVersion: Schema.Literal(1),
  stateId: Schema.String,
  workspaceId: Schema.String,
  runId: RunId,
  baseStateId: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  files: Schema.Array(PersistentFile),
  deleted: Schema.Array(Schema.String),
});
export type PersistentState = typeof PersistentState.Type;

export type PersistentStateRefusal = Refusal<
  | "agent.persistent_state_invalid"
  | "agent.persistent_state_manifest_mismatch"
  | "agent.persistent_state_root_invalid"
  | "agent.persistent_state_version_unsupported"
  | "agent.persistent_state_workspace_mismatch"
>;

const decode = Schema.decodeUnknownResult(PersistentState);
const versioned = Schema.is(Schema.Struct({ schemaVersion: Schema.Int }));

/** A stored state, held to what it is stored as. */
export const read = (
  input: unknown,
  expected: { readonly stateId: string; readonly workspaceId: WorkspaceId },
): Result.Result<PersistentState, PersistentStateRefusal> => {
  const { stateId, workspaceId } = expected;
  if (versioned(input) && input.schemaVersion > 1)
    return refuse(
      "agent.persistent_state_version_unsupported",
      `The state ${quote(stateId)} was written by a newer version of Cahier. Use that version.`,
    );
  const decoded = decode(input);
  if (Result.isFailure(decoded))
    return refuse("agent.persistent_state_invalid", `The state ${quote(stateId)} does not have the form of one.`);
  const state = decoded.success;
  if (state.stateId !== stateId)
    return refuse(
      "agent.persistent_state_manifest_mismatch",
      `What is stored as the state ${quote(stateId)} calls itself ${quote(state.stateId)}.`,
    );
  if (state.workspaceId !== workspaceId)
    return refuse(
      "agent.persistent_state_workspace_mismatch",
      `The state ${quote(stateId)} belongs to another chat, with the workspace ${state.workspaceId}.`,
    );
  const outside = state.files.find(({ path }) => !isPersistent(path));
  return outside === undefined
    ? Result.succeed(state)
    : refuse(
        "agent.persistent_state_root_invalid",
        `The state ${quote(stateId)} has the file ${quote(outside.path)}, which lies outside of ${persistRoot}/.`,
      );
};

/** Whether a file of a workspace is remembered. */
export const isPersistent = (path: string): boolean => path.startsWith(`${persistRoot}/`);
