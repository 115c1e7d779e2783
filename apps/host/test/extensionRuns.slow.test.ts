/**
 * Runs with tools of an extension that is another process, over the bridge of the program.
 */
import { once } from "node:events";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { WebSocket } from "ws";
import { type Ended, ensureBundle, objectOf, type Running } from "./support/Cahier.ts";
import * as ExtensionPlace from "./support/ExtensionPlace.ts";
import { addressOf, environment, extension, leave } from "./support/ExtensionPlace.ts";
import * as Place from "./support/Place.ts";

const publish = [Place.draft("A draft."), Place.commit(), Place.finish()];

const colour = Place.call("colour", { text: "red" });

const bridge = ["--extensions", "--approve", "extension/desk:*"];

const errorOf = (ended: Ended) =>
  objectOf(ended)["error"] as { readonly code: string; readonly message: string } | undefined;

/** Ends everything that a test has started. */
const ending = async <A>(running: ReadonlyArray<Running>, value: A): Promise<A> => {
  await Promise.all(running.map(leave));
  return value;
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe.concurrent("a run that extensions may connect to", () => {
  it("waits for the tool, calls it, is told what it answers, and ends the connection with itself", async () => {
    const place = await ExtensionPlace.make();
    const running = place.run(
      ["colour"],
      [colour, ...publish],
      [...bridge, "--wait-for", "extension/desk:colour", "--json"],
    );
    const desk = extension(await addressOf(running), ["colour"]);
    const ended = await running.ended;
    await desk.says(/state connected[^]*state (?:waiting|connecting)/);
    await leave(desk);
    assert.strictEqual(ended.code, 0, ended.stdout + ended.stderr);
    assert.include(desk.stdout(), 'called colour {"text":"red"}\n');
    const [result] = await place.payloadsOf(String(objectOf(ended)["runId"]), "tool_result_stored");
    assert.strictEqual(result?.["toolId"], "extension/desk:colour");
    assert.include(JSON.stringify(result), String.raw`{\"said\":\"red\"}`);
    assert.strictEqual(place.messages().at(-1)?.mes, "A draft.");
    assert.notInclude(ended.stderr, ExtensionPlace.token, "a token that was given is not said");
  });

  it("makes a token of its own, which nobody is told but whoever reads standard error", async () => {
    const place = await ExtensionPlace.make();
    const options = ["--extensions", "0", "--approve", "extension/desk:*", "--wait-for", "extension/desk:colour"];
    const running = place.run(["colour"], [colour, ...publish], [...options, "--json"], {});
    const [, made = ""] = await running.complains(/token, which CAHIER_EXTENSION_TOKEN replaces: (\S{43})\n/);
    const desk = extension(await addressOf(running), ["colour"], made);
    const ended = await ending([desk], await running.ended);
    assert.strictEqual(ended.code, 0, ended.stderr);
    assert.notInclude(ended.stdout, made);
    assert.lengthOf(ended.stderr.split("\n"), 3, ended.stderr);
  });

  it("begins nothing when a tool does not come in time", async () => {
    const place = await ExtensionPlace.make();
    const wait = ["--wait-for", "extension/desk:colour", "--wait-for", "extension/desk:wait", "--wait-seconds", "1"];
    const ended = await place.run(["colour"], publish, [...bridge, ...wait, "--json"]).ended;
    assert.strictEqual(ended.code, 4, ended.stderr);
    const { code, message } = errorOf(ended) ?? assert.fail("no error");
    assert.strictEqual(code, "extension.tool_unavailable");
    assert.match(
      message,
      /^extension\/desk:colour and extension\/desk:wait were not registered within 1 s, so nothing was begun\./,
    );
    assert.deepStrictEqual(objectOf(await place.on(["runs", "list", "--json"]))["runs"], []);
    assert.strictEqual(place.chatText(), Place.chatText);
  });

  it("takes no tool from an extension with another token, and no page of another host", async () => {
    const place = await ExtensionPlace.make();
    const running = place.run(["colour"], [colour, ...publish], [...bridge, "--wait-for", "extension/desk:colour"]);
    const url = await addressOf(running);
    const page = new WebSocket(url, { origin: "https://example.com" });
    const refused: unknown = (await once(page, "error"))[0];
    assert.include(String(refused), "403");
    const stranger = extension(url, ["colour"], "not the token of it");
    await stranger.says(/state refused/);
    const desk = extension(url, ["colour"]);
    const ended = await ending([desk, stranger], await running.ended);
    assert.strictEqual(ended.code, 0, ended.stderr);
    assert.include(desk.stdout(), "called colour");
    assert.notInclude(stranger.stdout(), "registered");
  });

  it("goes on without knowing what became of a call whose extension vanishes in the middle", async () => {
    const place = await ExtensionPlace.make();
    const turns = [Place.call("vanish"), ...publish];
    const running = place.run(["vanish"], turns, [...bridge, "--wait-for", "extension/desk:vanish", "--json"]);
    const desk = extension(await addressOf(running), ["vanish"]);
    const ended = await running.ended;
    assert.strictEqual((await desk.ended).signal, "SIGKILL");
    assert.strictEqual(objectOf(ended)["status"], "completed", ended.stdout);
    const [failed] = await place.payloadsOf(String(objectOf(ended)["runId"]), "tool_call_failed");
    assert.strictEqual(failed?.["errorCode"], "tool.outcome_unknown");
    assert.lengthOf(desk.stdout().match(/called vanish/g) ?? [], 1);
    assert.strictEqual(place.messages().at(-1)?.mes, "A draft.");
  });

  it("waits for a person, and calls the tool from the process that brings the answer", async () => {
    const place = await ExtensionPlace.make();
    const options = ["--extensions", "--wait-for", "extension/desk:colour"];
    const running = place.run(["colour"], [colour, ...publish], options);
    const first = extension(await addressOf(running), ["colour"]);
    const ended = await ending([first], await running.ended);
    assert.strictEqual(ended.code, 5, ended.stderr);
    assert.notInclude(first.stdout(), "called");
    const [, runId = ""] =
      /runs approve --data \S+ --extensions --wait-for extension\/desk:colour (run_\S+) /.exec(ended.stdout) ?? [];
    const [asked] = await place.payloadsOf(runId, "tool_call_awaiting_approval");
    assert.strictEqual(asked?.["source"], "extension");
    const words = ["runs", "approve", runId, String(asked?.["callId"]), "--data", place.data, "--json"];
    const approved = place.start([...words, ...options]);
    const second = extension(await addressOf(approved), ["colour"]);
    const told = await ending([second], await approved.ended);
    assert.strictEqual(objectOf(told)["status"], "completed", told.stdout);
    assert.include(second.stdout(), "called colour");
  });

  it("tells the extension when it is stopped by Ctrl-C in the middle of a call", async () => {
    const place = await ExtensionPlace.make();
    const wait = ["--wait-for", "extension/desk:wait"];
    const running = place.run(["wait"], [Place.call("wait"), ...publish], [...bridge, ...wait]);
    const desk = extension(await addressOf(running), ["wait"]);
    await desk.says(/called wait/);
    running.child.kill("SIGINT");
    const ended = await running.ended;
    assert.strictEqual(ended.code, 130, ended.stderr);
    await desk.says(/aborted wait/);
    await leave(desk);
    assert.strictEqual(place.chatText(), Place.chatText);
  });

  it("is stopped by Ctrl-C while it waits, before it has begun", async () => {
    const place = await ExtensionPlace.make();
    const running = place.run(["wait"], publish, [...bridge, "--wait-for", "extension/desk:wait", "--json"]);
    await addressOf(running);
    running.child.kill("SIGINT");
    const ended = await running.ended;
    assert.deepStrictEqual([ended.code, objectOf(ended)["status"]], [130, "cancelled"]);
    assert.deepStrictEqual(objectOf(await place.on(["runs", "list", "--json"]))["runs"], []);
  });
});

describe.concurrent("options about extensions", () => {
  it.each([
    [["--wait-for", "extension/desk:colour"], /^--wait-for needs --extensions/],
    [["--extension-origin", "http://localhost"], /^--extension-origin needs --extensions/],
    [["--extensions", "65536"], /^--extensions takes a whole number from 0 to 65535/],
    [["--extensions", "--wait-for", "builtin:dice.roll"], /^--wait-for takes the id of a tool, such as extension/],
    [["--extensions", "--extension-origin", "null"], /^--extension-origin takes where a page is from/],
    [["--extensions", "--wait-seconds", "0"], /^--wait-seconds takes a whole number/],
  ])("%j is refused", async (more, sentence) => {
    const place = await ExtensionPlace.make();
    const ended = await place.run([], publish, [...more, "--json"]).ended;
    assert.strictEqual(ended.code, 4);
    const { code, message } = errorOf(ended) ?? assert.fail("no error");
    assert.strictEqual(code, "usage.invalid");
    assert.match(message, sentence);
  });

  it.each([
    ["runs resume", []],
    ["runs approve", ["call_0_0"]],
    ["runs deny", ["call_0_0"]],
    ["runs fork", ["3"]],
    ["runs revise", ["Shorter, please."]],
  ])("%s waits for tools as run does", async (command, more) => {
    const place = await ExtensionPlace.make();
    const wait = ["--extensions", "--wait-for", "extension/desk:colour", "--wait-seconds", "1"];
    const ended = await place.on([...command.split(" "), ...wait, `run_${"0".repeat(32)}`, ...more, "--json"]);
    assert.strictEqual(ended.code, 4, ended.stdout + ended.stderr);
    assert.strictEqual(errorOf(ended)?.code, "extension.tool_unavailable");
  });

  it("a token that could be guessed is refused, and is not repeated", async () => {
    const place = await ExtensionPlace.make();
    const ended = await place.run([], publish, ["--extensions"], { environment: { CAHIER_EXTENSION_TOKEN: "guess" } })
      .ended;
    assert.strictEqual(ended.code, 4);
    assert.include(ended.stderr, "CAHIER_EXTENSION_TOKEN must have 16 to 512 characters.");
    assert.notInclude(ended.stderr, "guess");
  });

  it("a port that is taken is told", async () => {
    const place = await ExtensionPlace.make();
    const first = place.run([], publish, ["--extensions", "--wait-for", "extension/desk:colour"], { environment });
    const { port } = new URL(await addressOf(first));
    const second = await place.run([], publish, ["--extensions", port]).ended;
    first.child.kill("SIGINT");
    await first.ended;
    assert.strictEqual(second.code, 4);
    assert.include(second.stderr, `--extensions cannot listen at port ${port} (EADDRINUSE).`);
  });
});
