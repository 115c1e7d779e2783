/**
 * Journals for properties of the fold: a realistic one, and arbitrary ones made from the schemas of the events.
 *
 * Owns making them. Does not own what is asserted of them.
 */
import * as PathMap from "@cahier/domain/run/PathMap";
import * as Arbitrary from "effect/Arbitrary";
import * as Schema from "effect/Schema";
import {
  CallId,
  CommitId,
  type InvocationId,
  InvocationId as Invocation,
  OwnerId,
  ProfileId,
  RunId,
  rootInvocation,
  StableChatId,
  WorkspaceId,
} from "../../src/identity/Identity.ts";
import type { Payload } from "../../src/payload/Payload.ts";
import * as Sha256 from "../../src/payload/Sha256.ts";
import type { StoredEvent } from "../../src/run/EventEnvelope.ts";
import * as RunEvent from "../../src/run/RunEvent.ts";
import type { RunState } from "../../src/run/RunState.ts";
import * as Log from "../../src/run/Log.ts";

export const runId = RunId.make("run_0123456789abcdef0123456789abcdef");
const workspaceId = WorkspaceId.make("chat_0123456789abcdef");
const profileId = ProfileId.make("default-writer");

/** Type and payload of an event before it has a place in a journal. */
export interface Fact {
  readonly type: string;
  readonly v: number;
  readonly invocationId: InvocationId;
  readonly payload: StoredEvent["payload"];
}

/** The facts as a journal whose first event has the number `firstSeq`. */
export const journal = (facts: ReadonlyArray<Fact>, firstSeq = 1): ReadonlyArray<StoredEvent> =>
  facts.map(({ type, v, invocationId, payload }, index) => ({
    id: `evt_${firstSeq + index}` as StoredEvent["id"],
    seq: firstSeq + index,
    runId,
    timestamp: new Date(1_700_000_000_000 + (firstSeq + index) * 10).toISOString(),
    level: "info",
    type,
    v,
    eventScope: { invocationId },
    payload,
    epoch: 1,
  }));

/** A journal as the fold takes it. */
export const events = (facts: ReadonlyArray<Fact>, firstSeq = 1): ReadonlyArray<RunEvent.RunEvent> =>
  journal(facts, firstSeq).map(RunEvent.trust);

/** A state as plain values: what two logs hold, not how they share it. */
export const plain = (state: RunState): unknown => ({
  ...state,
  invocations: Object.fromEntries(
    Object.entries(state.invocations).map(([id, invocation]) => [
      id,
      { ...invocation, messages: Log.toArray(invocation.messages) },
    ]),
  ),
  files: Object.fromEntries(
    Object.entries(PathMap.toRecord(state.files)).map(([path, file]) => [
      path,
      { ...file, deltas: Log.toArray(file.deltas) },
    ]),
  ),
});

/** A fact of the version that this software writes. */
export const fact = <Type extends RunEvent.RunEventType>(
  type: Type,
  payload: RunEvent.PayloadOf<Type>,
  invocationId: InvocationId = rootInvocation,
): Fact => ({
  type,
  v: RunEvent.definitions[type].v,
  invocationId,
  payload,
});

/** A fact of a type that only a later version knows. */
export const unknownFact: Fact = {
  type: "plan_node_entered",
  v: 1,
  invocationId: rootInvocation,
  payload: { node: "outline" },
};

/** A known type in a version that only a later version knows. */
export const futureFact: Fact = { ...fact("run_completed", {}), v: 99, payload: { outcome: "new" } };

/** Facts that tell something and change nothing that a step follows from. */
export const foldlessFacts: ReadonlyArray<Fact> = [
  unknownFact,
  futureFact,
  fact("generation_intent_recorded", { intent: { reason: "asked" } }),
  fact("workspace_initialized", { workspaceId, stableChatId: StableChatId.make("chat") }),
  fact("model_completed", {
    round: 1,
    invocationId: rootInvocation,
    modelResponsePath: "model-responses/inv_root/round-001.json",
    toolCallCount: 1,
    textChars: 0,
    textWords: 0,
    hasReasoning: false,
    reasoningChars: 0,
    reasoningWords: 0,
  }),
];

export const payload = (path: string, text: string): Payload => ({
  path,
  sha256: Sha256.ofText(text),
  bytes: text.length,
  text,
});

const turn = (round: number) => ({ round, invocationId: rootInvocation });
const call = (round: number, id: string) => ({ ...turn(round), callId: CallId.make(id) });
const metrics = { chars: 5, words: 1 };
const commit = {
  commitId: CommitId.make("commit_1"),
  ...call(4, "d"),
  path: "output/main.md",
  mode: "replace" as const,
};

/** A call that the gate has seen. */
export const requested = (round: number, id: string, tool: string) =>
  fact("tool_call_requested", {
    ...call(round, id),
    toolId: `builtin:${tool}`,
    name: tool.replaceAll(".", "_"),
    snapshotId: "tools_1",
    argumentsRef: payload(`tool-args/${id}.json`, "{}"),
  });

/** A call that begins to run. */
export const started = (round: number, id: string, tool: string, effectClass = "internal") =>
  fact("tool_call_started", { ...call(round, id), toolId: `builtin:${tool}`, effectClass });

/** The result of a call and its end. */
export const closed = (round: number, id: string, tool: string, isError = false): ReadonlyArray<Fact> => [
  fact("tool_result_stored", {
    ...call(round, id),
    toolId: `builtin:${tool}`,
    result: payload(`tool-results/${id}.json`, `{"of":"${id}"}`),
  }),
  fact(isError ? "tool_call_failed" : "tool_call_completed", {
    ...call(round, id),
    toolId: `builtin:${tool}`,
    isError,
    elapsedMs: 1,
    resourceRefs: [],
  }),
];

/** A whole model call. */
export const answered = (round: number, finish: "stop" | "toolCalls" = "toolCalls"): ReadonlyArray<Fact> => [
  fact("model_request_created", { ...turn(round), messageCount: round }),
  fact("model_call_attempt_started", { ...turn(round), attempt: 1, maxRetries: 3 }),
  fact("model_response_stored", {
    ...turn(round),
    response: payload(`model-responses/inv_root/round-00${round}.json`, `{"round":${round}}`),
    model: "script",
    finish,
    usage: { inputTokens: 10, outputTokens: 2 },
  }),
];

/** A change of status. */
export const status = (from: RunState["status"], to: RunState["status"]) =>
  fact("status_changed", { from, to, reason: "t" });

/** A whole run: a failed attempt, a reminder, a write, a patch, a refused call, a commit, the end. */
export const writingRun: ReadonlyArray<Fact> = [
  fact("run_created", {
    workspaceId,
    target: {
      kind: "chat",
      stableChatId: StableChatId.make("chat"),
      chatRef: { kind: "group", chatId: "chat" },
      generationType: "normal",
      location: "here",
      characterName: "Ada",
      inputMessageCount: 2,
      revision: "r1",
    },
    presentation: "foreground",
    profileId,
  }),
  fact("run_owner_changed", {
    owner: { ownerId: OwnerId.make("owner_1"), machine: "here", pid: 7, startedAt: "0" },
    reason: "started",
  }),
  fact("profile_resolved", {
    profileId,
    source: "built_in",
    resolvedProfile: payload("input/resolved_profile.json", "{}"),
    diagnostics: [],
  }),
  status("created", "initializing_workspace"),
  fact("agent_invocation_created", { invocationId: rootInvocation, profileId, kind: "root", status: "created" }),
  status("initializing_workspace", "assembling_context"),
  fact("context_assembled", {
    invocationId: rootInvocation,
    request: { source: "scripted", format: "scripted", model: "script", messageCount: 2, toolCount: 7 },
    tools: [],
    limits: { maxRounds: 9, driftRecoveryMaxAttempts: 1, maxRetries: 3, retryIntervalMs: 3000 },
    contextPolicy: { initialChatHistoryMessages: -1, includeActivatedWorldInfo: true },
    promptSource: "plain",
    promptSnapshot: payload("input/prompt.json", "[]"),
    toolSnapshot: payload("input/tools.json", "[]"),
  }),
  fact("agent_invocation_started", { invocationId: rootInvocation, profileId, kind: "root", status: "running" }),
  status("assembling_context", "calling_model"),
  fact("model_request_created", { ...turn(1), messageCount: 0 }),
  fact("model_call_attempt_started", { ...turn(1), attempt: 1, maxRetries: 3 }),
  fact("model_call_attempt_failed", {
    ...turn(1),
    attempt: 1,
    maxRetries: 3,
    code: "agent.transient",
    retryable: true,
    willRetry: true,
    message: "later",
  }),
  fact("model_call_retry_scheduled", { ...turn(1), nextAttempt: 2, intervalMs: 3000 }),
  ...answered(1, "stop").slice(1),
  fact("direct_output_captured", {
    ...turn(1),
    path: "output/direct_output.md",
    ...metrics,
    sha256: Sha256.ofText("Text."),
    modelResponsePath: "model-responses/inv_root/round-001.json",
    content: payload("output/direct_output.md", "Text."),
  }),
  fact("drift_recovery_attempted", {
    ...turn(1),
    attempt: 1,
    maxAttempts: 1,
    maxRounds: 9,
    committedCount: 0,
    reasonCode: "model.tool_call_required",
    reminder: payload("input/reminder.md", "Use the tools."),
  }),
  ...answered(2),
  requested(2, "a", "workspace.write_file"),
  requested(2, "b", "workspace.read_file"),
  started(2, "a", "workspace.write_file"),
  fact("workspace_file_written", {
    ...call(2, "a"),
    path: "output/main.md",
    mode: "replace",
    ...metrics,
    bytes: 5,
    sha256: Sha256.ofText("Hello"),
    content: payload("output/main.md", "Hello"),
  }),
  ...closed(2, "a", "workspace.write_file"),
  started(2, "b", "workspace.read_file", "pure"),
  fact("workspace_file_read", {
    ...call(2, "b"),
    path: "output/main.md",
    sha256: Sha256.ofText("Hello"),
    chars: 5,
    range: [0, 5],
  }),
  ...closed(2, "b", "workspace.read_file"),
  ...answered(3),
  requested(3, "c", "workspace.apply_patch"),
  started(3, "c", "workspace.apply_patch"),
  fact("workspace_patch_applied", {
    ...call(3, "c"),
    path: "output/main.md",
    ...metrics,
    bytes: 5,
    oldSha256: Sha256.ofText("Hello"),
    sha256: Sha256.ofText("Hallo"),
    replacements: 1,
    edits: payload("tool-args/c.edits.json", "{}"),
  }),
  ...closed(3, "c", "workspace.apply_patch"),
  ...answered(4),
  requested(4, "d", "workspace.commit"),
  started(4, "d", "workspace.commit", "keyed"),
  status("calling_model", "dispatching_tool"),
  fact("chat_commit_started", commit),
  fact("chat_commit_requested", {
    ...commit,
    ...metrics,
    sha256: Sha256.ofText("Hallo"),
    revision: "r1",
    at: "2026-01-01T00:00:00.000Z",
  }),
  fact("chat_commit_completed", { ...commit, messageId: "m1", messageIndex: 2, revision: "r2", chars: 5 }),
  fact("chat_commit_recorded", {
    invocationId: rootInvocation,
    commitCount: 1,
    path: "output/main.md",
    mode: "replace",
    messageId: "m1",
  }),
  ...closed(4, "d", "workspace.commit"),
  ...answered(5),
  requested(5, "e", "workspace.finish"),
  started(5, "e", "workspace.finish"),
  ...closed(5, "e", "workspace.finish"),
  fact("agent_loop_finished", { ...turn(5), commitCount: 1 }),
  status("dispatching_tool", "finishing"),
  status("finishing", "completed"),
  fact("run_completed", {}),
  fact("agent_invocation_completed", { invocationId: rootInvocation, profileId, kind: "root", status: "completed" }),
  fact("run_owner_changed", { owner: null, reason: "completed" }),
];

const types = Object.keys(RunEvent.definitions) as ReadonlyArray<RunEvent.RunEventType>;

/** Payloads of a type, as its schema allows them. */
export const payloadOf = (type: RunEvent.RunEventType): Arbitrary.Arbitrary<StoredEvent["payload"]> =>
  Arbitrary.map(
    Arbitrary.schema(RunEvent.definitions[type].payload as unknown as Schema.Codec<unknown>),
    (value) => value as StoredEvent["payload"],
  );

const arbitraryPayloads = new Map(types.map((type) => [type, payloadOf(type)]));

const known: Arbitrary.Arbitrary<Fact> = Arbitrary.flatMap(Arbitrary.schema(Schema.Literals(types)), (type) =>
  Arbitrary.flatMap(Arbitrary.schema(Schema.Literals(["inv_root", "inv_other"])), (id) =>
    Arbitrary.map(arbitraryPayloads.get(type) ?? payloadOf(type), (value) => ({
      type,
      v: RunEvent.definitions[type].v,
      invocationId: Invocation.make(id),
      payload: value,
    })),
  ),
);

/** Sequences of events that fit their schemas and nothing else: any type after any other. */
export const anyFacts: Arbitrary.Arbitrary<ReadonlyArray<Fact>> = Arbitrary.map(
  Arbitrary.array(known, { maxLength: 12 }),
  // Most events say something of an invocation; without one they would all be passed over.
  (facts) => [...writingRun.slice(4, 5), ...facts],
);

const order = Arbitrary.array(Arbitrary.schema(Schema.Int), {
  minLength: writingRun.length,
  maxLength: writingRun.length,
});

/** The realistic run with its events in any order, cut anywhere, with unknown ones among them. */
export const shuffledFacts: Arbitrary.Arbitrary<ReadonlyArray<Fact>> = Arbitrary.map(order, (keys) => {
  const shuffled = writingRun
    .map((item, index) => ({ item, key: keys[index] ?? 0 }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ item }) => item);
  const kept = Math.abs(keys[0] ?? 0) % (shuffled.length + 1);
  const at = Math.abs(keys[1] ?? 0) % (kept + 1);
  return [...shuffled.slice(0, at), unknownFact, futureFact, ...shuffled.slice(at, kept)];
});
