/** Profile files of the original. */

export const versions = [1, 2, 3, 4] as const;
export type Version = (typeof versions)[number];

const toolId = (version: Version, name: string): string => (version < 3 ? name : `builtin:${name}`);

/** A file of the original that states every field of its version. */
export const fileOf = (version: Version) => ({
  kind: "tauritavern.agentProfile",
  schemaVersion: version,
  id: "harbour-writer",
  displayName: "Harbour writer",
  description: "Writes of the harbour.",
  preset: {
    mode: "ref",
    ref: { apiId: "openai", name: "Harbour" },
    required: true,
    ...(version === 4 ? { reasoningEffort: "high" } : {}),
  },
  model: { mode: "connectionRef", connectionRef: "home", modelId: "writer-1" },
  run: {
    presentation: "background",
    directRunnable: false,
    ...(version === 4 ? { stream: false } : {}),
    modelRetry: { maxRetries: 1, intervalMs: 10 },
  },
  context: { initialChatHistoryMessages: 7, includeActivatedWorldInfo: false },
  delegation: {
    canDelegate: true,
    canHandoff: true,
    callable: true,
    allowAsSubagent: true,
    allowAsHandoffTarget: false,
    allowNestedDelegation: false,
    allowedCallers: ["default-writer"],
    descriptionForAgents: "Knows the harbour.",
    maxConcurrentInvocations: 2,
    maxInvocationsPerRun: 4,
    resultBudgetTokens: 900,
    maxHandoffDepth: 3,
  },
  instructions: { agentSystemPrompt: "Write of the harbour." },
  tools: {
    allow: ["workspace.write_file", "workspace.read_file", "chat.search"].map((name) => toolId(version, name)),
    deny: [toolId(version, "dice.roll")],
    toolDescriptions: { [toolId(version, "chat.search")]: { description: "Looks.", properties: { query: "Words." } } },
    maxRounds: 20,
    maxCallsPerRun: 30,
    maxCallsPerTool: { [toolId(version, "chat.search")]: 5 },
    ...(version === 4 ? { externalResultInlineCharLimit: 999 } : {}),
    ...(version === 3 ? { mcpResultInlineCharLimit: 999 } : {}),
  },
  skills: {
    visible: ["tides"],
    deny: ["storms"],
    ...(version === 4 ? {} : { maxReadCharsPerCall: 100, maxReadCharsPerRun: 200 }),
  },
  workspace: { visibleRoots: ["output", "scratch"], writableRoots: ["output"] },
  plan: { mode: "none", nodes: [], beta: true },
  output: {
    artifacts: [
      { id: "main", path: "output/main.md", kind: "markdown", target: "messageBody", required: true, assemblyOrder: 0 },
    ],
  },
});
