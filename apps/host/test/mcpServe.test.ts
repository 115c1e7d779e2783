/**
 * Other clients of the Model Context Protocol, with the protocol's own library, against the program.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { bundle, cahier, ensureBundle, objectOf, start } from "./support/Cahier.ts";
import { node } from "./support/node.ts";
import * as Place from "./support/Place.ts";

beforeAll(ensureBundle);
afterAll(Place.removeAll);

const asking = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "asking",
  displayName: "Asks before it publishes",
  tools: {
    allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
    maxRounds: 9,
    policy: [{ tools: ["builtin:workspace.commit"], permission: "ask" }],
  },
};

/** A place with a run in it, and how to run further ones. */
const written = async (profile?: object) => {
  const place = await Place.make();
  const script = place.write("script.json", Place.script(Place.draft("A draft."), Place.commit(), Place.finish()));
  const own = profile === undefined ? [] : ["--profile", place.write("profile.json", profile)];
  const words = ["run", "--chat", place.chat, "--data", place.data, "--script", script, "--json", ...own];
  const run = objectOf(await cahier(words));
  return { place, runId: String(run["runId"]) };
};

const connected = async (data: string, ...more: ReadonlyArray<string>): Promise<Client> => {
  const client = new Client({ name: "an editor", version: "1" });
  const args = [bundle, "mcp", "serve", "--data", data, ...more];
  await client.connect(new StdioClientTransport({ command: node, args, stderr: "ignore" }));
  return client;
};

const called = async (client: Client, name: string, given: Record<string, unknown>) => {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: given });
  return { isError: isError === true, structured: structuredContent, text: JSON.stringify(content) };
};

describe.concurrent("serving other MCP clients", () => {
  it("shows runs, files, differences and tools on standard input and output", async () => {
    const { place, runId } = await written();
    const client = await connected(place.data);
    const { tools } = await client.listTools();
    assert.isTrue(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
    const listed = await called(client, "list_runs", {});
    assert.include(JSON.stringify(listed.structured), runId);
    const shown = await called(client, "show_run", { runId });
    assert.deepInclude(shown.structured as object, { runId, status: "completed", standing: "ended", commitCount: 1 });
    const file = await called(client, "read_run_file", { runId, path: "output/main.md" });
    assert.include(file.text, "A draft.");
    assert.include((await called(client, "diff_run", { runId })).text, "+A draft.");
    assert.include((await called(client, "list_tools", {})).text, "workspace.shell");
    assert.include((await called(client, "wait_for_run", { runId })).text, "completed");
    const none = await called(client, "show_run", { runId: `run_${"0".repeat(32)}` });
    assert.isTrue(none.isError);
    assert.include(none.text, "list_runs");
    await client.close();
  });

  it("lets clients do what is allowed, and nothing else", async () => {
    const { place, runId } = await written(asking);
    const client = await connected(place.data, "--allow", "answer_approval", "--allow", "start_run");
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.includeMembers(names, ["answer_approval", "start_run"]);
    assert.notIncludeMembers(names, ["cancel_run", "guide_run", "resume_run"]);
    const shown = await called(client, "show_run", { runId });
    const [call] = (shown.structured as { readonly waitingFor: ReadonlyArray<Record<string, string>> }).waitingFor;
    const answered = await called(client, "answer_approval", {
      runId,
      callId: call?.["callId"],
      argumentsSha256: call?.["argumentsSha256"],
      decision: "allow",
    });
    assert.isFalse(answered.isError, answered.text);
    assert.include((await called(client, "wait_for_run", { runId })).text, "completed");
    assert.strictEqual(place.messages().at(-1)?.mes, "A draft.");
    const refused = await called(client, "start_run", { chat: place.chat });
    assert.isTrue(refused.isError);
    assert.include(refused.text, "No model is set up");
    await client.close();
  });

  it("serves over HTTP whoever has the token, until it is stopped", async () => {
    const { place, runId } = await written();
    const token = "a-token-of-more-than-16";
    const server = start(["mcp", "serve", "--http", "0", "--data", place.data], {
      environment: { CAHIER_MCP_TOKEN: token },
    });
    const url = new URL((await server.complains(/http:\S+/))[0]);
    assert.strictEqual((await fetch(url, { method: "POST" })).status, 401);
    const client = new Client({ name: "an editor", version: "1" });
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    assert.include(JSON.stringify((await called(client, "list_runs", {})).structured), runId);
    await client.close();
    server.child.kill("SIGTERM");
    const ended = await server.ended;
    assert.strictEqual(ended.code, 0, ended.stderr);
    assert.strictEqual(ended.stdout, "");
    assert.notInclude(ended.stderr, token);
  });

  it("is told what cannot be allowed", async () => {
    const ended = await cahier(["mcp", "serve", "--allow", "everything"]);
    assert.strictEqual(ended.code, 4);
    assert.include(ended.stderr, "start_run, resume_run, cancel_run, guide_run, answer_approval");
  });
});
