/**
 * The rules about roots and artifacts: what the profile shows, writes and produces.
 */
import * as Result from "effect/Result";
import * as WorkspacePath from "../workspace/WorkspacePath.ts";
import { isRootName } from "../workspace/WorkspaceRoot.ts";
import type { CompleteProfile } from "./CompleteProfile.ts";
import { issue, type ProfileIssue } from "./ProfileIssue.ts";

/** All issues of the `workspace` and `output` sections. */
export function* checkOutput(profile: CompleteProfile): Generator<ProfileIssue> {
  yield* checkRoots(profile);
  yield* checkArtifacts(profile);
}

function* checkRoots({ workspace }: CompleteProfile): Generator<ProfileIssue> {
  if (workspace.visibleRoots.length === 0) {
    yield issue("agent.profile_workspace_visible_empty", ["workspace", "visibleRoots"], "The profile sees no root.");
  }
  for (const key of ["visibleRoots", "writableRoots"] as const) {
    for (const [index, root] of workspace[key].entries()) {
      const path = ["workspace", key, index];
      if (!isRootName(root)) {
        yield issue(
          "agent.profile_workspace_root_invalid",
          path,
          `${JSON.stringify(root)} is no root; there are output, scratch, plan, summaries and persist.`,
        );
      } else if (!workspace.visibleRoots.includes(root)) {
        yield issue("agent.profile_workspace_root_invalid", path, `${root} is writable but not visible; show it too.`);
      }
    }
  }
}

function* checkArtifacts({ output, workspace }: CompleteProfile): Generator<ProfileIssue> {
  if (output.artifacts.length === 0) {
    yield issue("agent.profile_output_empty", ["output", "artifacts"], "The profile produces nothing.");
    return;
  }
  const ids = new Set<string>();
  const paths = new Set<string>();
  const bodies = output.artifacts.filter(({ target }) => target === "messageBody");
  for (const [index, artifact] of output.artifacts.entries()) {
    const at = ["output", "artifacts", index];
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(artifact.id)) {
      yield issue("agent.profile_artifact_id_invalid", [...at, "id"], "An id has letters, digits, - and _ only.");
    }
    if (ids.has(artifact.id)) {
      yield issue("agent.profile_output_duplicate_id", [...at, "id"], `Another artifact is called ${artifact.id}.`);
    }
    ids.add(artifact.id);
    if (artifact.kind.trim() === "") {
      yield issue("agent.profile_output_kind_required", [...at, "kind"], "The artifact needs a kind.");
    }
    const parsed = WorkspacePath.parse(artifact.path);
    const path = Result.isSuccess(parsed) ? parsed.success : artifact.path;
    if (paths.has(path)) {
      yield issue("agent.profile_output_duplicate_path", [...at, "path"], `Another artifact lies at ${path}.`);
    }
    paths.add(path);
    const { visibleRoots } = workspace;
    const isHidden =
      visibleRoots.length > 0 && !visibleRoots.some((root) => WorkspacePath.isStrictlyInside(path, root));
    if (Result.isFailure(parsed)) {
      yield issue("agent.profile_output_path_denied", [...at, "path"], parsed.failure.message);
    } else if (isHidden) {
      yield issue("agent.profile_output_path_denied", [...at, "path"], `${path} lies below no root that is visible.`);
    }
    if (artifact.target === "messageBody" && artifact !== bodies[0]) {
      yield issue(
        "agent.profile_output_duplicate_message_body",
        [...at, "target"],
        "Another artifact is already the message body.",
      );
    }
  }
  if (bodies.length === 0) {
    yield issue(
      "agent.profile_output_message_body_missing",
      ["output", "artifacts"],
      "No artifact is the message body.",
    );
  }
}
