/**
 * Prompts by presets that profiles name, from the user folder of a SillyTavern: of a run, and of an agent that is given work in
 * another process than the one that began the run.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf, type StartOptions } from "./support/Cahier.ts";
import { repository } from "./support/node.ts";
import * as Place from "./support/Place.ts";
import * as VendorServer from "./support/VendorServer.ts";

const presetText = readFileSync(
  join(repository, "packages/sillytavern/test/fixtures/prompts/default-order/preset.json"),
  "utf8",
);

interface Sent {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>;
  readonly tools: ReadonlyArray<{ readonly function: { readonly name: string } }>;
}

/** A stream of one chunk that calls one tool. */
const calling = (name: string, args: object): string => {
  const call = { index: 0, id: `call_${name}`, type: "function", function: { name, arguments: JSON.stringify(args) } };
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "gpt-4o", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  return `${chunk({ role: "assistant", tool_calls: [call] }, null)}${chunk({}, "tool_calls")}data: [DONE]\n\n`;
};

const has = (sent: Sent, tool: string): boolean => sent.tools.some((each) => each.function.name === tool);

/** A server whose agents do these turns; one that is given work returns it at once. */
const serving = async (...turns: ReadonlyArray<string>) => {
  const own: Array<Sent> = [];
  const given: Array<Sent> = [];
  const server = await VendorServer.make(({ body }) => {
    const sent: Sent = JSON.parse(body);
    if (!has(sent, "task_return")) return { body: turns[own.push(sent) - 1] ?? "" };
    given.push(sent);
    return { body: calling("task_return", { summary: "It reads well." }) };
  });
  const environment = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "sk-none" };
  return { server, own, given, environment };
};

const writing = [
  calling("workspace_write_file", { path: "output/main.md", content: "She nodded." }),
  calling("workspace_commit", {}),
  calling("workspace_finish", {}),
];

const marker = "The night is long, and told slowly.";

/** The recorded preset with a sentence of its own, in a user folder. */
const userFolder = (place: Place.Place): string => {
  const preset: { readonly prompts: ReadonlyArray<{ readonly identifier: string }> } = JSON.parse(presetText);
  mkdirSync(place.path("user/OpenAI Settings"), { recursive: true });
  place.write("user/OpenAI Settings/Night.json", {
    ...preset,
    prompts: preset.prompts.map((one) => (one.identifier === "main" ? { ...one, content: marker } : one)),
  });
  return place.path("user");
};

const preset = (more: object = {}) => ({ mode: "ref", ref: { apiId: "openai", name: "Night" }, ...more });

const profile = (id: string, changes: object) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id,
  displayName: id,
  ...changes,
});

const tools = (...names: ReadonlyArray<string>) => ({ allow: names.map((name) => `builtin:${name}`), maxRounds: 8 });

const writer = ["workspace.write_file", "workspace.commit", "workspace.finish"];

const run = (place: Place.Place, words: ReadonlyArray<string>, options: StartOptions) =>
  cahier(["run", "--chat", place.chat, "--data", place.data, "--model", "gpt-4o", "--json", ...words], options);

const textsOf = (sent: Sent | undefined): ReadonlyArray<string> => (sent?.messages ?? []).map(({ content }) => content);

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("a preset that a profile names", () => {
  it.each(["--presets", "CAHIER_SILLYTAVERN"])("makes the prompt of a run, from the folder of %s", async (way) => {
    const place = await Place.make();
    const { environment, own, server } = await serving(...writing);
    const folder = userFolder(place);
    const file = place.write("writer.json", profile("writer", { preset: preset(), tools: tools(...writer) }));
    const ended = await run(place, ["--profile", file, ...(way === "--presets" ? [way, folder] : [])], {
      environment: way === "--presets" ? environment : { ...environment, CAHIER_SILLYTAVERN: folder },
    });
    await server.close();
    assert.strictEqual(objectOf(ended)["status"], "completed", ended.stdout);
    assert.include(textsOf(own[0]), marker);
  });

  it("keeps a run from starting when it is required and not there, and is passed over else", async () => {
    const place = await Place.make();
    const { environment, own, server } = await serving(...writing);
    const required = place.write(
      "a.json",
      profile("a", { preset: preset({ required: true }), tools: tools(...writer) }),
    );
    const refused = await run(place, ["--profile", required, "--presets", place.folder], { environment });
    const error = objectOf(refused)["error"] as { readonly code: string };
    assert.deepStrictEqual([refused.code, error.code], [4, "agent.profile_preset_missing"]);
    const wanted = place.write("b.json", profile("b", { preset: preset(), tools: tools(...writer) }));
    const ended = await run(place, ["--profile", wanted], { environment });
    await server.close();
    assert.strictEqual(objectOf(ended)["status"], "completed", ended.stdout);
    assert.notInclude(textsOf(own[0]), marker);
    const nowhere = await run(place, ["--presets", place.path("none")], { environment });
    assert.strictEqual((objectOf(nowhere)["error"] as { readonly code: string }).code, "usage.invalid");
  });

  it("makes the prompt of an agent that is given work after its run was carried on by another process", async () => {
    const place = await Place.make();
    const folder = userFolder(place);
    const { environment, given, server } = await serving(
      calling("agent_delegate", { agentId: "critic", task: { objective: "Read the draft." } }),
      calling("agent_await", { mode: "allCompleted" }),
      ...writing,
    );
    const critic = profile("critic", {
      preset: preset({ required: true }),
      run: { directRunnable: false, presentation: "background" },
      delegation: { callable: true, allowAsSubagent: true },
      tools: tools("workspace.read_file"),
    });
    const lead = profile("lead", {
      delegation: { canDelegate: true },
      tools: {
        ...tools(...writer, "agent.delegate", "agent.await"),
        policy: [{ tools: ["builtin:agent.delegate"], permission: "ask" }],
      },
    });
    await cahier(["profiles", "save", place.write("critic.json", critic), "--data", place.data]);
    const waiting = await run(place, ["--profile", place.write("lead.json", lead)], { environment });
    assert.strictEqual(waiting.code, 5, waiting.stdout + waiting.stderr);
    const { runId } = objectOf(waiting) as { readonly runId: string };
    const words = [runId, "call_agent_delegate", "--presets", folder, "--data", place.data, "--json"];
    const ended = await cahier(["runs", "approve", ...words], { environment });
    await server.close();
    assert.strictEqual(objectOf(ended)["status"], "completed", ended.stdout + ended.stderr);
    assert.lengthOf(given, 1);
    assert.include(textsOf(given[0]), marker);
  });
});

describe("the Skills of a preset", () => {
  it("are those of the agents of a run by that preset's file, and of no other run", async () => {
    const place = await Place.make();
    mkdirSync(place.path("pacing"));
    place.write("pacing/SKILL.md", "---\nname: pacing\ndescription: How scenes breathe.\n---\n\nSlow down.\n");
    const words = ["install", place.path("pacing"), "--scope", "preset:openai/Night", "--data", place.data];
    assert.strictEqual((await cahier(["skills", ...words])).code, 0);
    const { environment, own, server } = await serving(...writing, ...writing);
    const file = place.write("reader.json", profile("reader", { tools: tools(...writer, "skill.list", "skill.read") }));
    const by = ["--profile", file, "--preset", place.write("Night.json", presetText)];
    assert.strictEqual((await run(place, by, { environment })).code, 0);
    assert.strictEqual((await run(place, ["--profile", file], { environment })).code, 0);
    await server.close();
    const [first, , , second] = own.map((sent) => textsOf(sent).join("\n"));
    assert.include(first, "How scenes breathe.");
    assert.notInclude(second, "How scenes breathe.");
  });
});
