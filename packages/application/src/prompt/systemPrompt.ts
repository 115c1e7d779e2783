/**
 * The system prompt that an invocation gets when its profile has none of its own, and what every prompt gets besides.
 *
 * Owns what an agent is told of its duty and of whom it can call. Does not own what its tools do: their descriptions say it.
 */
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import { byId } from "@cahier/domain/tool/ToolSnapshot";
import { persistRoot } from "@cahier/domain/persist/PersistentState";
import type { FrozenSkill } from "@cahier/domain/skill/FrozenSkills";
import { skillFile } from "@cahier/domain/skill/Skill";
import type { Callable } from "../delegation/Agents.ts";
import { skillsRoot } from "../skill/AgentSkills.ts";
import { toolName } from "../tool/toolNames.ts";
import { type Phrases, phrasesOf } from "./phrases.ts";

/** Who the prompt is for: whoever writes the message, or who works on a task for another agent. */
export type PromptRole = "writer" | "delegated";

/** `agents`: whom the agent can call, `skills`: what it can read of how things are done; nothing unless it is given. */
export interface PromptOptions {
  readonly role?: PromptRole;
  readonly agents?: ReadonlyArray<Callable>;
  readonly skills?: ReadonlyArray<Pick<FrozenSkill, "description" | "name">>;
}

/** What of a profile the prompt is made of. */
export type PromptProfile = Pick<CompleteProfile, "instructions" | "workspace"> & {
  readonly output: { readonly messageBodyPath: string };
};

/** The profile's own prompt or the generated one, and behind either the Skills that can be read and the agents that can be called. */
export const agentPrompt = (
  snapshot: InvocationToolSnapshot,
  profile: PromptProfile,
  options: PromptOptions = {},
): string => {
  const phrases = phrasesOf(profile.instructions.language);
  const own = profile.instructions.agentSystemPrompt ?? systemPrompt(snapshot, profile, options);
  return [
    own,
    skillCatalogue(snapshot, profile, options.skills ?? []),
    directoryText(phrases, snapshot, options.agents ?? []),
  ]
    .filter((part, index) => index === 0 || part !== "")
    .join("\n\n");
};

/** Made of the visible tools: what to do, what reaches the reader, and how the work ends. */
export const systemPrompt = (
  snapshot: InvocationToolSnapshot,
  profile: PromptProfile,
  { role = "writer" }: PromptOptions = {},
): string => {
  const phrases = phrasesOf(profile.instructions.language);
  const name = (native: string): string => toolName(snapshot, native);
  const has = (native: string): boolean => byId(snapshot, `builtin:${native}`) !== undefined;
  const { messageBodyPath } = profile.output;
  const remembers = profile.workspace.writableRoots.includes(persistRoot);
  const duty =
    role === "delegated"
      ? [phrases.delegatedDuty, "", phrases.delegatedEnd(name("task.return"))]
      : [
          phrases.duty,
          "",
          phrases.message(messageBodyPath),
          ...(has("workspace.commit") ? [phrases.reaches(name("workspace.commit"))] : []),
          ...ends(phrases, has, name),
        ];
  const lines = [
    ...duty,
    ...(has("workspace.read_file") && has("workspace.apply_patch")
      ? [phrases.readFirst(name("workspace.apply_patch"))]
      : []),
    ...(has("workspace.shell") ? [phrases.shell(name("workspace.shell"))] : []),
    ...(remembers && has("workspace.write_file") && role === "writer" ? [phrases.remembered(persistRoot)] : []),
    ...(role === "delegated" ? [] : ["", phrases.usualWay(usualWay(messageBodyPath, has, name))]),
    "",
    role === "delegated" ? phrases.delegatedStyle : phrases.style,
    "",
    phrases.tools,
    ...snapshot.bindings.map(({ descriptor, modelAlias }) => `- ${modelAlias}: ${descriptor.title}`),
  ];
  return lines.join("\n");
};

/** How the work of a writer ends: it finishes, or it can only hand over. */
const ends = (
  phrases: Phrases,
  has: (native: string) => boolean,
  name: (native: string) => string,
): ReadonlyArray<string> => {
  if (has("workspace.finish")) return [phrases.finish(name("workspace.finish"))];
  return has("agent.handoff") ? [phrases.handOver(name("agent.handoff"))] : [];
};

const usualWay = (
  messageBodyPath: string,
  has: (native: string) => boolean,
  name: (native: string) => string,
): ReadonlyArray<string> => [
  ...(has("workspace.write_file") ? [`${name("workspace.write_file")} → ${messageBodyPath}`] : []),
  ...(has("workspace.commit") ? [name("workspace.commit")] : []),
  ...(has("workspace.finish") ? [name("workspace.finish")] : has("agent.handoff") ? [name("agent.handoff")] : []),
];

/** Which Skills the agent has and how it reads one; empty when it has none, or no tool that shows them. */
export const skillCatalogue = (
  snapshot: InvocationToolSnapshot,
  { instructions }: Pick<PromptProfile, "instructions">,
  skills: ReadonlyArray<Pick<FrozenSkill, "description" | "name">>,
): string => {
  const phrases = phrasesOf(instructions.language);
  const [first] = skills;
  const has = (native: string): boolean => byId(snapshot, `builtin:${native}`) !== undefined;
  const isReadable = [
    "skill.read",
    "skill.search",
    "workspace.read_file",
    "workspace.search_files",
    "workspace.shell",
  ].some(has);
  if (first === undefined || !isReadable) return "";
  const way = ["skill.read", "workspace.read_file", "workspace.shell"].find(has);
  const file = (name: string): string => `${skillsRoot}/${name}/${skillFile}`;
  const how =
    way === undefined ? "" : phrases.readSkill(toolName(snapshot, way), way === "skill.read" ? "" : file("…"));
  return [
    `${phrases.skills}${how}`,
    ...skills.map(({ description, name }) => `- ${name}: ${inOneLine(description)}`),
  ].join("\n");
};

/** Descriptions are the authors' own, and at most as long as the format allows. */
const inOneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= mostOfDescription ? line : `${line.slice(0, mostOfDescription).toWellFormed()}…`;
};

const mostOfDescription = 1024;

/** Whom the agent can call, with which tools; empty when that is nobody. */
const directoryText = (phrases: Phrases, snapshot: InvocationToolSnapshot, agents: ReadonlyArray<Callable>): string => {
  const tools = { delegate: "agent.delegate", handoff: "agent.handoff" } as const;
  const lines = agents.flatMap(({ id, operations, purpose }) => {
    const usable = operations.filter((operation) => byId(snapshot, `builtin:${tools[operation]}`) !== undefined);
    const names = usable.map((operation) => toolName(snapshot, tools[operation]));
    return names.length === 0 ? [] : [`- ${id} (${names.join(", ")}): ${purpose}`];
  });
  return lines.length === 0 ? "" : [phrases.agents, ...lines].join("\n");
};
