/**
 * Runs whose model is a foreign fake server: real HTTP, real server-sent events, tool calls included.
 */
import { type FixtureMatch, LLMock } from "@copilotkit/aimock";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { onTestFinished } from "vitest";
import { cahier, ensureBundle, objectOf } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

const text = "*Odile counts on her fingers.* Twice, Größe \u{1f30a} and all.";

/** A server that answers turn by turn: draft, commit, finish. */
const serve = async (): Promise<LLMock> => {
  const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 7 });
  await mock.start();
  onTestFinished(() => mock.stop());
  const calls = [
    { name: "workspace_write_file", arguments: JSON.stringify({ path: "output/main.md", content: text }) },
    { name: "workspace_commit", arguments: "{}" },
    { name: "workspace_finish", arguments: "{}" },
  ];
  calls.forEach((call, answered) => {
    const predicate: FixtureMatch["predicate"] = ({ messages }) =>
      messages.filter(({ role }) => role === "tool").length === answered;
    mock.on({ predicate }, { content: answered === 0 ? "I will draft it." : "", toolCalls: [call] });
  });
  return mock;
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

/** The vendors that the environment can name: their variables, a model of theirs, and where they are asked. */
const vendors = [
  {
    model: "fake-1",
    environment: (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "sk-of-the-fake-server" }),
    path: /^\/v1\/chat\/completions$/,
    header: "authorization",
  },
  {
    model: "claude-fake",
    environment: (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-ant-of-the-fake-server" }),
    path: /^\/v1\/messages$/,
    header: "x-api-key",
  },
  {
    model: "gemini-fake",
    environment: (url: string) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "key-of-the-fake-server" }),
    path: /^\/v1beta\/models\/gemini-fake:(?:streamG|g)enerateContent$/,
    header: "x-goog-api-key",
  },
] as const;

describe.each(vendors)("a run of $model against a foreign fake server", (vendor) => {
  for (const stream of [true, false]) {
    it(`goes through HTTP ${stream ? "and server-sent events" : "in whole bodies"}, tool calls included`, async () => {
      const mock = await serve();
      const place = await Place.make();
      const profile = place.write("profile.json", {
        kind: "cahier.agentProfile",
        schemaVersion: 1,
        id: "mine",
        displayName: "Mine",
        run: { presentation: "foreground", stream },
        tools: {
          maxRounds: 10,
          allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
        },
      });
      const ended = await cahier(
        ["run", "--chat", place.chat, "--data", place.data, "--profile", profile, "--model", vendor.model, "--json"],
        // The other vendors' keys are there too: the model's name says whose it is.
        { environment: { OPENAI_API_KEY: "sk-of-another", ...vendor.environment(mock.url) } },
      );
      const { status, committed, error } = objectOf(ended);
      assert.deepStrictEqual([ended.code, status, error], [0, "completed", undefined], ended.stdout);
      assert.deepStrictEqual(committed, [{ messageIndex: 2, path: "output/main.md", chars: Array.from(text).length }]);
      assert.isTrue(place.chatText().startsWith(`${Place.chatText}\n`));
      assert.strictEqual(place.messages().at(-1)?.mes, text);

      const requests = mock.getRequests();
      assert.lengthOf(requests, 3);
      for (const { path, body, headers } of requests) {
        assert.match(path.split("?")[0] ?? "", vendor.path);
        assert.strictEqual(body?.model, vendor.model);
        assert.strictEqual(body?.stream ?? false, stream);
        assert.property(headers, vendor.header);
        assert.lengthOf(Array.isArray(body?.tools) ? body.tools : [], 3);
      }
    });
  }
});
