import * as PathMap from "@cahier/domain/run/PathMap";
import { readdirSync, readFileSync } from "node:fs";
import { assert, describe, it } from "@effect/vitest";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { fold } from "../../src/run/evolve.ts";
import { StoredEvent } from "../../src/run/EventEnvelope.ts";
import * as Log from "../../src/run/Log.ts";
import * as RunEvent from "../../src/run/RunEvent.ts";
import { empty, type RunState } from "../../src/run/RunState.ts";
import { raise, type Upcasters, upcasters } from "../../src/run/upcasters.ts";

/**
 * Journals as earlier versions wrote them, each folder by one, with what each run came to. They are never changed: what is
 * in them must open for good. A version that writes events otherwise adds a folder.
 */
const fixtures = new URL("../fixtures/", import.meta.url);

const journals = readdirSync(fixtures).flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, fixtures))
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => `${folder}/${name.slice(0, -".jsonl".length)}`),
);

/** Types that the folders above were written without. */
const added: ReadonlyArray<string> = [
  "agent_invocation_transferred",
  "agent_task_registered",
  "agent_task_queued",
  "agent_task_started",
  "agent_task_completed",
  "agent_task_failed",
  "agent_task_cancelled",
  "agent_task_results_delivered",
  "agent_delegate_started",
  "agent_await_started",
  "agent_await_completed",
  "agent_child_invocation_failed",
  "agent_handoff_requested",
  "agent_handoff_accepted",
  "task_return_recorded",
  "task_return_completed",
  "user_guidance_submitted",
  "user_guidance_applied",
  "user_guidance_discarded",
  "skill_scopes_resolved",
  "prompt_assembly_requested",
  "prompt_assembly_completed",
  "prompt_assembly_failed",
  "context_component_skipped",
  "context_tool_result_hydrated",
  "provider_state_updated",
  "tool_question_asked",
  "tool_question_answered",
  "tool_result_attachment_stored",
  "skill_read",
  "workspace_file_removed",
];

const linesOf = (name: string): ReadonlyArray<StoredEvent> =>
  readFileSync(new URL(`${name}.jsonl`, fixtures), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => decodeStored(JSON.parse(line)));

const decodeStored = Schema.decodeUnknownSync(StoredEvent);

const decoded = (name: string): ReadonlyArray<RunEvent.RunEvent> =>
  linesOf(name).map((event) => Option.getOrThrow(RunEvent.decode(event)));

/** What a run came to, in the words of its fixture. */
const factsOf = (state: RunState): unknown => ({
  events: state.seq,
  status: state.status,
  failure: state.failure,
  epoch: state.epoch,
  files: Object.fromEntries(PathMap.values(state.files).map(({ path, sha256 }) => [path, sha256])),
  commits: state.commits.map(({ chars, messageIndex, path }) => [path, messageIndex, chars]),
  checkpoints: Log.toArray(state.checkpoints).map(({ id, reason, seq }) => [id, seq, reason]),
  invocations: Object.values(state.invocations).map((one) => ({
    kind: one.kind,
    status: one.status,
    rounds: one.completedResponses,
    calls: one.callCount,
    messages: one.messages.length,
    tokens: one.inputTokens + one.outputTokens,
  })),
  stateId: state.persist.stateId,
  forkedFrom: state.forkedFrom,
  activeMs: state.activeMs,
});

describe("a journal of an earlier version", () => {
  it.each(journals)("%s opens: every event fits its schema, and the run comes to what it came to then", (name) => {
    const events = decoded(name);
    assert.isTrue(events.every(RunEvent.isKnown));
    const expected: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, fixtures), "utf8"));
    assert.deepStrictEqual(factsOf(fold(empty, events)), expected);
    assert.deepStrictEqual(factsOf(fold(empty, linesOf(name).map(RunEvent.trust))), expected);
  });

  it("is there for every type of event that the first version wrote", () => {
    const written = new Set(journals.flatMap(linesOf).map(({ type }) => type));
    const missing = Object.entries(RunEvent.definitions).filter(([type, { v }]) => v === 1 && !written.has(type));
    assert.deepStrictEqual(
      missing.map(([type]) => type),
      added,
    );
  });
});

describe("the version of an event", () => {
  const event: StoredEvent = {
    ...(linesOf(journals[0] ?? "")[0] ?? assert.fail()),
    type: "run_completed",
    v: 1,
    payload: { count: 1 },
  };

  it("that was ever written is raised step by step, and what is stored stays as it is", () => {
    const table: Upcasters = {
      run_completed: {
        1: (payload) => ({ ...(payload as object), named: true }),
        2: (payload) => ({ of: payload }),
      },
    };
    assert.deepStrictEqual(raise(event, 3, table), { ...event, v: 3, payload: { of: { count: 1, named: true } } });
    assert.deepStrictEqual(raise(event, 1, table), event);
    assert.deepStrictEqual(event.payload, { count: 1 });
  });

  it("that nothing raises, or that is later than today's, is unknown and kept as it is", () => {
    assert.isUndefined(raise(event, 2, {}));
    assert.isUndefined(raise({ ...event, v: 3 }, 2, {}));
    for (const v of [0, RunEvent.definitions.run_completed.v + 1])
      assert.deepStrictEqual(RunEvent.trust({ ...event, v }), { ...event, v, unknown: true });
  });

  it("has a function for each earlier one, and for no other", () => {
    for (const [type, { v }] of Object.entries(RunEvent.definitions)) {
      const versions = Object.keys(upcasters[type] ?? {}).map(Number);
      assert.deepStrictEqual(
        versions,
        Array.from({ length: v - 1 }, (_, index) => index + 1),
        type,
      );
    }
    for (const type of Object.keys(upcasters)) assert.isTrue(RunEvent.isKnownType(type), type);
  });
});
