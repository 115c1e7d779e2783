/**
 * Calls of one agent that wait for a person while the other agents of the run go on working.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import {
  cahier,
  ensureBundle,
  hasTerminals,
  objectOf,
  type Running,
  start,
  type StartOptions,
} from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

const profile = (id: string, more: object) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id,
  displayName: `The ${id}`,
  ...more,
});

const called = { delegation: { callable: true, allowAsSubagent: true } };

const critic = profile("critic", {
  ...called,
  tools: {
    allow: ["builtin:workspace.write_file"],
    maxRounds: 5,
    policy: [{ tools: ["builtin:workspace.write_file"], permission: "ask" }],
  },
});

const reader = profile("reader", { ...called, tools: { allow: ["builtin:workspace.read_file"], maxRounds: 5 } });

const lead = profile("lead", {
  delegation: { canDelegate: true },
  tools: {
    allow: ["workspace.write_file", "workspace.commit", "workspace.finish", "agent.delegate", "agent.await"].map(
      (name) => `builtin:${name}`,
    ),
    maxRounds: 9,
  },
});

const delegate = (agentId: string) =>
  Place.call("agent_delegate", { agentId, task: { objective: "See what is there." } });

/** The critic's write waits for a person; the reader reads so long that the run is stopped before; the lead waits for both. */
const script = (readingMs: number) => ({
  ...Place.script(
    delegate("critic"),
    delegate("reader"),
    Place.draft("A draft."),
    Place.call("agent_await", { mode: "allCompleted" }),
    Place.commit(),
    Place.finish(),
  ),
  agents: {
    critic: [
      {
        turns: [
          Place.call("workspace_write_file", { path: "scratch/notes.md", content: "Notes." }),
          Place.call("task_return", { summary: "It is short." }),
        ],
      },
    ],
    reader: [{ turns: [Place.call("task_return", { summary: "It reads well." }, { delayMs: readingMs })] }],
  },
});

const running = async (readingMs: number, options: StartOptions): Promise<readonly [Place.Place, Running]> => {
  const place = await Place.make();
  await cahier(["profiles", "save", place.write("critic.json", critic), "--data", place.data]);
  await cahier(["profiles", "save", place.write("reader.json", reader), "--data", place.data]);
  const by = ["--script", place.write("script.json", script(readingMs)), "--profile", place.write("lead.json", lead)];
  return [place, start(["run", "--chat", place.chat, "--data", place.data, ...by], options)];
};

const long = 60_000;

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("a call that waits while other agents work", () => {
  it("is answered from another process, which says that the run goes on where it is", async () => {
    const [place, run] = await running(long, {});
    const [, runId = ""] = await run.says(/ run +(run_\w+), [^]* asks +The critic/);
    const shown = objectOf(await cahier(["runs", "show", runId, "--data", place.data, "--json"]));
    const [{ callId }] = shown["awaiting"] as readonly [{ readonly callId: string }];
    assert.strictEqual(shown["standing"], "running");
    const answered = await cahier(["runs", "approve", runId, callId, "--data", place.data]);
    assert.deepStrictEqual(
      [answered.code, answered.stdout],
      [0, "The process that carries the run on has taken the answer and goes on.\n"],
      answered.stderr,
    );
    await run.says(/ work done +by The critic/);
    run.child.kill("SIGINT");
    assert.strictEqual((await run.ended).code, 130);
  });

  it("gives the run as it stands then as one object", async () => {
    const [place, run] = await running(long, {});
    const [, runId = ""] = await run.says(/ run +(run_\w+), [^]* asks +The critic/);
    const shown = objectOf(await cahier(["runs", "show", runId, "--data", place.data, "--json"]));
    const [{ callId }] = shown["awaiting"] as readonly [{ readonly callId: string }];
    const words = ["runs", "deny", runId, callId, "--reason", "not yet", "--data", place.data, "--json"];
    const denied = await cahier(words);
    const { status, ...rest } = objectOf(denied);
    assert.deepStrictEqual([denied.code, rest], [0, { runId, committed: [], awaiting: [] }]);
    assert.notInclude(["awaiting_approval", "interrupted"], status);
    await run.says(/not yet[^]* work done +by The critic/);
    run.child.kill("SIGINT");
    assert.strictEqual((await run.ended).code, 130);
  });

  it.skipIf(!hasTerminals)("is asked about on the terminal at once, in the name of its agent", async () => {
    const [, run] = await running(long, { terminal: true, environment: { NO_COLOR: "1" } });
    await run.says(/The run asks you \(1 of 1\):\r?\n +agent +The critic \(inv_\w+\)[^]*\[v\]iew all arguments: /);
    run.child.stdin?.write("y\n");
    await run.says(/notes\.md[^]* work done +by The critic/);
    // What is typed with no question standing is told to whoever is in the foreground.
    run.child.stdin?.write("Mention the kettle.\n");
    await run.says(/ you +Mention the kettle\./);
    run.child.stdin?.write("\u0003");
    const ended = await run.ended;
    assert.strictEqual(ended.code, 130, ended.stdout);
  });

  it.skipIf(!hasTerminals)("is answered once when the others have ended before the answer", async () => {
    const [place, run] = await running(1, { terminal: true, environment: { NO_COLOR: "1" } });
    await run.says(/\[v\]iew all arguments: /);
    await run.says(/ work done +by The reader/);
    run.child.stdin?.write("y\n");
    const ended = await run.ended;
    assert.strictEqual(ended.code, 0, ended.stdout);
    assert.strictEqual(place.messages().at(-1)?.mes, "A draft.");
  });
});
