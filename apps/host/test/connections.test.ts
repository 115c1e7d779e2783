/**
 * Connections on the command line: storing and looking at them, calls and runs by one, and where their secrets are not.
 */
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type FixtureMatch, LLMock } from "@copilotkit/aimock";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, type Ended, ensureBundle, objectOf, type StartOptions } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

const secret = "sk-planted-7f3e1c0b9a";

const connection = (baseUrl: string, more: object = {}) => ({
  kind: "cahier.llmConnection",
  schemaVersion: 1,
  id: "home",
  displayName: "My server",
  provider: { chatCompletionSource: "custom" },
  endpoint: { baseUrl },
  auth: { secretRef: { key: "HOME_KEY", id: "default" } },
  prices: { currency: "EUR", input: 2, output: 8 },
  ...more,
});

const on = (place: Place.Place, args: ReadonlyArray<string>, options?: StartOptions): Promise<Ended> =>
  cahier([...args, "--data", place.data], options);

const add = async (place: Place.Place, document: object): Promise<Ended> => {
  const ended = await on(place, ["connections", "add", place.write("connection.json", document)]);
  assert.strictEqual(ended.code, 0, ended.stderr);
  return ended;
};

const codeOf = (ended: Ended): unknown => (objectOf(ended)["error"] as { readonly code: unknown } | undefined)?.code;

/** A secrets file of the place that only its owner may read. */
const secretsOf = (place: Place.Place, mode = 0o600): Readonly<Record<string, string>> => {
  const path = place.write("secrets.json", { HOME_KEY: secret });
  chmodSync(path, mode);
  return { CAHIER_SECRETS: path };
};

/** What ends the servers: tests run beside each other, and all of them may be asked until the last is done. */
const servers: Array<() => Promise<unknown>> = [];

/** A server that answers turn by turn, draft, commit, finish; or with one word to who has no tools. */
const serve = async (): Promise<LLMock> => {
  const mock = new LLMock({ port: 0, host: "127.0.0.1" });
  await mock.start();
  servers.push(() => mock.stop());
  mock.on({ predicate: ({ tools }) => (tools ?? []).length === 0 }, { content: "ready" });
  const calls = [
    { name: "workspace_write_file", arguments: JSON.stringify({ path: "output/main.md", content: "It rains." }) },
    { name: "workspace_commit", arguments: "{}" },
    { name: "workspace_finish", arguments: "{}" },
  ];
  calls.forEach((call, answered) => {
    const predicate: FixtureMatch["predicate"] = ({ messages }) =>
      messages.filter(({ role }) => role === "tool").length === answered;
    mock.on({ predicate }, { content: "", toolCalls: [call] });
  });
  return mock;
};

/** A server that refuses everything and repeats the credentials that it was given, in its body and in a header. */
const echoing = async (): Promise<string> => {
  const echo = ({ headers }: IncomingMessage): string => JSON.stringify({ error: { message: headers.authorization } });
  const server: Server = createServer((request, response) => {
    response.writeHead(401, { "content-type": "application/json", "x-echo": request.headers.authorization ?? "" });
    response.end(echo(request));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  servers.push(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

const nowhere = async (): Promise<string> => "http://127.0.0.1:1/v1";

/** Every file of a folder, however deep. */
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const assertNowhere = (place: Place.Place, ...said: ReadonlyArray<Ended>): void => {
  const files = filesIn(place.data);
  assert.isAbove(files.length, 0);
  for (const file of files) assert.isFalse(readFileSync(file).includes(secret), file);
  for (const { stdout, stderr } of said) assert.notInclude(stdout + stderr, secret);
};

beforeAll(ensureBundle);
afterAll(async () => {
  await Promise.all(servers.map((stop) => stop()));
  await Place.removeAll();
});

describe.concurrent("cahier connections", () => {
  it("stores, lists, shows and removes a connection", async () => {
    const place = await Place.make();
    assert.include((await on(place, ["connections", "list"])).stdout, "No connection is stored");
    const added = await add(place, connection("http://127.0.0.1:1/v1"));
    assert.include(added.stdout, "home is stored.");
    assert.include(added.stdout, "set the variable HOME_KEY");
    const again = await add(place, connection("http://127.0.0.1:2/v1"));
    assert.include(again.stdout, "in place of the one before");
    const listed = await on(place, ["connections", "list"], { environment: { HOME_KEY: secret } });
    assert.match(listed.stdout, /home +My server +custom +openai-chat +HOME_KEY \(set\) +http:\/\/127\.0\.0\.1:2\/v1/);
    const shown = await on(place, ["connections", "show", "home"]);
    assert.include(shown.stdout, "secret   HOME_KEY (not set anywhere)");
    assert.include(shown.stdout, "prices   2 in, 2 cached, 8 out (EUR for a million tokens)");
    const asJson = objectOf(await on(place, ["connections", "show", "home", "--json"]));
    assert.deepStrictEqual(asJson["secret"], { key: "HOME_KEY", isSet: false, place: "nowhere" });
    assert.strictEqual(asJson["revision"], 2);
    assert.strictEqual((await on(place, ["connections", "remove", "home"])).stdout, "home is removed.\n");
    const absent = await on(place, ["connections", "show", "home", "--json"]);
    assert.strictEqual(absent.code, 4);
    assert.strictEqual(codeOf(absent), "llm_connection.not_found");
  });

  it("takes the transport, the network and how long prompts are kept from the command line, and shows them", async () => {
    const place = await Place.make();
    const file = place.write(
      "responses.json",
      connection("http://127.0.0.1:1/v1", {
        provider: { chatCompletionSource: "custom", customApiFormat: "openai-responses" },
      }),
    );
    const added = await on(place, ["connections", "add", file, "--transport", "websocket", "--network", "private"]);
    assert.strictEqual(added.code, 0, added.stderr);
    const claude = connection("http://127.0.0.1:1/v1", {
      id: "claude",
      provider: { chatCompletionSource: "custom", customApiFormat: "anthropic-messages" },
    });
    const cached = ["connections", "add", place.write("claude.json", claude), "--prompt-cache", "1h"];
    assert.strictEqual((await on(place, cached)).code, 0);
    const shown = await on(place, ["connections", "show", "home"]);
    assert.include(shown.stdout, "over     one WebSocket for each agent");
    assert.include(shown.stdout, "network  private");
    assert.include((await on(place, ["connections", "show", "claude"])).stdout, "keep prompts for 1h");
    const listed = await on(place, ["connections", "list"]);
    assert.match(listed.stdout, /home .+openai-responses +websocket, private +HOME_KEY/);
    assert.match(listed.stdout, /claude .+anthropic-messages +cache 1h +HOME_KEY/);
    for (const [option, value, code] of [
      ["--transport", "carrier-pigeon", "usage.invalid"],
      ["--transport", "websocket", "llm_connection.transport_unsupported"],
      ["--prompt-cache", "5m", "llm_connection.prompt_cache_unsupported"],
    ] as const) {
      const chat = place.write("chat.json", connection("http://127.0.0.1:1/v1"));
      // oxlint-disable-next-line eslint/no-await-in-loop -- three refusals, one after the other
      const refused = await on(place, ["connections", "add", chat, option, value, "--json"]);
      assert.strictEqual(codeOf(refused), code);
    }
    const misspelt = await on(place, ["connections", "add", place.path("chat.json"), "--transport", "http"]);
    assert.include(misspelt.stderr, "--transport takes no other word than websocket.");
    const list = await on(place, ["connections", "add", place.write("list.json", "[]"), "--network", "private"]);
    assert.include(list.stderr, "[llm_connection.contract_invalid]");
  });

  it("takes a connection from standard input, and refuses a wrong one without repeating what may be a secret", async () => {
    const place = await Place.make();
    const input = JSON.stringify(connection("http://127.0.0.1:1/v1"));
    assert.strictEqual((await on(place, ["connections", "add", "-"], { input })).code, 0);
    const wrong = connection("http://127.0.0.1:1/v1", { auth: { secretRef: { key: secret, id: "default" } } });
    const refused = await on(place, ["connections", "add", place.write("wrong.json", wrong)]);
    assert.strictEqual(refused.code, 4);
    assert.include(refused.stderr, "[llm_connection.secret_key_required]");
    const broken = await on(place, ["connections", "add", place.write("broken.json", "{")]);
    assert.include(broken.stderr, "[llm_connection.contract_invalid]");
    assertNowhere(place, refused);
  });

  it("says where the secret of one was found, and never its value", async () => {
    const place = await Place.make();
    await add(place, connection("http://127.0.0.1:1/v1"));
    const show = (environment: Readonly<Record<string, string>>): Promise<Ended> =>
      on(place, ["connections", "show", "home"], { environment });
    const ofEnvironment = await show({ HOME_KEY: secret });
    assert.include(ofEnvironment.stdout, "secret   HOME_KEY (set in the environment)");
    const ofFile = await show(secretsOf(place));
    assert.include(ofFile.stdout, "secret   HOME_KEY (set in the secrets file)");
    const exposed = await show(secretsOf(place, 0o644));
    assert.include(exposed.stdout, "secret   HOME_KEY (not set anywhere): Other users may read");
    // Where the library or the keyring is missing that is said; a keyring that answers does not have the key.
    const ofKeyring = await show({ CAHIER_KEYRING: "1" });
    assert.match(ofKeyring.stdout, /secret {3}HOME_KEY \(not set anywhere\)(?:: The system's keyring cannot be .+)?\n/);
    assertNowhere(place, ofEnvironment, ofFile, exposed);
  });

  it("names a stored one that cannot be used beside the others", async () => {
    const place = await Place.make();
    await add(place, connection("http://127.0.0.1:1/v1"));
    await add(place, connection("http://127.0.0.1:1/v1", { id: "other" }));
    const file = filesIn(place.data).find((path) => path.endsWith("other.json"));
    assert.isDefined(file);
    writeFileSync(file, readFileSync(file, "utf8").replace("cahier.llmConnection", "cahier.somethingElse"));
    const listed = await on(place, ["connections", "list"]);
    assert.strictEqual(listed.code, 0);
    assert.include(listed.stdout, "My server");
    assert.match(listed.stdout, /other: .*\[(?:llm_connection\.kind_invalid|storage\.\w+)\]/);
  });

  it("test makes one call and says what came back", async () => {
    const mock = await serve();
    const place = await Place.make();
    await add(place, connection(`${mock.url}/v1`));
    const args = ["connections", "test", "home", "--model", "fake-1"];
    const environment = secretsOf(place);
    const tested = await on(place, args, { environment });
    assert.strictEqual(tested.code, 0, tested.stderr);
    assert.include(tested.stdout, 'home answers: "ready"');
    assert.include(
      tested.stdout,
      `Trying fake-1 in the format openai-chat at ${mock.url}/v1, secret HOME_KEY (set in the secrets file)\n`,
    );
    const asJson = objectOf(await on(place, [...args, "--json"], { environment }));
    assert.strictEqual(asJson["status"], "answered", JSON.stringify(asJson));
    assert.strictEqual(asJson["text"], "ready");
    assert.deepInclude(asJson["tried"], { model: "fake-1", format: "openai-chat", baseUrl: `${mock.url}/v1` });
    const [request] = mock.getRequests();
    assert.strictEqual(request?.path, "/v1/chat/completions");
  });

  const failing: ReadonlyArray<readonly [string, string, () => Promise<string>, Readonly<Record<string, string>>]> = [
    ["a server that refuses the key", "agent.unauthorized", echoing, { HOME_KEY: secret }],
    ["a server that is not there", "network.connect_failed", nowhere, { HOME_KEY: secret }],
    ["a secret without a value", "model.not_configured", nowhere, {}],
  ];

  it.each(failing)("test names what is wrong with %s: %s", async (_, code, address, environment) => {
    const place = await Place.make();
    await add(place, connection(await address()));
    const ended = await on(place, ["connections", "test", "home", "--model", "fake-1", "--json"], { environment });
    assert.strictEqual(ended.code, 3);
    assert.strictEqual(codeOf(ended), code);
    assertNowhere(place, ended);
  });

  it("test calls nothing that the platform's policy does not allow, and needs a model", async () => {
    const mock = await serve();
    const place = await Place.make();
    await add(place, connection(`${mock.url}/v1`));
    const models = { endpoints: ["https://api.openai.com/v1"] };
    const policy = place.write("policy.json", { kind: "cahier.policy", schemaVersion: 1, rules: [], models });
    assert.strictEqual((await on(place, ["policy", "set", "platform", policy])).code, 0);
    const environment = { HOME_KEY: secret };
    const denied = await on(place, ["connections", "test", "home", "--model", "fake-1", "--json"], { environment });
    assert.strictEqual(codeOf(denied), "model.source_denied");
    assert.strictEqual(mock.getRequests().length, 0);
    assert.strictEqual(codeOf(await on(place, ["connections", "test", "home", "--json"])), "usage.invalid");
  });
});

describe.concurrent("a run by a connection", () => {
  const profile = (model: object) => ({
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "mine",
    displayName: "Mine",
    model,
    tools: { maxRounds: 9, allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`) },
  });

  it.each([
    ["that the command names", () => ["--connection", "home", "--model", "fake-1"]],
    [
      "that its profile names",
      (place: Place.Place) => [
        "--profile",
        place.write("profile.json", profile({ mode: "connectionRef", connectionRef: "home", modelId: "fake-1" })),
      ],
    ],
  ] as const)("%s is completed, and its secret stands nowhere", async (_, args) => {
    const mock = await serve();
    const place = await Place.make();
    await add(place, connection(`${mock.url}/v1`));
    const ended = await on(place, ["run", "--chat", place.chat, ...args(place), "--json"], {
      environment: secretsOf(place),
    });
    assert.strictEqual(ended.code, 0, ended.stderr);
    const shown = await on(place, ["runs", "events", String(objectOf(ended)["runId"]), "--limit", "500", "--json"]);
    const bound = (objectOf(shown)["events"] as ReadonlyArray<Readonly<Record<string, unknown>>>).find(
      ({ type }) => type === "agent_model_binding_resolved",
    );
    assert.include(JSON.stringify(bound), '"mode":"connectionRef"');
    assert.include(JSON.stringify(bound), "HOME_KEY");
    const stands = await on(place, ["runs", "show", String(objectOf(ended)["runId"])]);
    assert.match(
      stands.stdout,
      /\nagent {6}inv_root: completed, 3 rounds, 3 calls, \d+ tokens in, \d+ out\n {11}fake-1 \(custom, connection home\)\n/,
    );
    assertNowhere(place, ended, shown, stands);
  });

  it("that is refused by a server which repeats the key fails without it", async () => {
    const place = await Place.make();
    await add(place, connection(await echoing()));
    const environment = { HOME_KEY: secret };
    const run = ["run", "--chat", place.chat, "--connection", "home", "--model", "fake-1"];
    const failed = await on(place, [...run, "--json"], { environment });
    assert.strictEqual(codeOf(failed), "agent.unauthorized");
    const told = await on(place, run, { environment });
    assertNowhere(place, failed, told);
  });

  it.each([
    ["an unknown connection", ["--connection", "absent", "--model", "fake-1"], "llm_connection.not_found"],
    ["no model", ["--connection", "home"], "usage.invalid"],
    ["a script beside it", ["--connection", "home", "--model", "m", "--script", "s.json"], "usage.invalid"],
  ] as const)("is not started with %s", async (_, args, code) => {
    const place = await Place.make();
    await add(place, connection("http://127.0.0.1:1/v1"));
    const before = place.chatText();
    const ended = await on(place, ["run", "--chat", place.chat, "--message", "Hello.", ...args, "--json"]);
    assert.strictEqual(ended.code, 4);
    assert.strictEqual(codeOf(ended), code);
    assert.strictEqual(place.chatText(), before);
  });

  it("is not started while others may read the secrets file, which keeps nobody from cancelling one", async () => {
    const place = await Place.make();
    await add(place, connection("http://127.0.0.1:1/v1"));
    const ended = await on(
      place,
      ["run", "--chat", place.chat, "--connection", "home", "--model", "fake-1", "--json"],
      { environment: secretsOf(place, 0o644) },
    );
    assert.strictEqual(ended.code, 4);
    assert.strictEqual(codeOf(ended), "llm_connection.secrets_file_exposed");
    assertNowhere(place, ended);
    const cancelled = await on(place, ["runs", "cancel", `run_${"0".repeat(32)}`, "--json"], {
      environment: secretsOf(place, 0o644),
    });
    assert.strictEqual(codeOf(cancelled), "agent.run_not_found");
  });
});
