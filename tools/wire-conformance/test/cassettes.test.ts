import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { Transport, type TransportRequest } from "@cahier/provider-gateway/transport/Transport";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Cassette from "../src/Cassette.ts";
import * as cassettes from "../src/cassettes.ts";
import * as ReplayTransport from "../src/ReplayTransport.ts";
import * as routes from "../src/routes.ts";
import * as scenarios from "../src/scenarios.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const text: scenarios.Scenario = scenarios.all[0] ?? {
  name: "none",
  request: {},
  turns: [],
  outcome: { _tag: "left", text: "" },
};

describe("a cassette", () => {
  it.effect("keeps a planted key nowhere: not of the header, the URL, the body or an echo across chunks", () =>
    Effect.gen(function* () {
      const key = "planted/key+for=everybody";
      const planted: scenarios.Scenario = {
        ...text,
        request: {
          messages: [{ role: "user", parts: [{ type: "text", text: `Is ${key} a key?` }] }],
        },
      };
      const seen: Array<TransportRequest> = [];
      const echoing = Transport.of({
        send: (asked, reader) =>
          Effect.sync(() => {
            seen.push(asked);
            const echo = bytes(`{"error":{"message":"${key} and ${encodeURIComponent(key)} are not 🙂 keys"}}`);
            reader.head({
              status: 401,
              headers: { "content-type": "application/json", "x-echo": key, "set-cookie": key },
            });
            for (let at = 0; at < echo.length; at += 5) reader.chunk(echo.subarray(at, at + 5));
          }),
      });
      const route: routes.Route = {
        ...routes.openAiChat,
        binding: { ...routes.openAiChat.binding, baseUrl: `http://127.0.0.1:9/v1?key=${encodeURIComponent(key)}` },
      };
      const cassette = yield* cassettes.record(route, planted, "recorded", () => Effect.succeed(echoing), {
        OPENAI_API_KEY: key,
      });
      const kept = Cassette.encode(cassette);
      assert.include(seen[0]?.url.href, encodeURIComponent(key));
      assert.include(JSON.stringify(seen[0]?.headers), key);
      for (const spelled of [key, encodeURIComponent(key), "authorization", "cookie", "x-echo"]) {
        assert.notInclude(kept, spelled);
      }
      const body = cassette.streamed[0]?.response.chunks.map((chunk) =>
        new TextDecoder().decode(Cassette.bytesOf(chunk)),
      );
      assert.notInclude(body?.join(""), key);
      const echoed = Buffer.concat(cassette.streamed[0]?.response.chunks.map(Cassette.bytesOf) ?? []).toString("utf8");
      assert.strictEqual(echoed, '{"error":{"message":"[redacted] and [redacted] are not 🙂 keys"}}');
    }),
  );

  it.effect("is read as it was written, half characters included", () =>
    Effect.gen(function* () {
      const cassette = yield* cassettes.read(routes.openAiChat, text);
      assert.isTrue(
        cassette.streamed.some(({ response }) => response.chunks.some((chunk) => typeof chunk === "object")),
      );
      assert.deepStrictEqual(yield* Cassette.decode(Cassette.encode(cassette)), cassette);
    }),
  );

  it.effect("of another format, or with a field that nobody knows, is refused", () =>
    Effect.gen(function* () {
      const cassette = yield* cassettes.read(routes.openAiChat, text);
      const other = JSON.stringify({ ...cassette, format: "cahier.cassette/2" });
      const more = JSON.stringify({ ...cassette, key: "value" });
      for (const broken of [other, more, "{"]) {
        assert.strictEqual((yield* Effect.flip(Cassette.decode(broken)))._tag, "SchemaError");
      }
    }),
  );
});

describe("a replay", () => {
  it.effect("fails naming the first difference of a request", () =>
    Effect.gen(function* () {
      const { streamed } = yield* cassettes.read(routes.openAiChat, text);
      const recorded = streamed[0]?.request;
      const asked = (changes: Partial<TransportRequest>): TransportRequest => ({
        method: "POST",
        url: new URL(recorded?.endpoint ?? ""),
        headers: recorded?.headers ?? {},
        body: bytes(JSON.stringify(recorded?.body)),
        firstByteMs: 1000,
        idleMs: 1000,
        ...changes,
      });
      const body = { ...(recorded?.body as object), messages: [{ role: "system", content: "Be long." }] };
      const cases: ReadonlyArray<readonly [Partial<TransportRequest>, string]> = [
        [{ method: "GET" }, "the method is GET, recorded POST"],
        [
          { url: new URL("http://127.0.0.1:9/other") },
          "the endpoint is http://127.0.0.1:9/other, recorded https://api.openai.com/",
        ],
        [{ headers: { ...recorded?.headers, accept: "text/html" } }, "the header accept is text/html, recorded "],
        [{ body: bytes(JSON.stringify(body)) }, 'the body has "Be long." at /messages/0/content, recorded "Be brief."'],
      ];
      for (const [changes, detail] of cases) {
        const { transport } = ReplayTransport.make(streamed);
        const fault = yield* Effect.flip(
          transport.send(asked(changes), { head: () => undefined, chunk: () => "more" }),
        );
        assert.strictEqual(fault.kind, "request");
        assert.include(fault.detail, detail);
      }
      const replay = ReplayTransport.make([]);
      const fault = yield* Effect.flip(
        replay.transport.send(asked({}), { head: () => undefined, chunk: () => "more" }),
      );
      assert.strictEqual(fault.detail, "the cassette has no exchange 1");
    }),
  );
});

describe("the recorder", () => {
  it.live("sends nothing without the vendor's key, and says which it needs", () =>
    Effect.gen(function* () {
      const { code, errors } = yield* Effect.callback<{ code: unknown; errors: string }>((resume) => {
        execFile(
          process.execPath,
          [
            "--conditions=@cahier/source",
            resolve(import.meta.dirname, "../src/record.ts"),
            "--route",
            "openai-chat",
            "--scenario",
            "text",
          ],
          { env: { ...process.env, OPENAI_API_KEY: "" } },
          (error, _, stderr) => resume(Effect.succeed({ code: error?.code, errors: stderr })),
        );
      });
      assert.strictEqual(code, 2);
      assert.include(errors, "Set OPENAI_API_KEY to record openai-chat; nothing was sent.");
    }),
  );
});
