/**
 * The built-in profile `default-writer`, which runs when nobody asks for another.
 */
import type { KnownTool } from "./CheckContext.ts";
import type { Profile } from "./Profile.ts";
import { issue, type ProfileIssue } from "./ProfileIssue.ts";
import { profileKind, profileSchemaVersion } from "./ProfileParts.ts";

/** The id of the built-in profile. A stored document of this id is used only when the id is asked for explicitly. */
export const defaultWriterId = "default-writer";

/** Its tools, in the order in which the model sees them. */
export const defaultWriterTools: ReadonlyArray<string> = [
  "builtin:workspace.list_files",
  "builtin:workspace.search_files",
  "builtin:workspace.read_file",
  "builtin:workspace.write_file",
  "builtin:workspace.apply_patch",
  "builtin:workspace.shell",
  "builtin:workspace.commit",
  "builtin:workspace.finish",
  "builtin:chat.search",
  "builtin:chat.read_messages",
  "builtin:worldinfo.read_activated",
  "builtin:skill.list",
  "builtin:skill.search",
  "builtin:skill.read",
  "builtin:agent.list",
  "builtin:agent.delegate",
  "builtin:agent.await",
];

/** The profile for a catalogue; `diagnostics` name the tools that were left out because the catalogue lacks them. */
export interface DefaultWriter {
  readonly profile: Profile;
  readonly diagnostics: ReadonlyArray<ProfileIssue>;
}

/** `default-writer` with those of its tools that the catalogue has. */
export const defaultWriter = (catalogue: ReadonlyArray<Pick<KnownTool, "id">>): DefaultWriter => {
  const known = new Set(catalogue.map(({ id }) => id));
  return {
    profile: {
      kind: profileKind,
      schemaVersion: profileSchemaVersion,
      id: defaultWriterId,
      displayName: "Default Writer",
      description: "Drafts in its workspace, revises, and publishes the finished text to the chat.",
      run: { presentation: "foreground" },
      delegation: { canDelegate: true },
      tools: { allow: defaultWriterTools.filter((tool) => known.has(tool)), maxRounds: 80, maxCallsPerRun: 80 },
      skills: { visible: ["*"] },
    },
    diagnostics: defaultWriterTools
      .filter((tool) => !known.has(tool))
      .map((tool) =>
        issue("agent.profile_tool_unavailable", ["tools", "allow"], `${tool} is not available here and was left out.`),
      ),
  };
};
