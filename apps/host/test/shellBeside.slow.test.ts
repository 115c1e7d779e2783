/**
 * A shell command beside another agent of the same run: whoever is second does not write over what they have not seen.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;

const profileOf = (id: string, delegation: object, tools: ReadonlyArray<string>) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id,
  displayName: id,
  run: { presentation: "foreground" },
  delegation,
  tools: { maxRounds: 10, allow: tools.map((name) => `builtin:${name}`) },
});

const lead = profileOf("lead", { canDelegate: true }, [
  ...["shell", "write_file", "read_file", "commit", "finish"].map((name) => `workspace.${name}`),
  ...["delegate", "await"].map((name) => `agent.${name}`),
]);

const critic = profileOf("critic", { callable: true, allowAsSubagent: true }, [
  "workspace.read_file",
  "workspace.write_file",
]);

/** The command sees the draft before the critic changes it, and has its own text for it afterwards. */
const command = "tr a-z A-Z < output/main.md > scratch/loud.md; sleep 3; cp scratch/loud.md output/main.md";

const turns = [
  Place.draft("The lamp turns."),
  {
    toolCalls: [
      { name: "agent_delegate", arguments: { agentId: "critic", task: { objective: "Make it shorter." } } },
      { name: "workspace_shell", arguments: { command } },
    ],
  },
  Place.call("agent_await", { mode: "allCompleted" }),
  Place.commit(),
  Place.finish(),
];

const ofCritic = [
  Place.call("workspace_read_file", { path: "output/main.md" }),
  Place.call("workspace_write_file", { path: "output/main.md", content: "It turns." }),
  Place.call("task_return", { summary: "Shorter." }),
];

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("a shell command beside another agent", () => {
  it("keeps nothing when a file that it changed is another one by then, and says so", async () => {
    const place = await Place.make();
    const saved = await cahier(["profiles", "save", place.write("critic.json", critic), "--data", place.data]);
    assert.strictEqual(saved.code, 0, saved.stderr);
    const script = { ...Place.script(...turns), agents: { critic: [{ turns: ofCritic }] } };
    const ended = await cahier([
      "run",
      "--chat",
      place.chat,
      "--data",
      place.data,
      "--profile",
      place.write("lead.json", lead),
      "--script",
      place.write("script.json", script),
      "--json",
    ]);
    const { runId, status } = objectOf(ended);
    assert.deepStrictEqual([ended.code, status], [0, "completed"], ended.stdout);
    const { events } = objectOf(
      await cahier(["runs", "events", String(runId), "--limit", "500", "--data", place.data, "--json"]),
    );
    const failed = (events as ReadonlyArray<Answer>)
      .filter(({ type }) => type === "tool_call_failed")
      .map(({ payload }) => payload as Answer);
    assert.deepStrictEqual(
      failed.map(({ errorCode, toolId }) => [toolId, errorCode]),
      [["builtin:workspace.shell", "workspace.write_stale_file"]],
    );
    assert.match(String(failed[0]?.["message"]), /output\/main\.md/);
    assert.strictEqual(place.messages().at(-1)?.mes, "It turns.");
    const { files } = objectOf(await cahier(["runs", "show", String(runId), "--data", place.data, "--json"]));
    assert.notInclude(
      (files as ReadonlyArray<Answer>).map(({ path }) => path),
      "scratch/loud.md",
      "a file of the same command is not kept either",
    );
  });
});
