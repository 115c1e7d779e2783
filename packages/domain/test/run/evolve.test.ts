import * as PathMap from "@cahier/domain/run/PathMap";
import { assert, describe, it } from "@effect/vitest";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { CallId, rootInvocation } from "../../src/identity/Identity.ts";
import { evolve, fold } from "../../src/run/evolve.ts";
import { concerns, StoredEvent } from "../../src/run/EventEnvelope.ts";
import * as Log from "../../src/run/Log.ts";
import * as RunEvent from "../../src/run/RunEvent.ts";
import { chatRevision, empty, position } from "../../src/run/RunState.ts";
import { isTerminal } from "../../src/run/RunStatus.ts";
import * as Journals from "./journals.ts";

const root = (facts: ReadonlyArray<Journals.Fact>) => {
  const state = fold(empty, Journals.events(facts)).invocations[rootInvocation];
  assert.isDefined(state);
  return state;
};

const upTo = (type: string, offset = 1) =>
  Journals.writingRun.slice(0, Journals.writingRun.findIndex((fact) => fact.type === type) + offset);

describe("the fold of a journal", () => {
  it.prop(
    "any sequence of events of any types folds to a state at its last position",
    [Journals.anyFacts],
    ([facts]) => {
      const events = Journals.events(facts);
      const state = fold(empty, events);
      assert.strictEqual(state.seq, events.length);
      assert.strictEqual(state.updatedAt, events.at(-1)?.timestamp ?? null);
    },
  );

  it.prop(
    "a shuffled and cut run with unknown events among them folds to a state",
    [Journals.shuffledFacts],
    ([facts]) => {
      assert.strictEqual(fold(empty, Journals.events(facts)).seq, facts.length);
    },
  );

  it.prop(
    "folding in two parts at any place equals folding whole",
    [Journals.anyFacts, Journals.shuffledFacts, Schema.Int],
    ([any, shuffled, number]) => {
      for (const facts of [any, shuffled, Journals.writingRun]) {
        const events = Journals.events(facts);
        const cut = Math.abs(number) % (events.length + 1);
        const halves = fold(fold(empty, events.slice(0, cut)), events.slice(cut));
        assert.deepStrictEqual(Journals.plain(halves), Journals.plain(fold(empty, events)));
      }
    },
  );

  it("the state of a provider's session is that of the last response, and another binding begins without one", () => {
    const turn = { round: 1, invocationId: rootInvocation };
    const state = { source: "openai", format: "openai-responses", messageCursor: 2, lastResponseId: "resp_1" } as const;
    const answered = [
      ...upTo("model_response_stored"),
      Journals.fact("provider_state_updated", { ...turn, ...state, messageCursor: 1 }),
      Journals.fact("provider_state_updated", { ...turn, ...state }),
    ];
    assert.deepStrictEqual(root(answered)?.providerState, state);
    const bound = Journals.fact("agent_model_binding_resolved", {
      invocationId: rootInvocation,
      mode: "currentPromptSnapshot",
      binding: Journals.payload("input/model_binding.json", "{}"),
      source: "anthropic",
      format: "anthropic-messages",
      modelId: "claude",
    });
    assert.isNull(root([...answered, bound])?.providerState);
    assert.isNull(root(upTo("model_response_stored"))?.providerState);
  });

  it("every prefix of a run folds, and later events never change the state of an earlier one", () => {
    const events = Journals.events(Journals.writingRun);
    const states = events.map((_, index) => fold(empty, events.slice(0, index)));
    const before = states.map((state) => JSON.stringify(Journals.plain(state)));
    for (const [index, state] of states.entries()) fold(state, events.slice(index));
    assert.deepStrictEqual(
      states.map((state) => JSON.stringify(Journals.plain(state))),
      before,
    );
  });

  it("one state can be carried on in two ways that never see each other", () => {
    const prefix = fold(empty, Journals.events(upTo("drift_recovery_attempted")));
    const rest = Journals.events(Journals.writingRun, 1).slice(prefix.seq);
    const whole = fold(prefix, rest);
    const reference = JSON.stringify(Journals.plain(whole));
    const reminder = rest.slice(0, 3);
    const other = fold(prefix, [...reminder, ...reminder]);
    assert.strictEqual(JSON.stringify(Journals.plain(whole)), reference);
    assert.notStrictEqual(JSON.stringify(Journals.plain(other)), reference);
  });

  it("tells of a whole run what it did", () => {
    const state = fold(empty, Journals.events(Journals.writingRun));
    assert.strictEqual(state.status, "completed");
    assert.isNull(state.owner);
    assert.isNull(state.pendingCommit);
    assert.strictEqual(chatRevision(state), "r2");
    assert.deepStrictEqual(
      state.commits.map(({ messageIndex, path }) => ({ messageIndex, path })),
      [{ messageIndex: 2, path: "output/main.md" }],
    );
    assert.deepStrictEqual(PathMap.paths(state.files).toSorted(), ["output/direct_output.md", "output/main.md"]);
    const invocation = root(Journals.writingRun);
    assert.strictEqual(invocation.completedResponses, 5);
    assert.strictEqual(position(invocation), 6);
    assert.strictEqual(invocation.callCount, 5);
    assert.strictEqual(invocation.callsPerTool["builtin:workspace.commit"], 1);
    assert.strictEqual(invocation.inputTokens, 50);
    assert.deepStrictEqual(
      Log.toArray(invocation.messages).map(({ kind }) => kind),
      [
        "response",
        "user",
        "response",
        "result",
        "result",
        "response",
        "result",
        "response",
        "result",
        "response",
        "result",
      ],
    );
  });

  it("an event of an unknown type or version moves the position and nothing else", () => {
    const state = fold(empty, Journals.events(Journals.writingRun));
    for (const fact of [Journals.unknownFact, Journals.futureFact]) {
      const [event] = Journals.events([fact], state.seq + 1);
      assert.isDefined(event);
      const { seq: _seq, updatedAt: _updatedAt, ...after } = evolve(state, event);
      const { seq: _before, updatedAt: _beforeAt, ...before } = state;
      assert.deepStrictEqual(after, before);
    }
  });

  it("a run that has ended keeps its status whatever is appended", () => {
    const ended = fold(empty, Journals.events(Journals.writingRun));
    const again = fold(ended, Journals.events(Journals.writingRun, ended.seq + 1));
    assert.isTrue(isTerminal(again.status));
    assert.strictEqual(again.status, "completed");
  });

  it("events of an invocation that was never created are passed over", () => {
    const orphans = Journals.writingRun.filter(({ type }) => type !== "agent_invocation_created");
    const state = fold(empty, Journals.events(orphans));
    assert.deepStrictEqual(state.invocations, {});
    assert.isNull(state.foreground);
  });

  it("an invocation is created once; a second creation changes nothing", () => {
    const twice = [...Journals.writingRun, ...Journals.writingRun.slice(4, 5)];
    assert.deepStrictEqual(root(twice).status, "completed");
    assert.deepStrictEqual(root(twice).callCount, 5);
  });

  it("resuming marks the calls that had started, and no other", () => {
    const resumed: Journals.Fact = {
      type: "run_resumed",
      v: 1,
      invocationId: rootInvocation,
      payload: { previousStatus: "dispatching_tool", unknownCalls: [] },
    };
    const { turn } = root([...upTo("tool_call_started"), resumed]);
    assert.deepStrictEqual(
      turn?.calls.map(({ callId, interrupted, phase }) => ({ callId, interrupted, phase })),
      [
        { callId: CallId.make("a"), interrupted: true, phase: "started" },
        { callId: CallId.make("b"), interrupted: false, phase: "requested" },
      ],
    );
  });

  it("a failed attempt without another one to come is the failure of its invocation", () => {
    const failed: Journals.Fact = {
      type: "model_call_attempt_failed",
      v: 1,
      invocationId: rootInvocation,
      payload: {
        round: 1,
        invocationId: rootInvocation,
        attempt: 2,
        maxRetries: 3,
        code: "agent.unauthorized",
        retryable: false,
        willRetry: false,
        message: "no",
      },
    };
    assert.isNull(root(upTo("model_call_attempt_failed")).failure);
    assert.strictEqual(root(upTo("model_call_attempt_failed")).request?.failures, 1);
    assert.deepStrictEqual(root([...upTo("model_call_retry_scheduled"), failed]).failure, {
      code: "agent.unauthorized",
      message: "no",
    });
  });
});

describe("the language of the journal", () => {
  it("every event of a run decodes with the schema of its type and of its envelope", () => {
    const decodeEnvelope = Schema.decodeUnknownOption(StoredEvent);
    for (const event of Journals.journal(Journals.writingRun)) {
      assert.isTrue(Option.isSome(decodeEnvelope(event)), `${event.type} has an envelope`);
      assert.isTrue(Option.isSome(RunEvent.decode(event)), `${event.type} decodes`);
    }
  });

  for (const type of Object.keys(RunEvent.definitions) as ReadonlyArray<RunEvent.RunEventType>) {
    it.prop(
      `an event ${type} survives JSON and decodes with its schema`,
      [Journals.payloadOf(type)],
      ([payload]) => {
        const [event] = Journals.journal([
          { type, v: RunEvent.definitions[type].v, invocationId: rootInvocation, payload },
        ]);
        const read = RunEvent.decode(JSON.parse(JSON.stringify(event)));
        assert.isTrue(Option.isSome(read) && RunEvent.isKnown(read.value));
      },
      { arbitrary: { runs: 25 } },
    );
  }

  it("a known type whose payload does not fit is refused by a full decode", () => {
    const [event] = Journals.journal([
      { type: "status_changed", v: 1, invocationId: rootInvocation, payload: { from: "created", to: "nowhere" } },
    ]);
    assert.isDefined(event);
    assert.isTrue(Option.isNone(RunEvent.decode(event)));
  });

  it("types and versions of later software are kept as unknown, decoded or trusted", () => {
    for (const event of Journals.journal([Journals.unknownFact, Journals.futureFact])) {
      const decoded = Option.getOrThrow(RunEvent.decode(event));
      assert.isFalse(RunEvent.isKnown(decoded));
      assert.deepStrictEqual(decoded, RunEvent.trust(event));
      assert.strictEqual(decoded.type, event.type);
    }
    assert.isFalse(RunEvent.isKnownType("toString"));
  });

  it("an event concerns the invocation of its scope and every related one", () => {
    const [event] = Journals.journal(Journals.writingRun);
    assert.isDefined(event);
    const other = Journals.journal([{ ...Journals.unknownFact }])[0];
    assert.isDefined(other);
    const child = "inv_child" as typeof rootInvocation;
    assert.isTrue(concerns(event, rootInvocation));
    assert.isFalse(concerns(event, child));
    assert.isTrue(concerns({ eventScope: { invocationId: rootInvocation, relatedInvocationIds: [child] } }, child));
  });
});
