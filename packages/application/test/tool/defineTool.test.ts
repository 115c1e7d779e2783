import * as Policies from "@cahier/application/policy/Policies";
import { Runs } from "@cahier/application/run/Runs";
import { readActivated } from "@cahier/application/tool/builtin/readActivated";
import { readMessages } from "@cahier/application/tool/builtin/readMessages";
import { searchChat } from "@cahier/application/tool/builtin/searchChat";
import { checkArguments } from "@cahier/application/tool/checkArguments";
import { defineTool } from "@cahier/application/tool/defineTool";
import type { Tool } from "@cahier/application/tool/Tool";
import { CallId } from "@cahier/domain/identity/Identity";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { ended, payloadsOf, play } from "../support/play.ts";
import * as World from "../support/World.ts";

const ring = <Parameters extends object>(parameters: Schema.Codec<Parameters, unknown>): Tool =>
  defineTool({
    name: "bell.ring",
    title: "Ring the bell",
    description: "Rings.",
    parameters,
    effectClass: "pure",
    run: (given) => Effect.succeed({ _tag: "Done", content: `Rang ${JSON.stringify(given)}.` }),
  });

const bell = ring(
  Schema.Struct({
    times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })),
    loud: Schema.optionalKey(Schema.Boolean),
  }),
);

const profile = {
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "ringer",
    displayName: "Ringer",
    tools: {
      allow: ["bell.ring", "workspace.write_file", "workspace.commit", "workspace.finish"].map(
        (name) => `builtin:${name}`,
      ),
      maxRounds: 9,
    },
  },
};

/** What a call that was allowed gives when the program has another tool of the same name by then. */
const afterUpgrade = Effect.fnUntraced(function* (upgraded: Tool, args: JsonObject) {
  const world = World.make();
  yield* Policies.write("user", {
    kind: "cahier.policy",
    schemaVersion: 1,
    rules: [{ tools: ["builtin:bell.ring"], permission: "ask" }],
  }).pipe(World.inProcess(world, { tools: [bell] }));
  const parked = yield* play([World.call("bell_ring", args), ...World.publishing], {
    world,
    process: { name: "before", tools: [bell] },
    profile,
  });
  assert.strictEqual(parked.outcome.status, "awaiting_approval");
  const [waiting] = payloadsOf(parked.events, "tool_call_awaiting_approval");
  return yield* Effect.gen(function* () {
    const runs = yield* Runs;
    const handle = yield* runs.decide(parked.runId, {
      callId: CallId.make(waiting?.callId ?? ""),
      approved: true,
    });
    return yield* handle === undefined ? Effect.die("it waits on") : ended(world, handle);
  }).pipe(World.inProcess(world, { name: "after", tools: [upgraded] }));
});

describe("a call that waited while its tool changed", () => {
  it.effect("runs when its arguments still fit", () =>
    Effect.gen(function* () {
      const { outcome, results } = yield* afterUpgrade(ring(Schema.Struct({ times: Schema.Int })), { times: 7 });
      assert.strictEqual(outcome.status, "completed");
      assert.strictEqual(results[0]?.content, 'Rang {"times":7}.');
    }),
  );

  it.effect("is answered with what does not fit any more, and the run goes on", () =>
    Effect.gen(function* () {
      const narrower = ring(Schema.Struct({ times: Schema.Int.check(Schema.isLessThanOrEqualTo(5)) }));
      const { outcome, results, texts } = yield* afterUpgrade(narrower, { times: 7 });
      assert.strictEqual(outcome.status, "completed");
      assert.strictEqual(results[0]?.errorCode, "tool.invalid_arguments");
      assert.strictEqual(
        results[0]?.content,
        "The parameters of bell_ring have changed since it was offered, so the call was not run. The arguments of bell_ring do not fit. times must be at most 5; given was 7. Call it with arguments that fit both, or go on without it.",
      );
      assert.strictEqual(texts[2], "They wait by the river.");
    }),
  );

  it.effect("never runs without an argument that was allowed with it", () =>
    Effect.gen(function* () {
      const { results } = yield* afterUpgrade(ring(Schema.Struct({ times: Schema.Int })), { times: 7, loud: false });
      assert.strictEqual(results[0]?.errorCode, "tool.invalid_arguments");
      assert.include(results[0]?.content, "loud is not known");
    }),
  );

  it.effect("is told what a rule says that no schema can state", () =>
    Effect.gen(function* () {
      const odd = Schema.makeFilter((times: number) => times % 2 === 1 || "an odd number of times");
      const upgraded = ring(Schema.Struct({ times: Schema.Int.check(odd) }));
      const { outcome, results } = yield* afterUpgrade(upgraded, { times: 8 });
      assert.strictEqual(outcome.status, "completed");
      assert.strictEqual(results[0]?.errorCode, "tool.invalid_arguments");
      assert.include(results[0]?.content, "an odd number of times");
    }),
  );
});

describe("the schema that a model and the gate see", () => {
  const properties = ({ descriptor }: Tool) => descriptor.inputSchema["properties"] as Record<string, JsonObject>;
  const says = ({ descriptor }: Tool, given: JsonObject) =>
    checkArguments(descriptor.inputSchema, "it", given)?.message.replace("The arguments of it do not fit. ", "");

  it("states the bounds of a search of the chat", () => {
    const { end_message, limit, scan_limit, start_message } = properties(searchChat);
    assert.deepInclude(limit, { type: "integer", minimum: 1, maximum: 50 });
    assert.deepInclude(scan_limit, { type: "integer", minimum: 1, maximum: 100_000 });
    for (const place of [start_message, end_message]) {
      assert.deepInclude(place, { type: "integer", minimum: 0 });
      assert.notProperty(place, "maximum");
    }
  });

  it("states how many messages and entries one read may name", () => {
    assert.deepInclude(properties(readMessages)["messages"], { type: "array", minItems: 1, maxItems: 20 });
    assert.deepInclude(properties(readActivated)["entries"], { type: "array", minItems: 1, maxItems: 20 });
  });

  it("allows the bounds themselves and nothing beyond", () => {
    const query = "ferry";
    const messages = (count: number) => ({ messages: Array.from({ length: count }, (_, index) => ({ index })) });
    const entries = (count: number) => ({ entries: Array.from({ length: count }, () => ({ ref: "x" })) });
    for (const limit of [1, 50]) assert.isUndefined(says(searchChat, { query, limit }));
    assert.strictEqual(says(searchChat, { query, limit: 0 }), "limit must be at least 1; given was 0.");
    assert.strictEqual(says(searchChat, { query, limit: 51 }), "limit must be at most 50; given was 51.");
    assert.isUndefined(says(searchChat, { query, scan_limit: 100_000, start_message: 0, end_message: 0 }));
    assert.include(says(searchChat, { query, scan_limit: 100_001 }), "scan_limit must be at most 100000");
    assert.include(says(searchChat, { query, start_message: -1 }), "start_message must be at least 0");
    assert.include(says(searchChat, { query, end_message: -1 }), "end_message must be at least 0");
    for (const count of [1, 20]) {
      assert.isUndefined(says(readMessages, messages(count)));
      assert.isUndefined(says(readActivated, entries(count)));
    }
    assert.include(says(readMessages, messages(0)), "messages must not be empty");
    assert.include(says(readMessages, messages(21)), "messages must have at most 20 items");
    assert.include(says(readActivated, entries(0)), "entries must not be empty");
    assert.include(says(readActivated, entries(21)), "entries must have at most 20 items");
  });
});
