/**
 * A profile ready to be run: checked, complete, with the facts that a run asks for, as the run freezes it.
 *
 * Owns readiness (may a run, a child or a successor start with this profile?) and the frozen form. Does not own the
 * rules of the document (`checkProfile`).
 */
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as WorkspacePath from "../workspace/WorkspacePath.ts";
import { isRootName, type RootName, type WorkspaceAccess } from "../workspace/WorkspaceRoot.ts";
import type { CheckContext } from "./CheckContext.ts";
import { checkProfile } from "./checkProfile.ts";
import { type CompleteProfile, sections, visibleTools } from "./CompleteProfile.ts";
import type { Profile } from "./Profile.ts";
import { issue, type ProfileIssue } from "./ProfileIssue.ts";
import { Denials, LayerTrace } from "./ProfileLayer.ts";
import { Artifact } from "./ProfileParts.ts";
import { validator } from "./validator.ts";
import { withDefaults } from "./withDefaults.ts";

/** Where a profile came from: the runtime itself, or the stored document of this id. */
export const ProfileSource = Schema.Union([
  Schema.Literal("built_in"),
  Schema.TemplateLiteral(["file:", Schema.String]),
]);
export type ProfileSource = typeof ProfileSource.Type;

/**
 * What a run freezes of its profile. Artifact paths are in their normal form; `messageBodyPath` is commit's default. `layers`,
 * lowest first, is where each came from, of a profile that is made of more than one.
 */
export const ResolvedProfile = Schema.Struct({
  ...sections,
  output: Schema.Struct({
    artifacts: Schema.Array(Artifact),
    messageBodyArtifactId: Schema.String,
    messageBodyPath: WorkspacePath.WorkspacePath,
  }),
  sourceTrace: Schema.Struct({
    profileSource: ProfileSource,
    layers: Schema.optionalKey(Schema.Array(LayerTrace)),
    denials: Schema.optionalKey(Denials),
  }),
});
export type ResolvedProfile = typeof ResolvedProfile.Type;

/** What a profile is to be run as: started by a host, delegated a task, or handed the run. */
export type ProfilePurpose = "direct" | "subagent" | "handoff";

/** The context of the rules, and where the profile and its layers came from and what it is for. */
export interface ResolveContext extends CheckContext {
  readonly source: ProfileSource;
  readonly layers?: ReadonlyArray<LayerTrace>;
  /** What the whole run is denied. */
  readonly denials?: Denials;
  readonly purpose: ProfilePurpose;
}

/** The resolved profile, or every broken rule and everything that keeps it from being run for this purpose. */
export const resolveProfile = (
  profile: Profile,
  context: ResolveContext,
): Result.Result<ResolvedProfile, ReadonlyArray<ProfileIssue>> => {
  const complete = withDefaults(profile);
  const issues = [...checkProfile(complete, context), ...checkReadiness(complete, context.purpose)];
  const artifacts = complete.output.artifacts.map(normalise);
  const body = artifacts.find(({ target }) => target === "messageBody");
  if (issues.length > 0 || body === undefined) return Result.fail(issues);
  return Result.map(
    Result.mapError(WorkspacePath.parse(body.path), ({ message }): ReadonlyArray<ProfileIssue> => [
      issue("agent.profile_output_path_denied", ["output", "artifacts"], message),
    ]),
    (messageBodyPath) => ({
      ...complete,
      output: { artifacts, messageBodyArtifactId: body.id, messageBodyPath },
      sourceTrace: {
        profileSource: context.source,
        ...(context.layers === undefined || context.layers.length < 2 ? {} : { layers: context.layers }),
        ...(context.denials === undefined || isNothing(context.denials) ? {} : { denials: context.denials }),
      },
    }),
  );
};

const isNothing = ({ skills, tools }: Denials): boolean => skills.length === 0 && tools.length === 0;

/** The profile of another agent of a run that denies these to all of its agents. */
export const denying = (profile: ResolvedProfile, denials: Denials | undefined): ResolvedProfile =>
  denials === undefined
    ? profile
    : {
        ...profile,
        tools: { ...profile.tools, deny: [...new Set([...profile.tools.deny, ...denials.tools])] },
        skills: { ...profile.skills, deny: [...new Set([...profile.skills.deny, ...denials.skills])] },
        sourceTrace: { ...profile.sourceTrace, denials },
      };

/**
 * What keeps a complete profile from being run for a purpose. A subagent returns its result through the runtime, so
 * it needs neither writer nor writable output nor commit nor finish; a successor by handoff may end by handing on, so it needs no finish.
 */
export function* checkReadiness(profile: CompleteProfile, purpose: ProfilePurpose): Generator<ProfileIssue> {
  if (purpose === "direct" && !profile.run.directRunnable) {
    yield issue(
      "agent.profile_not_direct_runnable",
      ["run", "directRunnable"],
      `The profile ${profile.id} only runs when another agent calls it; start another one.`,
    );
  }
  if (profile.model.mode === "requiresConfiguration") {
    yield issue(
      "agent.profile_model_requires_configuration",
      ["model", "mode"],
      `The profile ${profile.id} has no model yet; choose a connection and a model for it.`,
    );
  }
  if (purpose === "subagent") return;
  const visible = new Set(visibleTools(profile));
  if (!visible.has("builtin:workspace.write_file")) {
    yield issue(
      "agent.profile_output_writer_required",
      ["tools", "allow"],
      "Nothing could write the output; allow builtin:workspace.write_file.",
    );
  }
  for (const [index, artifact] of profile.output.artifacts.entries()) {
    const { path } = normalise(artifact);
    const root = profile.workspace.visibleRoots.find((visible) => WorkspacePath.isStrictlyInside(path, visible));
    if (root === undefined || profile.workspace.writableRoots.includes(root)) continue;
    yield issue(
      "agent.profile_output_path_denied",
      ["output", "artifacts", index, "path"],
      `${path} could not be written; add ${root} to workspace.writableRoots.`,
    );
  }
  if (purpose === "handoff") return;
  if (profile.run.presentation === "foreground" && !visible.has("builtin:workspace.commit")) {
    yield issue(
      "agent.profile_commit_required",
      ["tools", "allow"],
      "A foreground profile publishes to the chat; allow builtin:workspace.commit or set run.presentation to background.",
    );
  }
  if (!visible.has("builtin:workspace.finish")) {
    yield issue(
      "agent.profile_finish_required",
      ["tools", "allow"],
      "Nothing could end the run; allow builtin:workspace.finish.",
    );
  }
}

/** The frozen form, read back: unknown fields and other shapes are reported, no rule is checked again. */
export const decodeResolved = (input: unknown): Result.Result<ResolvedProfile, ReadonlyArray<ProfileIssue>> =>
  Result.mapError(validate(input), (found) =>
    found.map(({ path, message }) => issue("agent.profile_contract_invalid", path, message)),
  );

/** What the profile lets an invocation see and write, beside the read-only mounts of the runtime. */
export const accessOf = (
  profile: Pick<CompleteProfile, "workspace">,
  readOnlyMounts: ReadonlyArray<string>,
): WorkspaceAccess => ({
  visibleRoots: rootsIn(profile.workspace.visibleRoots),
  writableRoots: rootsIn(profile.workspace.writableRoots),
  readOnlyMounts,
});

const validate = validator(ResolvedProfile);

const rootsIn = (names: ReadonlyArray<string>): ReadonlyArray<RootName> => names.filter(isRootName);

const normalise = (artifact: Artifact): Artifact => ({
  ...artifact,
  path: Result.getOrElse(WorkspacePath.parse(artifact.path), () => artifact.path),
});
