/**
 * A page in a browser whose tool a run of the program calls: over the bridge, from another origin of this machine.
 */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import * as ExtensionClient from "@cahier/host-api/extension/ExtensionClient";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { ensureBundle, objectOf } from "../support/Cahier.ts";
import * as ExtensionPlace from "../support/ExtensionPlace.ts";
import * as Place from "../support/Place.ts";

const places = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const executable = places.find((place) => place !== undefined && existsSync(place));

const isAsked = process.env["CAHIER_BROWSER"] === "1";

const reason = isAsked
  ? executable === undefined
    ? " (skipped: no Chromium is installed; CHROMIUM names one that is elsewhere)"
    : ""
  : " (skipped: a browser is slow; npm run test:browser starts it)";

const form = (name: string) => ({
  extensionId: "desk",
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  contexts: ["chat" as const],
});

/** The page registers one tool and says so in its title; a call of `wait` never ends. Each call is told to the page's own server. */
const page = (url: string): string => `<!doctype html>
<meta charset="utf-8">
<title>loading</title>
<script type="module">
  import { connect } from "/client.js";
  const client = connect({ url: ${JSON.stringify(url)}, token: ${JSON.stringify(ExtensionPlace.token)} });
  const run = async ({ text }) => {
    await fetch("/called", { method: "POST", body: text });
    document.title = "called " + text;
    return text === "wait" ? new Promise(() => undefined) : { read: text, from: location.pathname };
  };
  await client.register(${JSON.stringify(form("look"))}, run);
  document.title = "ready";
</script>`;

const clientText = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(import.meta.resolve("@cahier/host-api/extension/ExtensionClient"))],
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["@cahier/source"],
    write: false,
    logLevel: "silent",
  });
  return outputFiles.map(({ text }) => text).join("\n");
};

/** Serves the page, and keeps what its tool was called with. */
const servePage = async (url: string) => {
  const called: Array<string> = [];
  const script = await clientText();
  const server = createServer((request, response) => {
    if (request.url === "/called") {
      request.setEncoding("utf8").on("data", (text: string) => called.push(text));
      return void request.on("end", () => response.end());
    }
    const isScript = request.url === "/client.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    return void response.end(isScript ? script : page(url));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, called, close };
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("a page in Chromium", () => {
  it.skipIf(reason !== "")(
    `is called by a run and answers; reloads in the middle of a call, of which the run is told that nobody knows; and is called again by the same run${reason}`,
    async () => {
      const place = await ExtensionPlace.make();
      const look = (text: string) => Place.call("look", { text });
      const turns = [look("语言"), look("wait"), Place.call("gate"), look("again"), Place.draft("A draft.")];
      const waits = ["look", "gate"].flatMap((name) => ["--wait-for", `extension/desk:${name}`]);
      const running = place.run(
        ["look", "gate"],
        [...turns, Place.commit(), Place.finish()],
        ["--extensions", "--approve", "extension/desk:*", ...waits, "--json"],
      );
      const url = await ExtensionPlace.addressOf(running);
      const server = await servePage(url);
      const browser = await chromium.launch({
        ...(executable === undefined ? {} : { executablePath: executable }),
        args: ["--no-sandbox", "--disable-gpu"],
      });
      const other = ExtensionClient.connect({ url, token: ExtensionPlace.token });
      try {
        const tab = await browser.newPage();
        const is = (title: string) => tab.waitForFunction(`document.title === ${JSON.stringify(title)}`);
        await tab.goto(server.address);
        await is("ready");
        // The run goes on from here when the page that was loaded anew has its tool again.
        await other.register(form("gate"), async () => {
          await is("ready");
          return "It is there.";
        });
        await is("called wait");
        await tab.reload();
        const ended = await running.ended;
        assert.strictEqual(ended.code, 0, ended.stdout + ended.stderr);
        const runId = String(objectOf(ended)["runId"]);
        const [first, lost, gate, last] = await place.payloadsOf(runId, "tool_result_stored");
        assert.include(JSON.stringify(first), String.raw`{\"read\":\"语言\"`);
        assert.include(JSON.stringify(lost), "it is not known whether the call took effect");
        assert.include(JSON.stringify(gate), "It is there.");
        assert.include(JSON.stringify(last), String.raw`{\"read\":\"again\"`);
        const failed = await place.payloadsOf(runId, "tool_call_failed");
        assert.deepStrictEqual(
          failed.map(({ errorCode }) => errorCode),
          ["tool.outcome_unknown"],
        );
        assert.deepStrictEqual(server.called, ["语言", "wait", "again"], "nothing is called twice");
        assert.strictEqual(place.messages().at(-1)?.mes, "A draft.");
      } finally {
        other.close();
        await browser.close();
        server.close();
        running.child.kill("SIGKILL");
      }
    },
    120_000,
  );
});
