/**
 * `cahier mcp`: registering servers, looking at them, permitting their tools, and asking them.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { bundle, ensureBundle, hasTerminals, start } from "./support/Cahier.ts";
import * as McpPlace from "./support/McpPlace.ts";
import { node } from "./support/node.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;
type Rows = ReadonlyArray<Answer>;

const codeIn = (answer: Answer): unknown => (answer["error"] as Answer | undefined)?.["code"];

/** The standing of each tool by its name. */
const standingsOf = ({ tools }: Answer): Answer =>
  Object.fromEntries((tools as Rows).map(({ name, standing }) => [String(name), standing]));

/** Name, id and permission of each tool of a server that an agent would get. */
const mcpToolsOf = ({ tools }: Answer) =>
  (tools as Rows).filter(({ source }) => source === "mcp").map(({ alias, id, permission }) => [alias, id, permission]);

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe.concurrent("cahier mcp add, list, show", () => {
  it("registers a server paused, shows in full what it would start, and starts nothing", async () => {
    const place = await McpPlace.make();
    assert.match((await place.on("mcp", "list")).stdout, /^No MCP server is registered; cahier mcp add/);
    const file = place.write("server.json", { displayName: "The lighthouse", endpoint: place.endpoint });
    const added = await place.on("mcp", "add", file);
    assert.strictEqual(added.code, 0, added.stderr);
    const [, id = ""] = /registered as ([\da-f-]{36})\.\n/.exec(added.stdout) ?? [];
    assert.include(added.stdout, `starts    ${node}`);
    assert.include(added.stdout, 'variable  GREETING="Good  evening."\n');
    assert.include(added.stdout, `It is paused. "cahier mcp resume ${id}" activates it.`);
    assert.match((await place.on("mcp", "list")).stdout, /The lighthouse +paused +not asked for yet +\S*node /);
    const shown = await place.on("mcp", "show", id);
    assert.match(shown.stdout, /state +paused\n/);
    assert.match(shown.stdout, /Its tools are not known yet/);
    assert.strictEqual(codeIn(await place.ask("mcp", "discover", id)), "mcp.server_paused");
    assert.deepStrictEqual(place.reported(), []);
  });

  it("names secrets and never shows them", async () => {
    const place = await McpPlace.make();
    const headers = { Authorization: { secret: { key: "LIGHT_TOKEN" } } };
    const endpoint = { transport: "http", url: "https://light.example/mcp", headers };
    const added = await place.on("mcp", "add", place.write("http.json", { displayName: "Light", endpoint }));
    assert.include(added.stdout, "header    Authorization: the secret LIGHT_TOKEN\n");
    const clear = { ...endpoint, headers: { Authorization: "Bearer abcdef0123456789" } };
    const refused = await place.on("mcp", "add", place.write("clear.json", { displayName: "Light", endpoint: clear }));
    assert.deepStrictEqual([refused.code, refused.stdout], [4, ""]);
    assert.match(refused.stderr, /\[mcp\.secret_in_clear\]/);
    assert.notInclude(refused.stderr, "abcdef0123456789");
  });

  it("refuses what is no registration, and an id that there is not, with what to do", async () => {
    const place = await McpPlace.make();
    const cases = [
      [["mcp", "add", place.write("text.json", "not JSON")], "mcp.registration_contract_invalid"],
      [
        ["mcp", "add", place.write("more.json", { displayName: "A", state: "active" })],
        "mcp.registration_contract_invalid",
      ],
      [["mcp", "show", "nobody"], "mcp.registration_not_found"],
      [["mcp", "remove", "nobody"], "mcp.registration_not_found"],
      [["mcp", "permit", "nobody", "echo", "always"], "usage.invalid"],
      [["mcp", "call", "nobody", "echo", "--arguments", "[1]"], "usage.invalid"],
    ] as const;
    const answers = await Promise.all(cases.map(([args]) => place.ask(...args)));
    assert.deepStrictEqual(
      answers.map(codeIn),
      cases.map(([, code]) => code),
    );
  });
});

describe.concurrent("cahier mcp resume", () => {
  it("starts no program that its user has not agreed to: without a terminal that is --yes", async () => {
    const place = await McpPlace.make();
    const id = await McpPlace.register(place);
    const refused = await place.on("mcp", "resume", id);
    assert.strictEqual(refused.code, 4);
    assert.include(refused.stdout, `starts    ${node}`);
    assert.match(
      refused.stderr,
      /starts a program with your rights: .*mcpServer\.ts.* say --yes\..*\[usage\.invalid\]/,
    );
    const { registration } = await place.ask("mcp", "show", id);
    assert.strictEqual((registration as Answer)["state"], "paused");
    const resumed = await place.on("mcp", "resume", id, "--yes");
    assert.match(resumed.stdout, /It is active\. "cahier mcp discover/);
    assert.deepStrictEqual(place.reported(), [], "a server is started when it is asked for something");
  });

  it.skipIf(!hasTerminals)("asks on a terminal, and takes no other word for a yes", async () => {
    const place = await McpPlace.make();
    const id = await McpPlace.register(place);
    const answering = async (...answers: ReadonlyArray<string>) => {
      const running = start(["mcp", "resume", id, "--data", place.data], { terminal: true, command: [node, bundle] });
      await running.says(/\[y\]es {2}\[n\]o: /);
      running.child.stdin?.write(answers.map((answer) => `${answer}\n`).join(""));
      return (await running.ended).stdout;
    };
    const left = await answering("perhaps", "n");
    assert.match(left, /mcpServer\.ts[\s\S]*with your rights[\s\S]*It stays paused\./);
    assert.match(await answering("yes"), /It is active\./);
  });
});

describe.concurrent("cahier mcp discover and permit", () => {
  it("lists what a server offers, each tool off until it is permitted", async () => {
    const place = await McpPlace.make();
    const id = await McpPlace.register(place);
    await place.on("mcp", "resume", id, "--yes");
    const found = await place.on("mcp", "discover", id);
    assert.match(found.stdout, /^known +as of \S+: lighthouse 1\.0\.0, protocol \S+\n/);
    assert.match(found.stdout, /echo +off +Says it again\.\n/);
    assert.match(found.stdout, /None of them is permitted; "cahier mcp permit \S+ TOOL ask"/);
    const permitted = await place.on("mcp", "permit", id, "echo", "ask");
    assert.match(
      permitted.stdout,
      /^tool +echo\n[^]*says +Says it again\.\ntakes +\{[^]*\necho of The lighthouse: a call waits until a person allows it\./,
    );
    assert.include(permitted.stdout, `it is called mcp/${id}:echo.`);
    const whole = await place.on("mcp", "show", id, "wait");
    assert.match(whole.stdout, /^tool +wait\npermitted off\nsays +Takes its time\.\n/);
    assert.strictEqual(codeIn(await place.ask("mcp", "show", id, "absent")), "mcp.tool_unknown");
    assert.match((await place.on("mcp", "list")).stdout, /active +1 of 3 permitted/);
    assert.strictEqual(codeIn(await place.ask("mcp", "permit", id, "absent", "ask")), "mcp.tool_unknown");
    const earlier = ["--as-of", "2020-01-01T00:00:00.000Z"];
    assert.strictEqual(
      codeIn(await place.ask("mcp", "permit", id, "fail", "ask", ...earlier)),
      "mcp.catalogue_changed",
    );
    await place.on("mcp", "permit", id, "echo", "off");
    assert.match((await place.on("mcp", "list")).stdout, /active +0 of 3 permitted/);
  });

  it("says how a tool has changed since it was permitted, and withholds it until it is permitted again", async () => {
    const place = await McpPlace.make();
    const id = await McpPlace.activate(place);
    await place.on("mcp", "permit", id, "echo", "allow");
    await place.on("mcp", "permit", id, "fail", "ask");
    place.offers(McpPlace.tool("echo", "Says it again, and tells everybody."));
    const found = await place.on("mcp", "discover", id);
    assert.match(found.stdout, /echo +allow, changed +Says it again, and tells everybody\./);
    assert.match(found.stdout, /echo is described otherwise .* Its description was "Says it again\." and is "Says it/);
    assert.match(found.stdout, /fail is permitted, and the server does not offer it any more/);
    const profile = place.write("profile.json", McpPlace.profileWith(`mcp/${id}:echo`));
    const withheld = await place.ask("tools", "list", "--profile", profile);
    assert.deepStrictEqual(mcpToolsOf(withheld), []);
    assert.sameMembers(
      (withheld["notOffered"] as Rows).map(({ code }) => code),
      ["mcp.tool_definition_changed", "mcp.tool_gone"],
    );
    assert.match((await place.on("tools", "list", "--profile", profile)).stdout, /\[mcp\.tool_definition_changed\]/);
    await place.on("mcp", "permit", id, "echo", "allow");
    assert.deepStrictEqual(standingsOf(await place.ask("mcp", "discover", id)), { echo: "holds" });
    assert.deepStrictEqual(mcpToolsOf(await place.ask("tools", "list", "--profile", profile)), [
      ["mcp__The_lighthouse__echo", `mcp/${id}:echo`, "always"],
    ]);
  });

  it("pauses a server, and every permission with it, where it is to be reached otherwise", async () => {
    const place = await McpPlace.make();
    const id = await McpPlace.activate(place);
    await place.on("mcp", "permit", id, "echo", "allow");
    const changed = place.write("changed.json", { endpoint: { ...place.endpoint, environment: {} } });
    const replaced = await place.on("mcp", "add", changed, "--replace", id);
    assert.match(replaced.stdout, /The lighthouse is changed: [\s\S]*It is paused\./);
    await place.on("mcp", "resume", id, "--yes");
    const found = await place.on("mcp", "discover", id);
    assert.match(found.stdout, /echo +allow, paused/);
    assert.match(found.stdout, /echo was permitted for a server that was reached otherwise/);
    assert.match((await place.on("mcp", "list")).stdout, /0 of 3 permitted, 1 to be permitted again/);
  });

  it("offers nothing of a server that is paused or removed", async () => {
    const place = await McpPlace.make();
    const id = await McpPlace.activate(place);
    await place.on("mcp", "permit", id, "echo", "allow");
    const profile = place.write("profile.json", McpPlace.profileWith(`mcp/${id}:echo`));
    const offered = async () => mcpToolsOf(await place.ask("tools", "list", "--profile", profile)).length;
    assert.strictEqual(await offered(), 1);
    assert.match((await place.on("mcp", "pause", id)).stdout, /is paused: it is called no more/);
    assert.strictEqual(await offered(), 0);
    assert.strictEqual((await place.on("mcp", "remove", id)).stdout, `${id} is removed.\n`);
    assert.match((await place.on("mcp", "list")).stdout, /^No MCP server/);
  });
});

describe.concurrent("asking an MCP server", () => {
  it("calls a tool with arguments, and prints what it answers", async () => {
    const place = await McpPlace.make();
    const id = await McpPlace.activate(place);
    const called = await place.on("mcp", "call", id, "echo", "--arguments", '{"text": "hello"}');
    assert.deepStrictEqual([called.code, called.stdout], [0, 'echo: {"text":"hello"} Good  evening.\n']);
    const failed = await place.on("mcp", "call", id, "fail");
    assert.deepStrictEqual([failed.code, failed.stdout], [3, "fail: {} Good  evening.\n"]);
    assert.match(failed.stderr, /\[mcp\.tool_error\]/);
    const { outcome } = await place.ask("mcp", "call", id, "echo");
    assert.strictEqual((outcome as Answer)["_tag"], "Known");
    const late = await place.on("mcp", "call", id, "wait", "--timeout", "8");
    assert.strictEqual(late.code, 3);
    assert.match(late.stderr, /Nobody knows whether the call took effect: .*\[mcp\.call_timeout\]/);
  });

  it("lists and prints resources and prompts", async () => {
    const place = await McpPlace.make();
    const id = await McpPlace.activate(place);
    assert.match((await place.on("mcp", "resources", id)).stdout, /light:\/\/log +The log\n/);
    assert.strictEqual((await place.on("mcp", "resources", id, "--read", "light://log")).stdout, "The lamp\nturns.\n");
    assert.match((await place.on("mcp", "prompts", id)).stdout, /greet +who +Greets somebody\.\n/);
    const prompt = await place.on("mcp", "prompts", id, "--get", "greet", "--arguments", '{"who": "Ada"}');
    assert.strictEqual(prompt.stdout, "user:\nGreet Ada.\n");
    const listed = await place.ask("mcp", "prompts", id);
    assert.lengthOf(listed["prompts"] as Rows, 1);
    assert.lengthOf((await place.ask("mcp", "resources", id))["resources"] as Rows, 1);
  });
});
