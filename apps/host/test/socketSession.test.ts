/**
 * A process that is killed in the middle of a Responses session over a WebSocket: another one goes on with it.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf, start } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";
import * as ResponsesSocketServer from "./support/ResponsesSocketServer.ts";

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (value: unknown): ReadonlyArray<Row> => value as ReadonlyArray<Row>;

const call = (name: string, args: object): Row => ({
  type: "function_call",
  id: `fc_${name}`,
  call_id: `call_${name}`,
  name,
  arguments: JSON.stringify(args),
  status: "completed",
});

const draft = call("workspace_write_file", { path: "output/main.md", content: "It rains." });

const connection = (baseUrl: string) => ({
  kind: "cahier.llmConnection",
  schemaVersion: 1,
  id: "home",
  displayName: "Home",
  provider: { chatCompletionSource: "custom", customApiFormat: "openai-responses", transport: "websocket" },
  endpoint: { baseUrl },
  auth: { secretRef: { key: "HOME_KEY", id: "default" } },
});

const profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "mine",
  displayName: "Mine",
  tools: { maxRounds: 9, allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`) },
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe.concurrent("a run that is killed while its model is asked over a WebSocket", () => {
  it.each([
    ["goes on from the response that the server remembers, with what is new only", false],
    ["is told in full once to a server that has forgotten it", true],
  ] as const)("%s", async (_, forgets) => {
    const server = await ResponsesSocketServer.make([
      draft,
      "hang",
      call("workspace_commit", {}),
      call("workspace_finish", {}),
    ]);
    try {
      const place = await Place.make();
      const where = ["--data", place.data];
      const environment = { HOME_KEY: "sk-of-the-fake" };
      const ask = async (...args: ReadonlyArray<string>): Promise<Row> =>
        objectOf(await cahier([...args, ...where, "--json"], { environment }));
      await ask("connections", "add", place.write("connection.json", connection(server.url)));
      const words = ["run", "--chat", place.chat, "--profile", place.write("profile.json", profile)];
      const killed = start([...words, "--connection", "home", "--model", "fake", ...where], { environment });
      await server.hung;
      killed.child.kill("SIGKILL");
      await killed.ended;
      const before = server.frames.length;
      if (forgets) server.forget();

      const { runs } = await ask("runs", "list");
      const runId = String(rowsOf(runs)[0]?.["runId"]);
      const ended = await ask("runs", "resume", runId);
      assert.deepStrictEqual([ended["status"], ended["error"]], ["completed", undefined]);

      const frames = server.frames.slice(before).map(({ body }) => body);
      const inputs = frames.map(({ input }) => rowsOf(input).map(({ type }) => type ?? "message"));
      const [warmUp] = server.frames;
      assert.strictEqual(warmUp?.body["generate"], false);
      for (const { body } of server.frames) assert.strictEqual(body["store"], false);
      for (const headers of server.handshakes) {
        assert.strictEqual(headers["openai-beta"], "responses_websockets=2026-02-06");
        assert.strictEqual(headers["authorization"], "Bearer sk-of-the-fake");
      }
      const [first, second] = frames;
      const responseOfDraft = "resp_2";
      assert.strictEqual(first?.["previous_response_id"], responseOfDraft);
      assert.deepStrictEqual(inputs[0], ["function_call_output"]);
      if (forgets) {
        assert.notProperty(second, "previous_response_id");
        assert.includeMembers([...(inputs[1] ?? [])], ["message", "function_call", "function_call_output"]);
        assert.lengthOf(frames, 3);
      } else assert.lengthOf(frames, 2);
      assert.match(String(frames.at(-1)?.["previous_response_id"]), /^resp_\d$/);
      assert.deepStrictEqual(inputs.at(-1), ["function_call_output"]);

      const { warnings = [] } = await ask("runs", "show", runId);
      const told = rowsOf(warnings).map(({ text }) => String(text));
      assert.strictEqual(told.filter((text) => text.includes("had forgotten the session")).length, forgets ? 1 : 0);

      const { events } = await ask("runs", "events", runId, "--limit", "500");
      const types = rowsOf(events).map(({ type }) => type);
      for (const [type, times] of [
        ["model_response_stored", 3],
        ["workspace_file_written", 1],
        ["chat_commit_completed", 1],
        ["run_completed", 1],
      ] as const)
        assert.strictEqual(types.filter((one) => one === type).length, times, type);
      assert.deepStrictEqual(
        place.messages().map(({ mes }) => mes === "It rains."),
        [false, false, true],
      );
    } finally {
      await server.close();
    }
  });
});
