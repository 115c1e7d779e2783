/**
 * What a model server can do wrong: the run ends with its own code and a sentence of what to do, and the chat is left
 * exactly as it was.
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { onTestFinished } from "vitest";
import { cahier, ensureBundle, objectOf, start } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

const profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "impatient",
  displayName: "Impatient",
  run: { presentation: "foreground", modelRetry: { maxRetries: 1, intervalMs: 1 } },
  tools: {
    maxRounds: 10,
    allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
  },
};

const serve = async (listener: RequestListener): Promise<{ readonly url: string; readonly server: Server }> => {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, server };
};

const answer =
  (status: number, type: string, body: string, seen: Array<IncomingMessage> = []): RequestListener =>
  (request, response) => {
    seen.push(request);
    request.resume().on("end", () => response.writeHead(status, { "content-type": type }).end(body));
  };

const argsOf = (place: Place.Place): ReadonlyArray<string> => [
  "run",
  "--chat",
  place.chat,
  "--data",
  place.data,
  "--profile",
  place.write("profile.json", profile),
];

const environmentOf = (url: string) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: "sk-secret-of-the-user" });

/** Runs against a server, and shows what holds for every server that is wrong; gives the chat as it is then. */
const failing = async (url: string, code: string, says: RegExp): Promise<string> => {
  const place = await Place.make();
  const ended = await cahier([...argsOf(place), "--json"], { environment: environmentOf(url) });
  const { runId, status, error, committed } = objectOf(ended);
  const found = error as { readonly code: string; readonly message: string };
  assert.strictEqual(found.code, code, found.message);
  assert.match(found.message, says);
  assert.strictEqual(ended.code, 3);
  assert.deepStrictEqual([status, committed], ["failed", []]);
  const shown = objectOf(await cahier(["runs", "show", String(runId), "--data", place.data, "--json"]));
  assert.deepStrictEqual(shown["error"], { ...found, ...(shown["error"] as object) });
  const told = await cahier(["runs", "show", String(runId), "--data", place.data]);
  assert.include(told.stdout, `[${code}]`);
  assert.notInclude(JSON.stringify(ended) + told.stdout, "sk-secret-of-the-user");
  return place.chatText();
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("a model server that does not do its part", () => {
  it("refuses the key: the user is told to check it", async () => {
    const body = JSON.stringify({ error: { message: "Incorrect API key provided: sk-secret-of-the-user." } });
    const seen: Array<IncomingMessage> = [];
    const { url } = await serve(answer(401, "application/json", body, seen));
    assert.strictEqual(await failing(url, "agent.unauthorized", /refused the key\. Check it/), Place.chatText);
    assert.lengthOf(seen, 1);
  });

  it("is not there: the user is told to check that it runs", async () => {
    const { url, server } = await serve(answer(200, "text/plain", ""));
    server.close();
    assert.strictEqual(
      await failing(url, "network.connect_failed", /cannot be reached\. Check that it runs/),
      Place.chatText,
    );
  });

  it("has a name that nobody knows: the user is told to check the base URL", async () => {
    assert.strictEqual(
      await failing("http://no-such-host.invalid/v1", "network.dns_failed", /cannot be resolved\. Check the base URL/),
      Place.chatText,
    );
  });

  it("answers HTML with status 200: the user is told to check the base URL", async () => {
    const { url } = await serve(answer(200, "text/html", "<!doctype html><title>Welcome</title><p>It works!"));
    assert.strictEqual(
      await failing(url, "model.upstream_invalid_response", /Check that the base URL is that of a model API/),
      Place.chatText,
    );
  });

  it("answers HTML with status 404: the request is refused, and the page is not poured out", async () => {
    const page = `<!doctype html><title>Not Found</title>${"<p>filler</p>\n".repeat(500)}`;
    const { url } = await serve(answer(404, "text/html", page));
    assert.strictEqual(
      await failing(url, "agent.validation_error", /refused the request with status 404\..{0,800}$/),
      Place.chatText,
    );
  });

  it("fails for a while: the run tries as often as its profile says, then ends", async () => {
    const seen: Array<IncomingMessage> = [];
    const { url } = await serve(answer(503, "application/json", '{"error":{"message":"overloaded"}}', seen));
    assert.strictEqual(await failing(url, "agent.transient", /status 503\. Try again later/), Place.chatText);
    assert.lengthOf(seen, 2);
  });

  it("commands the terminal: what it says is printed and not obeyed", async () => {
    const { url } = await serve(answer(400, "text/plain", "bad\u001b[2J\u001b]0;owned\u0007 request\u202e"));
    const place = await Place.make();
    const ended = await cahier(argsOf(place), { environment: environmentOf(url) });
    assert.strictEqual(ended.code, 3);
    assert.notMatch((ended.stdout + ended.stderr).replaceAll("\n", ""), /\p{Cc}|\u202e/u);
    assert.match(ended.stderr, /bad.*owned.*request/);
  });

  it("hangs: a stop signal cancels the run at once, and the server sees the connection close", async () => {
    const asked = Promise.withResolvers<IncomingMessage>();
    const { url } = await serve((request) => asked.resolve(request));
    const place = await Place.make();
    const before = readFileSync(place.chat);
    const running = start([...argsOf(place), "--json"], { environment: environmentOf(url) });
    const request = await asked.promise;
    const closed = once(request.socket, "close");
    const stopped = performance.now();
    running.child.kill("SIGINT");
    const ended = await running.ended;
    await closed;
    assert.isBelow(performance.now() - stopped, 5000);
    assert.strictEqual(ended.code, 130);
    assert.strictEqual(objectOf(ended)["status"], "cancelled");
    assert.deepStrictEqual(readFileSync(place.chat), before);
  });
});
