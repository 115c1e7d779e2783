/**
 * What a user tells the agents of a run that is under way, and what the terminal shows of them.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, hasTerminals, objectOf, start } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

beforeAll(ensureBundle);
afterAll(Place.removeAll);

const argsOf = (place: Place.Place, script: object): ReadonlyArray<string> => [
  "run",
  "--chat",
  place.chat,
  "--data",
  place.data,
  "--script",
  place.write("script.json", script),
];

const profile = (id: string, more: object) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id,
  displayName: `The ${id}`,
  ...more,
});

const guide = (place: Place.Place, runId: string, text: string) =>
  cahier(["runs", "guide", runId, text, "--data", place.data, "--json"]);

const codeOf = async (place: Place.Place, runId: string, text: string): Promise<unknown> => {
  const ended = await guide(place, runId, text);
  assert.strictEqual(ended.code, 4, ended.stdout);
  return (objectOf(ended)["error"] as { readonly code: string }).code;
};

describe("guidance", () => {
  it("is taken by the process that carries the run on, and the chat stays as it is", async () => {
    const place = await Place.make();
    const running = start(argsOf(place, Place.slow()));
    const [, runId = ""] = await running.says(/ run +(run_\w+), [^]*output\/main\.md/);
    const told = objectOf(await guide(place, runId, "Mention the kettle."));
    const { guidanceId, ...said } = told;
    assert.match(String(guidanceId), /\w/);
    const size = { preview: "Mention the kettle.", chars: 19, words: 3 };
    assert.deepStrictEqual(said, { runId, status: "queued", ...size, pendingCount: 1 });
    await running.says(/ you +Mention the kettle\./);
    assert.strictEqual(await codeOf(place, runId, "  "), "agent.guidance_empty");
    assert.strictEqual(await codeOf(place, runId, "x".repeat(16_001)), "agent.guidance_too_large");
    assert.strictEqual(place.chatText(), Place.chatText);
    running.child.kill("SIGINT");
    const ended = await running.ended;
    assert.strictEqual(ended.code, 130);
    assert.match(ended.stdout, / not told +1 of yours: the run was cancelled/);
    assert.strictEqual(await codeOf(place, runId, "Too late."), "agent.guidance_run_not_accepting");
  });

  it.skipIf(!hasTerminals)("is a line that is typed on the terminal while the run goes on", async () => {
    const place = await Place.make();
    const waits = Place.script(
      Place.draft("A draft."),
      Place.draft("Another.", { delayMs: 3000 }),
      Place.commit(),
      Place.finish(),
    );
    const running = start(argsOf(place, waits), { terminal: true, environment: { NO_COLOR: "1" } });
    await running.says(/output\/main\.md/);
    running.child.stdin?.write("Mention the kettle.\n");
    await running.says(/ you +Mention the kettle\./);
    await running.says(/ told +1 of yours, before round \d/);
    const ended = await running.ended;
    assert.strictEqual(ended.code, 0, ended.stdout);
  });
});

describe("guidance at a handoff", () => {
  it.skipIf(!hasTerminals)("is told to whoever has taken over by then, before its first request", async () => {
    const place = await Place.make();
    const editor = profile("editor", {
      delegation: { callable: true, allowAsHandoffTarget: true },
      tools: {
        allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
        maxRounds: 5,
      },
    });
    const lead = profile("lead", {
      delegation: { canHandoff: true },
      tools: {
        allow: ["workspace.write_file", "workspace.commit", "workspace.finish", "agent.handoff"].map(
          (name) => `builtin:${name}`,
        ),
        maxRounds: 9,
      },
    });
    await cahier(["profiles", "save", place.write("editor.json", editor), "--data", place.data]);
    const script = {
      ...Place.script(
        Place.draft("A draft."),
        Place.call("agent_handoff", { agentId: "editor", handoff: { objective: "Publish it." } }, { delayMs: 3000 }),
      ),
      agents: { editor: [{ turns: [Place.commit(), Place.finish()] }] },
    };
    const words = [...argsOf(place, script), "--profile", place.write("lead.json", lead)];
    const running = start(words, { terminal: true, environment: { NO_COLOR: "1" } });
    await running.says(/output\/main\.md/);
    running.child.stdin?.write("Mention the kettle.\n");
    await running.says(/ you +Mention the kettle\./);
    const ended = await running.ended;
    assert.strictEqual(ended.code, 0, ended.stdout);
    assert.match(
      ended.stdout,
      / hands over +to The editor[^]* told +The editor: 1 of yours, before round 1[^]* round 1 +The editor: 1 call/,
    );
  });
});

describe("the timeline of several agents", () => {
  it("says who works for whom by their display names", async () => {
    const place = await Place.make();
    const tools = ["workspace.write_file", "workspace.commit", "workspace.finish", "agent.delegate", "agent.await"];
    const critic = profile("critic", {
      delegation: { callable: true, allowAsSubagent: true },
      tools: { allow: ["builtin:workspace.read_file"], maxRounds: 5 },
    });
    const lead = profile("lead", {
      delegation: { canDelegate: true },
      tools: { allow: tools.map((name) => `builtin:${name}`), maxRounds: 9 },
    });
    await cahier(["profiles", "save", place.write("critic.json", critic), "--data", place.data]);
    const script = {
      ...Place.script(
        Place.draft("A draft."),
        Place.call("agent_delegate", { agentId: "critic", task: { objective: "Read it." } }),
        Place.call("agent_await", { mode: "allCompleted" }),
        Place.commit(),
        Place.finish(),
      ),
      agents: { critic: [{ turns: [Place.call("task_return", { summary: "It is short." })] }] },
    };
    const words = [...argsOf(place, script), "--profile", place.write("lead.json", lead)];
    const ended = await cahier(words);
    assert.strictEqual(ended.code, 0, ended.stdout + ended.stderr);
    assert.match(ended.stdout, / gives work +to The critic \(critic/);
    assert.match(ended.stdout, / round 1 +The critic: 1 call/);
    assert.match(ended.stdout, / work done +by The critic/);
    assert.match(ended.stdout, / round 2 +1 call/);
    const [, runId = ""] = / run +(run_\w+),/.exec(ended.stdout) ?? [];
    const events = await cahier(["runs", "events", runId, "--limit", "500", "--data", place.data]);
    assert.match(events.stdout, /model_completed +The critic: 1 call/);
  });
});
