/**
 * The roots of a workspace and who may see and write what lies in them.
 *
 * Owns the five roots of a chat run and the two questions "may this invocation read / write this path?". Does not own
 * spellings (`WorkspacePath`) nor whether a file exists or changed (`ReadState`).
 */
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { quote, refuse, type Refusal } from "./Refusal.ts";
import { firstSegment, isStrictlyInside, type WorkspacePath } from "./WorkspacePath.ts";

/** The names of the roots of a chat run: the whole universe that a profile may narrow. */
export const RootName = Schema.Literals(["output", "scratch", "plan", "summaries", "persist"]);
export type RootName = typeof RootName.Type;

/** All names, in the order in which they are shown. */
export const rootNames: ReadonlyArray<RootName> = RootName.literals;

/**
 * One root as a manifest states it. `lifecycle`: kept with the run or beyond it; `scope`: what it belongs to;
 * `mount`: how it comes into the run; `commit`: whether its state is published when the run completes.
 */
export const WorkspaceRoot = Schema.Struct({
  path: Schema.String,
  lifecycle: Schema.Literals(["run", "persistent"]),
  scope: Schema.Literals(["run", "chat", "session"]),
  mount: Schema.Literals(["materialized", "projected_overlay"]),
  visible: Schema.Boolean,
  writable: Schema.Boolean,
  commit: Schema.Literals(["never", "on_run_completed"]),
});
export type WorkspaceRoot = typeof WorkspaceRoot.Type;

/**
 * What one invocation may do, from its profile. `readOnlyMounts` are first segments outside the roots that the
 * runtime shows, such as `tool-results` and `skills`.
 */
export interface WorkspaceAccess {
  readonly visibleRoots: ReadonlyArray<RootName>;
  readonly writableRoots: ReadonlyArray<RootName>;
  readonly readOnlyMounts: ReadonlyArray<string>;
}

export type VisibilityRefusal = Refusal<"workspace.path_not_visible">;
export type WritabilityRefusal = Refusal<"workspace.path_not_writable">;

/** True when `name` is one of the five roots; spelling and case matter. */
export const isRootName = (name: string): name is RootName => rootNames.some((root) => root === name);

/** The root that `path` lies in or is. */
export const rootOf = (path: WorkspacePath): Option.Option<RootName> =>
  Option.liftPredicate(firstSegment(path), isRootName);

/** The five roots with the visibility that `access` gives, in the order of `rootNames`. */
export const roots = (access: WorkspaceAccess): ReadonlyArray<WorkspaceRoot> =>
  rootNames.map((name) => describe(name, access));

/** Succeeds when `path` is, or lies in, a visible root or a read-only mount. */
export const admitRead = (access: WorkspaceAccess, path: WorkspacePath): Result.Result<void, VisibilityRefusal> => {
  const first = firstSegment(path);
  if (access.readOnlyMounts.includes(first)) return Result.void;
  if (access.visibleRoots.some((root) => root === first)) return Result.void;
  return refuse(
    "workspace.path_not_visible",
    `${quote(path)} is not visible here. ${within("Visible folders", [...access.visibleRoots, ...access.readOnlyMounts])}`,
  );
};

/** Succeeds when `path` lies strictly below a writable root; a root itself is never written. */
export const admitWrite = (access: WorkspaceAccess, path: WorkspacePath): Result.Result<void, WritabilityRefusal> => {
  if (access.writableRoots.some((root) => isStrictlyInside(path, root))) return Result.void;
  const reason = isRootName(path) ? `${quote(path)} is a folder, not a file` : `${quote(path)} cannot be written here`;
  return refuse("workspace.path_not_writable", `${reason}. ${within("Writable folders", access.writableRoots)}`);
};

const describe = (name: RootName, access: WorkspaceAccess): WorkspaceRoot => ({
  path: name,
  ...(name === "persist" ? persistent : ofRun),
  visible: access.visibleRoots.includes(name),
  writable: access.writableRoots.includes(name),
});

const ofRun = { lifecycle: "run", scope: "run", mount: "materialized", commit: "never" } as const;

const persistent = {
  lifecycle: "persistent",
  scope: "chat",
  mount: "projected_overlay",
  commit: "on_run_completed",
} as const;

const within = (label: string, names: ReadonlyArray<string>): string =>
  names.length === 0 ? `${label}: none.` : `${label}: ${names.map((name) => `${name}/`).join(", ")}.`;
