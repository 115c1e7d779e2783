/**
 * The program as a reader starts it, against a server of our own.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { assert, describe, it } from "@effect/vitest";

const folder = resolve(import.meta.dirname, "..");
const program = ["--conditions=@cahier/source", "--no-warnings", join(folder, "src/main.ts")];
const node = join(folder, "../../node_modules/.bin/node");

/** A model that says these pieces. */
const serve = async (pieces: ReadonlyArray<string>) => {
  const received: Array<{ readonly path: string; readonly key: string | undefined; readonly body: unknown }> = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ path: request.url ?? "", key: request.headers.authorization, body: JSON.parse(body) });
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const content of pieces)
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
      response.end(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
      );
      return undefined;
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, received, close: () => server.close() };
};

describe("the gateway without the runtime", () => {
  it("asks a model by its base URL and prints the text", async () => {
    const server = await serve(["It ", "rains ", "in Größe \u{1f30a}."]);
    try {
      const child = spawn(node, [...program, server.url, "tiny", "How is it?"], {
        env: { ...process.env, MODEL_KEY: "sk-of-the-test" },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [said, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
      assert.deepStrictEqual([code, said], [0, "It rains in Größe \u{1f30a}.\n"]);
      const [request] = server.received;
      assert.deepInclude(request, { path: "/v1/chat/completions", key: "Bearer sk-of-the-test" });
      assert.deepInclude(request?.body, { model: "tiny", messages: [{ role: "user", content: "How is it?" }] });
    } finally {
      server.close();
    }
  });

  it("says what is wrong where no server is, and ends with code 1", async () => {
    const child = spawn(node, [...program, "http://127.0.0.1:1/v1"], { stdio: ["ignore", "ignore", "pipe"] });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    assert.deepStrictEqual([code, said], [1, "no connection to the server (ECONNREFUSED)\n"]);
  });
});
