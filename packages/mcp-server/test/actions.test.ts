import { assert, describe, it } from "@effect/vitest";
import type { Actions } from "@cahier/mcp-server/Actions";
import { OfferFault } from "@cahier/mcp-server/Offer";
import * as Effect from "effect/Effect";
import * as Clients from "./support/Clients.ts";
import * as Sample from "./support/Sample.ts";

const runId = Sample.firstRun;
const argumentsSha256 = "9".repeat(64);

/** Each action: what it is called with, what it does to the world (destructive, idempotent, open), and what is refused. */
const table: ReadonlyArray<
  readonly [
    name: keyof Actions,
    given: Readonly<Record<string, unknown>>,
    effects: readonly [boolean, boolean, boolean],
    refused: Readonly<Record<string, unknown>>,
  ]
> = [
  [
    "start_run",
    { chat: "Seraphina/The Inn.jsonl", message: "Good evening.", profileId: "default-writer", generationType: "swipe" },
    [false, false, true],
    { chat: "" },
  ],
  ["cancel_run", { runId }, [true, true, false], {}],
  ["resume_run", { runId }, [false, false, true], { runId, force: true }],
  ["guide_run", { runId, text: "Shorter." }, [false, false, false], { runId, text: "" }],
  [
    "answer_approval",
    { runId, callId: "call_1", decision: "deny", argumentsSha256, reason: "Not now." },
    [true, false, true],
    { runId, callId: "call_1", decision: "allow" },
  ],
];

/** Every action, and what each was asked for. */
const permitted = () => {
  const asked: Array<unknown> = [];
  const action = (name: keyof Actions) => (given: object) =>
    Effect.sync(() => {
      asked.push([name, given]);
      return Sample.entries[1] as (typeof Sample.entries)[1];
    });
  const actions = Object.fromEntries(table.map(([name]) => [name, action(name)])) as Actions;
  return { offer: { ...Sample.offer, actions }, asked };
};

const connected = (era: Clients.Era, offer: typeof Sample.offer) =>
  Effect.flatMap(Clients.serve(offer), (server) => Clients.http(server, era));

describe.each(Clients.eras)("what changes something, in the era of %s,", (era) => {
  it.effect("is offered only where the host permits it, each action by itself", () =>
    Effect.gen(function* () {
      const { offer } = permitted();
      const named = (client: Effect.Success<ReturnType<typeof connected>>) =>
        Effect.map(
          Effect.promise(() => client.listTools()),
          ({ tools }) => tools.filter(({ annotations }) => annotations?.readOnlyHint === false).map(({ name }) => name),
        );
      assert.deepStrictEqual(yield* named(yield* connected(era, Sample.offer)), []);
      const only = { cancel_run: offer.actions.cancel_run } as Actions;
      const client = yield* connected(era, { ...Sample.offer, actions: only });
      assert.deepStrictEqual(yield* named(client), ["cancel_run"]);
      const call = client.callTool({ name: "start_run", arguments: { chat: "a chat" } });
      assert.include(String((yield* Effect.flip(Effect.tryPromise(() => call))).cause), "There is no tool start_run.");
    }),
  );

  it.effect("says what it does to the world, and does what it was asked for", () =>
    Effect.gen(function* () {
      const { asked, offer } = permitted();
      const client = yield* connected(era, offer);
      const { tools } = yield* Effect.promise(() => client.listTools());
      for (const [name, given, [destructiveHint, idempotentHint, openWorldHint]] of table) {
        const tool = tools.find((one) => one.name === name);
        assert.deepStrictEqual(tool?.annotations, {
          readOnlyHint: false,
          destructiveHint,
          idempotentHint,
          openWorldHint,
        });
        const { isError, structured, text } = yield* Clients.called(client, name, given);
        assert.isFalse(isError, text);
        assert.include(JSON.stringify(structured), runId);
        assert.deepStrictEqual(asked.at(-1), [name, given]);
      }
      assert.lengthOf(asked, table.length);
    }),
  );

  it.effect("is not asked of the host with wrong arguments", () =>
    Effect.gen(function* () {
      const { asked, offer } = permitted();
      const client = yield* connected(era, offer);
      for (const [name, , , refused] of table) {
        const { isError, text } = yield* Clients.called(client, name, refused);
        assert.isTrue(isError, name);
        assert.include(text, `The arguments of ${name} are wrong`);
      }
      assert.deepStrictEqual(asked, []);
    }),
  );

  it.effect("that the host refuses is told with its reason and its code", () =>
    Effect.gen(function* () {
      const fault = new OfferFault({
        kind: "refused",
        code: "agent.approval_not_found",
        message: "No call of the run waits for that.",
      });
      const actions = { answer_approval: () => Effect.fail(fault) };
      const client = yield* connected(era, { ...Sample.offer, actions });
      const given = { runId, callId: "call_9", decision: "allow", argumentsSha256 };
      const { isError, text } = yield* Clients.called(client, "answer_approval", given);
      assert.isTrue(isError);
      assert.strictEqual(text, "No call of the run waits for that. [agent.approval_not_found]");
    }),
  );
});
