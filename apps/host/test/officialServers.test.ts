/**
 * Runs with the servers that the protocol's own people publish, over standard input and output and over HTTP. They are slow to
 * start: these tests run with `CAHIER_SLOW`, as the script `test:slow` sets it. "filesystem" has no HTTP.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { ensureBundle, objectOf } from "./support/Cahier.ts";
import * as McpPlace from "./support/McpPlace.ts";
import { node } from "./support/node.ts";
import * as Place from "./support/Place.ts";

const require = createRequire(import.meta.url);
const programOf = (name: string): string =>
  join(require.resolve(`@modelcontextprotocol/${name}/package.json`), "..", "dist", "index.js");

const servers: Array<ChildProcess> = [];

beforeAll(ensureBundle);
afterAll(async () => {
  for (const server of servers) server.kill("SIGKILL");
  await Place.removeAll();
});

const stdio = (...given: ReadonlyArray<string>): object => ({
  transport: "stdio",
  command: node,
  arguments: given,
  environment: {},
});

const http = (program: string): Promise<object> =>
  new Promise((resolve) => {
    const before = join(import.meta.dirname, "programs/onLoopback.ts");
    const server = spawn(node, ["--no-warnings", "--import", before, program, "streamableHttp"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    servers.push(server);
    createInterface({ input: server.stdout }).on("line", (line) => {
      const [, port] = /^port (\d+)$/.exec(line) ?? [];
      if (port !== undefined)
        resolve({ transport: "http", url: `http://127.0.0.1:${port}/mcp`, headers: {}, network: "private" });
    });
  });

type Calls = ReadonlyArray<readonly [tool: string, given: object]>;

/** The arguments of a run whose agent makes these calls of a server, each allowed. */
const argumentsOf = async (
  place: McpPlace.McpPlace,
  endpoint: object,
  calls: Calls,
): Promise<ReadonlyArray<string>> => {
  const file = place.write("official.json", { displayName: "Official", endpoint });
  const { registration } = await place.ask("mcp", "add", file);
  const { id } = registration as { readonly id: string };
  await place.ask("mcp", "resume", id, "--yes");
  await place.ask("mcp", "discover", id);
  const names = [...new Set(calls.map(([tool]) => tool))];
  // oxlint-disable-next-line no-await-in-loop -- each permission changes one registration
  for (const name of names) await place.ask("mcp", "permit", id, name, "allow");
  const turns = calls.map(([tool, given]) => Place.call(`mcp__Official__${tool}`, given));
  const script = place.write(
    "script.json",
    Place.script(...turns, Place.draft("Done."), Place.commit(), Place.finish()),
  );
  const profile = place.write("profile.json", McpPlace.profileWith(...names.map((name) => `mcp/${id}:${name}`)));
  return ["run", "--chat", place.chat, "--profile", profile, "--script", script];
};

/** What the model was told of each call of a run that makes them. */
const play = async (place: McpPlace.McpPlace, endpoint: object, calls: Calls): Promise<ReadonlyArray<string>> => {
  const ended = await place.on(...(await argumentsOf(place, endpoint, calls)), "--json");
  const run = objectOf(ended);
  assert.strictEqual(run["status"], "completed", ended.stdout + ended.stderr);
  const { events } = await place.ask("runs", "events", String(run["runId"]), "--limit", "500");
  return (events as ReadonlyArray<{ readonly type: string; readonly payload: { readonly toolId?: string } }>)
    .filter(({ payload, type }) => type === "tool_result_stored" && payload.toolId?.startsWith("mcp/") === true)
    .map((event) => JSON.stringify(event));
};

const everything = programOf("server-everything");

describe.skipIf(process.env["CAHIER_SLOW"] !== "1")("a run with an official server", () => {
  it.each<readonly [string, () => Promise<object>]>([
    ["standard input and output", () => Promise.resolve(stdio(everything, "stdio"))],
    ["HTTP", () => http(everything)],
  ])('calls tools of "everything" over %s', async (_, endpoint) => {
    const told = await play(await McpPlace.make(), await endpoint(), [
      ["echo", { message: "hello there" }],
      ["get-sum", { a: 20, b: 22 }],
      ["get-structured-content", { location: "New York" }],
      ["get-tiny-image", {}],
    ]);
    assert.include(told[0], "hello there");
    assert.include(told[1], "42");
    assert.include(told[2], "temperature");
    assert.match(told[3] ?? "", /tool-results\/[^"]+-1\.png/);
  });

  it("shows how far a long call is while it goes on", async () => {
    const place = await McpPlace.make();
    const calls = [["trigger-long-running-operation", { duration: 2, steps: 2 }]] as const;
    const ended = await place.on(...(await argumentsOf(place, await http(everything), calls)));
    assert.strictEqual(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /^mcp__Official__trigger-long-running-operation: 1 of 2$/m);
  });

  it('reads and writes with "filesystem", within the folder that it was given', async () => {
    const place = await McpPlace.make();
    const folder = place.path("notes");
    mkdirSync(folder);
    writeFileSync(join(folder, "plan.md"), "Cross the river.");
    const told = await play(place, stdio(programOf("server-filesystem"), folder), [
      ["read_text_file", { path: join(folder, "plan.md") }],
      ["write_file", { path: join(folder, "new.md"), content: "Wait for the ferry." }],
      ["read_text_file", { path: place.chat }],
    ]);
    assert.include(told[0], "Cross the river.");
    assert.include(told[1], "Successfully wrote");
    assert.include(told[2], "mcp.tool_error");
  });
});
