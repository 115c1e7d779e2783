/**
 * One run that uses every built-in tool once, and a journal of which every line is what its schemas say.
 */
import { globSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { definitions, isKnownType } from "@cahier/domain/run/RunEvent";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import * as Schema from "effect/Schema";
import { cahier, ensureBundle, objectOf } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;
type Rows = ReadonlyArray<Answer>;

const worldInfo = {
  timestampMs: 1_764_500_000_000,
  trigger: "normal",
  entries: [
    {
      world: "Harbour",
      uid: 3,
      displayName: "The lamp",
      constant: true,
      position: "before",
      content: "The lamp is wound twice a night.",
    },
  ],
};

const draft = { path: "output/main.md", content: 'She said: "Twice a night."\n' };
const patch = { path: "output/main.md", old_string: "Twice", new_string: "Three times" };

/** The arguments of every built-in tool, in an order in which all of them can work. */
const calls: ReadonlyArray<readonly [string, object]> = [
  ["chat.search", { query: "kettle" }],
  ["chat.read_messages", { messages: [{ index: 0 }] }],
  ["worldinfo.read_activated", { entries: [{ ref: "worldinfo:Harbour#3" }] }],
  ["skill.list", {}],
  ["skill.search", { name: "pacing", query: "Slow" }],
  ["skill.read", { name: "pacing" }],
  ["dice.roll", { formula: "2d6+1" }],
  ["workspace.write_file", draft],
  ["workspace.list_files", {}],
  ["workspace.search_files", { query: "night" }],
  ["workspace.read_file", { path: "output/main.md" }],
  ["workspace.apply_patch", patch],
  ["workspace.shell", { command: "tr a-z A-Z < output/main.md > scratch/loud.md" }],
  ["workspace.create_checkpoint", { label: "before the reader sees it" }],
  ["agent.list", {}],
  ["agent.delegate", { agentId: "critic", task: { objective: "Count the words of the draft." } }],
  ["agent.await", { mode: "allCompleted" }],
  ["agent.handoff", { agentId: "editor", handoff: { objective: "Publish it." } }],
];

/** What the agents do whom that agent gives work to. */
const agents = {
  critic: [{ turns: [Place.call("task_return", { summary: "Six words." })] }],
  editor: [{ turns: [Place.commit(), Place.finish()] }],
};

/** The tool that only agents with a task have. */
const ofTasks = "builtin:task.return";

/** The tool that names a task by an id that is drawn by chance, which no script can know beforehand. */
const ofChance = "builtin:agent.cancel_task";
const ids = [...builtinTools.map(({ descriptor }) => descriptor.id as string), "builtin:workspace.shell"];
const allowed = ids.filter((id) => id !== ofTasks);

const profileOf = (id: string, delegation: object) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id,
  displayName: id,
  run: { presentation: "foreground" },
  delegation,
  tools: { maxRounds: 20, allow: allowed },
});

const rights = { canDelegate: true, canHandoff: true };
const called = { ...rights, callable: true, allowAsSubagent: true, allowAsHandoffTarget: true };

const Line = Schema.Struct({
  ...StoredEvent.fields,
  batch: Schema.optionalKey(Schema.Tuple([Schema.Int, Schema.Int])),
  crc: Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}$/)),
});
const strictly = { onExcessProperty: "error" } as const;
const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(Line), strictly);

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("a run that uses every built-in tool once", () => {
  const played = async () => {
    const place = await Place.make();
    const turns = calls.map(([name, args]) => Place.call(name.replaceAll(".", "_"), args));
    const saved = await Promise.all(
      ["critic", "editor"].map((id) =>
        cahier(["profiles", "save", place.write(`${id}.json`, profileOf(id, called)), "--data", place.data]),
      ),
    );
    assert.deepStrictEqual(
      saved.map(({ stdout }) => stdout),
      ["critic is stored.\n", "editor is stored.\n"],
    );
    mkdirSync(place.path("pacing"));
    place.write("pacing/SKILL.md", "---\nname: pacing\ndescription: How scenes breathe.\n---\n\nSlow down.\n");
    assert.strictEqual((await cahier(["skills", "install", place.path("pacing"), "--data", place.data])).code, 0);
    const ended = await cahier([
      "run",
      "--chat",
      place.chat,
      "--data",
      place.data,
      "--profile",
      place.write("profile.json", profileOf("everything", rights)),
      "--script",
      place.write("script.json", { ...Place.script(...turns), agents }),
      "--world-info",
      place.write("world.json", worldInfo),
      "--json",
    ]);
    assert.deepStrictEqual([ended.code, objectOf(ended)["status"]], [0, "completed"], ended.stdout);
    const runId = String(objectOf(ended)["runId"]);
    const [journal = ""] = globSync(join(place.data, "**", runId, "events.jsonl"));
    return { place, runId, lines: readFileSync(journal, "utf8").trimEnd().split("\n") };
  };

  it("calls each of them, and each does its work", async () => {
    const { place, runId } = await played();
    const { events } = objectOf(
      await cahier(["runs", "events", runId, "--limit", "500", "--data", place.data, "--json"]),
    );
    const done = (events as Rows).filter(({ type }) => type === "tool_call_completed");
    assert.deepStrictEqual(
      new Set(done.map(({ payload }) => (payload as Answer)["toolId"])),
      new Set<unknown>(ids.filter((id) => id !== ofChance)),
      "the scripts know every tool of the catalogue",
    );
    assert.notInclude(
      (events as Rows).map(({ type }) => type),
      "tool_call_failed",
    );
    assert.strictEqual(place.messages().at(-1)?.mes, draft.content.replace(patch.old_string, patch.new_string));
    const told = await cahier(["runs", "events", runId, "--limit", "500", "--data", place.data]);
    assert.match(told.stdout, /checkpoint_created +cp_\d{6}: before the reader sees it/);
  });

  it("leaves a journal of which every line is what the schemas of its envelope and its event say, and nothing more", async () => {
    const { lines } = await played();
    const seen = new Set<string>();
    lines.forEach((line, index) => {
      const { payload, seq, type, v } = decodeLine(line);
      assert.strictEqual(seq, index + 1);
      if (!isKnownType(type)) throw new Error(`line ${seq} has the unknown type ${type}`);
      assert.strictEqual(v, definitions[type].v);
      const schema = definitions[type].payload as Schema.Codec<unknown>;
      assert.deepStrictEqual(Schema.decodeUnknownSync(schema, strictly)(payload), payload, `line ${seq}`);
      seen.add(type);
    });
    for (const type of [
      "agent_task_completed",
      "agent_handoff_accepted",
      "checkpoint_created",
      "workspace_patch_applied",
      "chat_commit_completed",
      "run_completed",
    ])
      assert.isTrue(seen.has(type), type);
  });
});
