/**
 * The defaults of a profile, all in one place.
 */
import { rootNames } from "../workspace/WorkspaceRoot.ts";
import type { CompleteProfile } from "./CompleteProfile.ts";
import type { Profile } from "./Profile.ts";
import type { Artifact } from "./ProfileParts.ts";

/** What a run produces when its profile does not say: one Markdown file that becomes the message. */
export const defaultArtifact: Artifact = {
  id: "main",
  path: "output/main.md",
  kind: "markdown",
  target: "messageBody",
  required: true,
  assemblyOrder: 0,
};

/**
 * The profile with every default written out. Nothing that is written is changed, except that any negative
 * `initialChatHistoryMessages` becomes -1 and a null prompt counts as left out. Whoever narrows the visible roots
 * narrows the writable ones with them. The three fields without a default
 * (`displayName`, `tools.allow`, `tools.maxRounds`) become empty or 0, which `checkProfile` refuses. Applied to its
 * own result it changes nothing.
 */
export const withDefaults = (profile: Profile): CompleteProfile => ({
  kind: profile.kind,
  schemaVersion: profile.schemaVersion,
  id: profile.id,
  displayName: profile.displayName ?? "",
  ...(profile.description === undefined ? {} : { description: profile.description }),
  preset: { mode: "currentPromptSnapshot", required: false, ...profile.preset },
  model: { mode: "currentPromptSnapshot", ...profile.model },
  run: run(profile.run ?? {}),
  context: context(profile.context ?? {}),
  delegation: { ...delegation, ...profile.delegation },
  instructions: instructions(profile.instructions ?? {}),
  tools: { ...tools, ...profile.tools },
  skills: { visible: ["*"], deny: [], maxReadCharsPerCall: 20_000, maxReadCharsPerRun: 80_000, ...profile.skills },
  workspace: workspace(profile.workspace ?? {}),
  plan: { mode: "none", nodes: [], beta: true, ...profile.plan },
  output: { artifacts: [defaultArtifact], ...profile.output },
});

type Section<Name extends keyof Profile> = Exclude<Profile[Name], undefined>;

const run = (written: Section<"run">): CompleteProfile["run"] => ({
  presentation: "foreground",
  directRunnable: true,
  stream: true,
  resume: "auto",
  ...written,
  modelRetry: { maxRetries: 3, intervalMs: 3000, ...written.modelRetry },
  driftRecovery: { maxAttempts: 1, ...written.driftRecovery },
  repetition: { warnAt: 3, endAt: 5, ...written.repetition },
  budget: written.budget ?? {},
});

const context = (written: Section<"context">): CompleteProfile["context"] => {
  const history = written.initialChatHistoryMessages ?? -1;
  return {
    includeActivatedWorldInfo: true,
    hydrateRecentWrites: 0,
    ...written,
    initialChatHistoryMessages: history < 0 ? -1 : history,
    toolResults: { visible: true, form: "full", ...written.toolResults },
  };
};

const instructions = ({ agentSystemPrompt, language }: Section<"instructions">): CompleteProfile["instructions"] => ({
  ...(agentSystemPrompt === undefined || agentSystemPrompt === null ? {} : { agentSystemPrompt }),
  language: language ?? "en",
});

const workspace = (written: Section<"workspace">): CompleteProfile["workspace"] => {
  const visibleRoots = written.visibleRoots ?? rootNames;
  return { visibleRoots, writableRoots: written.writableRoots ?? visibleRoots };
};

const delegation: CompleteProfile["delegation"] = {
  canDelegate: false,
  canHandoff: false,
  callable: false,
  allowAsSubagent: false,
  allowAsHandoffTarget: false,
  allowNestedDelegation: false,
  allowedCallers: ["*"],
  maxConcurrentInvocations: 3,
  maxInvocationsPerRun: 8,
  resultBudgetTokens: 8000,
  maxHandoffDepth: 8,
  maxDepth: 1,
  taskTimeoutMs: 600_000,
};

const tools: CompleteProfile["tools"] = {
  allow: [],
  deny: [],
  toolDescriptions: {},
  policy: [],
  maxRounds: 0,
  maxCallsPerRun: 80,
  maxCallsPerTool: {},
  unadvertisedTool: "return",
  onDenied: "return",
  externalResultInlineCharLimit: 50_000,
  timeoutMs: {},
};
