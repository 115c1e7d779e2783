import { existsSync } from "node:fs";
import { assert, describe, it } from "@effect/vitest";
import * as MemoryExtensionTools from "@cahier/testkit/doubles/MemoryExtensionTools";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { chromium } from "playwright-core";
import { bundleClient } from "../support/bundle.ts";
import * as RawPeer from "../support/RawPeer.ts";
import * as WebSocketHost from "../support/WebSocketHost.ts";

const places = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const executable = places.find((place) => place !== undefined && existsSync(place));

const isAsked = process.env["CAHIER_BROWSER"] === "1";

const reason = isAsked
  ? executable === undefined
    ? " (skipped: no Chromium is installed; CHROMIUM names one that is elsewhere)"
    : ""
  : " (skipped: a browser is slow; npm run test:browser starts it)";

/** The page registers one tool and says so in its title; a call of `wait` never ends. */
const page = `<!doctype html>
<title>loading</title>
<script type="module">
  import { connect } from "/client.js";
  const client = connect({ url: "ws://" + location.host, token: ${JSON.stringify(RawPeer.token)} });
  const run = (given, { toolId, target, signal }) => {
    document.title = "called";
    if (given.text !== "wait") return { said: given.text, toolId, target, at: location.pathname, isAborted: signal.aborted };
    return new Promise(() => undefined);
  };
  await client.register(${JSON.stringify(RawPeer.form)}, run);
  document.title = "ready";
</script>`;

const browserPage = Effect.gen(function* () {
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launch({
        ...(executable === undefined ? {} : { executablePath: executable }),
        args: ["--no-sandbox", "--disable-gpu"],
      }),
    ),
    (opened) => Effect.promise(() => opened.close()),
  );
  return yield* Effect.promise(() => browser.newPage());
});

describe("A page in Chromium", () => {
  it.live.skipIf(reason !== "")(
    `registers a tool, is called and answers; reloads in the middle of a call, which is lost, and is called again${reason}`,
    () =>
      Effect.gen(function* () {
        const tools = MemoryExtensionTools.make();
        const { text } = yield* Effect.promise(bundleClient);
        const { port } = yield* WebSocketHost.make(tools, { "/": page, "/client.js": text });
        const tab = yield* browserPage;
        const is = (title: string) =>
          Effect.promise(() => tab.waitForFunction(`document.title === ${JSON.stringify(title)}`));

        yield* Effect.promise(() => tab.goto(`http://127.0.0.1:${port}/`));
        yield* is("ready");
        const first = yield* RawPeer.call(tools, { text: "语言" });
        assert.deepStrictEqual(first, {
          _tag: "Answered",
          content: JSON.stringify({ said: "语言", toolId: RawPeer.toolId, target: "chat", at: "/", isAborted: false }),
        });

        yield* Effect.promise(() => tab.reload());
        yield* is("ready");
        const waiting = yield* Effect.forkChild(RawPeer.call(tools, { text: "wait" }));
        yield* is("called");
        yield* Effect.promise(() => tab.reload());
        assert.strictEqual((yield* Fiber.join(waiting))._tag, "Unknown");

        yield* is("ready");
        const again = yield* RawPeer.call(tools, { text: "again" });
        assert.include(again._tag === "Answered" ? again.content : again._tag, '"said":"again"');

        yield* Effect.promise(() => tab.close());
        yield* Effect.repeat(Effect.andThen(Effect.yieldNow, tools.list), { until: (listed) => listed.length === 0 });
        assert.strictEqual((yield* RawPeer.call(tools))._tag, "NotSent");
      }),
    60_000,
  );
});
