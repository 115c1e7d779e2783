/**
 * One run with tools from everywhere: the shell, MCP servers as a process and over HTTP, and an extension in another process. What
 * asks is allowed from two processes, and no byte of a secret is found in what is stored, shown or published.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { type Ended, ensureBundle, objectOf, start } from "./support/Cahier.ts";
import { addressOf, extension, leave, token } from "./support/ExtensionPlace.ts";
import * as McpPlace from "./support/McpPlace.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;

/** They are spelled differently in JSON, in a URL and in base64, and one is the value of a header. */
const secrets = { header: 'sk/planted"7f3e+1c0b=9a&zz', variable: 'lamp/planted"41d0+77=2b&yy', token };

const spellings = (secret: string): ReadonlyArray<string> => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64"),
  Buffer.from(secret).toString("base64url"),
  Buffer.from(secret).toString("hex"),
];

const environment = {
  LIBRARY_AUTHORIZATION: `Bearer ${secrets.header}`,
  LIGHT_TOKEN: secrets.variable,
  CAHIER_EXTENSION_TOKEN: token,
  CAHIER_LOG_REQUESTS: "1",
};

const assertAbsent = (what: string, bytes: Buffer): void => {
  for (const [name, secret] of Object.entries(secrets))
    for (const spelling of spellings(secret)) assert.isFalse(bytes.includes(spelling), `${what} holds the ${name}`);
};

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

const shell = (command: string) => ({ name: "workspace_shell", arguments: { command } });
const colour = (text: string) => ({ name: "colour", arguments: { text } });
const echo = (server: string, text: string) => ({ name: `mcp__${server}__echo`, arguments: { text } });
const turn = (...toolCalls: ReadonlyArray<object>): Answer => ({ toolCalls });

/** A folder whose commands know the secrets, and everything that they say. */
const begin = async () => {
  const bare = await McpPlace.make();
  const said: Array<Ended> = [];
  const begun = (args: ReadonlyArray<string>) => {
    const running = start([...args, "--data", bare.data], { environment });
    void running.ended.then((ended) => said.push(ended));
    return running;
  };
  const on = (...args: ReadonlyArray<string>) => begun(args).ended;
  const place: McpPlace.McpPlace = {
    ...bare,
    endpoint: { ...bare.endpoint, environment: { GREETING: { secret: { key: "LIGHT_TOKEN" } } } },
    on,
    ask: async (...args) => objectOf(await on(...args, "--json")),
  };
  return { begun, place, said };
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("a run with the tools of three sources", () => {
  it("calls them in one turn and one after the other, is allowed from two processes, and publishes; no secret is found anywhere", async () => {
    const { begun, place, said } = await begin();
    const library = await place.serve(0, false);
    const light = await McpPlace.activate(place);
    const books = await McpPlace.activate(place, {
      displayName: "The library",
      endpoint: {
        transport: "http",
        url: `http://127.0.0.1:${library.port}/mcp`,
        network: "private",
        headers: { Authorization: { secret: { key: "LIBRARY_AUTHORIZATION" } } },
      },
    });
    await place.ask("mcp", "permit", light, "echo", "ask");
    await place.ask("mcp", "permit", books, "echo", "ask");

    const profile = McpPlace.profileWith(
      "builtin:workspace.shell",
      `mcp/${light}:echo`,
      `mcp/${books}:echo`,
      "extension/desk:colour",
    );
    const turns = [
      turn(shell("echo 'The lamp turns.' > output/main.md")),
      turn(echo("The_library", "a lamp"), colour("red")),
      turn(shell("wc -w < output/main.md > scratch/count.txt"), echo("The_lighthouse", "the keeper"), colour("blue")),
    ];
    const bridge = ["--extensions", "--wait-for", "extension/desk:colour", "--approve", "extension/*"];
    const material = [
      "--profile",
      place.write("profile.json", profile),
      "--script",
      place.write("script.json", Place.script(...turns, Place.commit(), Place.finish())),
    ];
    const words = ["run", "--chat", place.chat, "--json", ...bridge, "--approve", `mcp/${books}:*`];
    const first = begun([...words, ...material]);
    const morning = extension(await addressOf(first), ["colour"]);
    const waiting = await first.ended;
    await leave(morning);
    assert.strictEqual(waiting.code, 5, waiting.stdout + waiting.stderr);
    const { awaiting, runId: id } = objectOf(waiting);
    const runId = String(id);
    const [asked, ...others] = awaiting as ReadonlyArray<Answer>;
    assert.deepStrictEqual([asked?.["toolId"], others], [`mcp/${light}:echo`, []]);
    assert.include(morning.stdout(), 'called colour {"text":"red"}\n');

    const second = begun(["runs", "approve", runId, String(asked?.["callId"]), "--json", ...bridge]);
    const evening = extension(await addressOf(second), ["colour"]);
    const ended = await second.ended;
    await leave(evening);
    library.running.child.kill("SIGKILL");
    assert.strictEqual(objectOf(ended)["status"], "completed", ended.stdout + ended.stderr);
    assert.strictEqual(place.messages().at(-1)?.mes, "The lamp turns.\n");
    assert.match(evening.stdout(), /called colour \{"text":"blue"\}\n/);
    assert.notInclude(evening.stdout(), '"red"', "nothing is called again");
    assert.deepStrictEqual(
      place.reported().filter((line) => line.startsWith("call ")),
      ['call echo {"text":"a lamp"}', 'call echo {"text":"the keeper"}'],
    );

    const { events } = await place.ask("runs", "events", runId, "--limit", "500");
    const results = (events as ReadonlyArray<Answer>)
      .filter(({ type }) => type === "tool_result_stored")
      .map(({ payload }) => payload as Answer);
    const [, fromLibrary, , , fromLight] = results;
    assert.deepStrictEqual(
      results.map(({ toolId }) => toolId),
      [
        "builtin:workspace.shell",
        `mcp/${books}:echo`,
        "extension/desk:colour",
        "builtin:workspace.shell",
        `mcp/${light}:echo`,
        "extension/desk:colour",
        "builtin:workspace.commit",
        "builtin:workspace.finish",
      ],
    );
    // Both servers repeat the secret that they were sent.
    assert.include(JSON.stringify(fromLibrary), "[redacted]");
    assert.include(JSON.stringify(fromLight), "[redacted]");
    assert.strictEqual((await place.on("runs", "file", runId, "scratch/count.txt")).stdout, "3\n");
    await place.on("runs", "show", runId);
    await place.on("runs", "show", runId, "--requests");
    await place.on("mcp", "show", light);
    await place.on("mcp", "show", books);

    const examined = await place.ask("doctor");
    const journal = (examined["findings"] as ReadonlyArray<Answer>).find(({ check }) => check === runId);
    assert.deepStrictEqual([examined["failed"], journal?.["outcome"]], [0, "passed"]);
    const files = filesIn(place.data);
    assert.isAbove(files.length, 3);
    for (const file of [...files, place.chat]) assertAbsent(file, readFileSync(file));
    assert.isAbove(said.length, 10);
    for (const { stderr, stdout } of said) assertAbsent("output", Buffer.from(stdout + stderr));
  });
});
