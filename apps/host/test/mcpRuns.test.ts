/**
 * Runs that use the tools of MCP servers: approval, results, and what becomes of a server's process.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import * as Descendants from "./crash/Descendants.ts";
import { ensureBundle, objectOf, start, type StartOptions } from "./support/Cahier.ts";
import * as McpPlace from "./support/McpPlace.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;

/** What the model calls the server's tools. */
const called = (name: string, text = "hello") => Place.call(`mcp__The_lighthouse__${name}`, { text });

const publish = [Place.draft("A draft."), Place.commit(), Place.finish()];

/** Starts a run whose agent has one tool of the server, under a permission, and plays these turns. */
const play = async (
  place: McpPlace.McpPlace,
  { permission = "allow", tool = "echo" }: { readonly permission?: string; readonly tool?: string },
  turns: ReadonlyArray<Answer>,
  options: StartOptions = {},
) => {
  const id = await McpPlace.activate(place);
  await place.on("mcp", "permit", id, tool, permission);
  const running = start(
    [
      "run",
      "--chat",
      place.chat,
      "--data",
      place.data,
      "--profile",
      place.write("profile.json", McpPlace.profileWith(`mcp/${id}:${tool}`)),
      "--script",
      place.write("script.json", Place.script(...turns)),
    ],
    options,
  );
  return { id, running };
};

const payloadsOf = async (place: McpPlace.McpPlace, runId: string, type: string): Promise<ReadonlyArray<Answer>> => {
  const { events } = await place.ask("runs", "events", runId, "--limit", "500");
  return (events as ReadonlyArray<Answer>)
    .filter((event) => event["type"] === type)
    .map(({ payload }) => payload as Answer);
};

const runIdIn = (text: string): string => /run_[0-9a-f]{32}/.exec(text)?.[0] ?? "";

/** The processes of the server that were started since the tools were asked for. */
const serversOf = (place: McpPlace.McpPlace): ReadonlyArray<number> =>
  place.reported().flatMap((line) => (line.startsWith("pid ") ? [Number(line.slice(4))] : []));

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe.concurrent("a run with a tool of an MCP server", () => {
  it("calls it, is told what it answers, and ends the server with itself", async () => {
    const place = await McpPlace.make();
    const { id, running } = await play(place, {}, [called("echo"), ...publish]);
    const ended = await running.ended;
    assert.strictEqual(ended.code, 0, ended.stdout + ended.stderr);
    const [result] = await payloadsOf(place, runIdIn(ended.stdout), "tool_result_stored");
    assert.strictEqual(result?.["toolId"], `mcp/${id}:echo`);
    assert.include(JSON.stringify(result), "Good  evening.");
    assert.deepStrictEqual(
      place.reported().filter((line) => line.startsWith("call ")),
      ['call echo {"text":"hello"}'],
    );
    await Descendants.ended(serversOf(place));
  });

  it("waits for a person where its permission is to ask, and is carried on with the answer", async () => {
    const place = await McpPlace.make();
    const { running } = await play(place, { permission: "ask" }, [called("echo"), ...publish]);
    const ended = await running.ended;
    assert.strictEqual(ended.code, 5, ended.stdout + ended.stderr);
    assert.notInclude(place.reported().join("\n"), "call ");
    const runId = runIdIn(ended.stdout);
    const [asked] = await payloadsOf(place, runId, "tool_call_awaiting_approval");
    assert.strictEqual(asked?.["source"], "mcp");
    const approved = await place.on("runs", "approve", runId, String(asked?.["callId"]));
    assert.strictEqual(approved.code, 0, approved.stdout + approved.stderr);
    assert.include(place.reported(), 'call echo {"text":"hello"}');
    assert.strictEqual(place.messages().at(-1)?.mes, "A draft.");
  });

  it("is told by the server's own words of a call that fails", async () => {
    const place = await McpPlace.make();
    const { running } = await play(place, { tool: "fail" }, [called("fail"), ...publish]);
    const ended = await running.ended;
    assert.strictEqual(ended.code, 0, ended.stdout + ended.stderr);
    const [failed] = await payloadsOf(place, runIdIn(ended.stdout), "tool_call_failed");
    assert.strictEqual(failed?.["errorCode"], "mcp.tool_error");
  });

  it("finds a tool gone whose server has been paused meanwhile", async () => {
    const place = await McpPlace.make();
    const { id, running } = await play(place, { permission: "ask" }, [called("echo"), ...publish]);
    const runId = runIdIn((await running.ended).stdout);
    await place.on("mcp", "pause", id);
    const [asked] = await payloadsOf(place, runId, "tool_call_awaiting_approval");
    const approved = await place.on("runs", "approve", runId, String(asked?.["callId"]));
    assert.strictEqual(approved.code, 0, approved.stdout + approved.stderr);
    const [failed] = await payloadsOf(place, runId, "tool_call_failed");
    assert.strictEqual(failed?.["errorCode"], "mcp.call_tool_unavailable");
    assert.notInclude(place.reported().join("\n"), "call ");
  });
});

describe.skipIf(!Descendants.areKnown)("the process of an MCP server", () => {
  const waiting = async (options: StartOptions = {}) => {
    const place = await McpPlace.make();
    const { running } = await play(place, { tool: "wait" }, [called("wait"), ...publish], options);
    await place.reports(/^call wait/);
    return { place, running, servers: serversOf(place) };
  };

  it("ends with a run that is stopped in the middle of its call by Ctrl-C", async () => {
    const { place, running, servers } = await waiting({ detached: true });
    process.kill(-(running.child.pid ?? 0), "SIGINT");
    const ended = await running.ended;
    assert.strictEqual(ended.code, 130, ended.stderr);
    await Descendants.ended(servers);
    assert.strictEqual(place.chatText(), Place.chatText);
  });

  it("ends when the host is killed, and whoever resumes the run is told that nobody knows what became of the call", async () => {
    const { place, running, servers } = await waiting();
    running.child.kill("SIGKILL");
    const ended = await running.ended;
    await Descendants.ended(servers);
    const runId = runIdIn(ended.stdout);
    const resumed = await place.on("runs", "resume", runId);
    assert.strictEqual(resumed.code, 0, resumed.stdout + resumed.stderr);
    const [failed] = await payloadsOf(place, runId, "tool_call_failed");
    assert.strictEqual(failed?.["errorCode"], "tool.outcome_unknown");
    assert.lengthOf(
      place.reported().filter((line) => line.startsWith("call wait")),
      1,
      "the call is not made again",
    );
  });

  it("ends with a command that is stopped while it asks", async () => {
    const place = await McpPlace.make();
    const id = await McpPlace.activate(place);
    const running = start(["mcp", "call", id, "wait", "--data", place.data]);
    await place.reports(/^call wait/);
    running.child.kill("SIGTERM");
    assert.strictEqual((await running.ended).code, 130);
    await Descendants.ended(serversOf(place));
  });
});

describe("a secret of an MCP server", () => {
  it("reaches the server, and stands in no journal, no output and no file", async () => {
    const place = await McpPlace.make();
    const secret = "planted-value-7f3a";
    const endpoint = { ...place.endpoint, environment: { GREETING: { secret: { key: "LIGHT_TOKEN" } } } };
    const { registration } = await place.ask(
      "mcp",
      "add",
      place.write("secret.json", { displayName: "The lighthouse", endpoint }),
    );
    const id = String((registration as Answer)["id"]);
    const environment = { LIGHT_TOKEN: secret };
    const on = async (...args: ReadonlyArray<string>) => start([...args, "--data", place.data], { environment }).ended;
    await on("mcp", "resume", id, "--yes");
    await on("mcp", "discover", id);
    await on("mcp", "permit", id, "echo", "allow");
    const ended = await on(
      "run",
      "--chat",
      place.chat,
      "--profile",
      place.write("profile.json", McpPlace.profileWith(`mcp/${id}:echo`)),
      "--script",
      place.write("script.json", Place.script(called("echo"), ...publish)),
      "--json",
    );
    assert.deepStrictEqual([ended.code, objectOf(ended)["status"]], [0, "completed"], ended.stdout);
    assert.include(place.reported(), 'call echo {"text":"hello"}');
    const told = await on("runs", "show", String(objectOf(ended)["runId"]));
    assert.notInclude(ended.stdout + ended.stderr + told.stdout, secret);
    for (const path of globSync("**", { cwd: place.data, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    ))
      assert.notInclude(readFileSync(path, "utf8"), secret, path);
  });
});
