import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { hostname } from "node:os";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as addresses from "../src/internal/addresses.ts";
import * as HttpClientTransport from "../src/transport/HttpClientTransport.ts";
import { lookupUnder } from "../src/transport/internal/UndiciPool.ts";
import { Transport } from "../src/transport/Transport.ts";
import * as gateways from "./support/gateways.ts";
import { chunk, request, sseBody } from "./support/requests.ts";
import * as servers from "./support/servers.ts";

const ownName = await lookup(hostname()).then(
  ({ address }) => (address === "127.0.0.1" ? hostname() : undefined),
  () => undefined,
);

const hostOf = (url: string): string => new URL(url).hostname;

describe("an address", () => {
  it("is known in every spelling that a URL takes", () => {
    for (const url of [
      "http://2852039166/",
      "http://0xa9fea9fe/",
      "http://0251.0376.0251.0376/",
      "http://169.254.43518/",
    ]) {
      assert.match(addresses.refusal(hostOf(url), "private") ?? "", /a link-local address/, url);
    }
    assert.match(addresses.refusal(hostOf("http://[0:0:0:0:0:ffff:a9fe:a9fe]/"), "private") ?? "", /link-local/);
    assert.match(addresses.refusal(hostOf("http://127.1/"), "public") ?? "", /a loopback address \(127\.0\.0\.1\)/);
    assert.isUndefined(addresses.refusal(hostOf("http://127.1/"), "private"));
  });

  it("of this machine or a private network is meant where the URL writes it out, and only then", () => {
    assert.strictEqual(addresses.ruleOf("localhost", undefined), "private");
    assert.strictEqual(addresses.ruleOf("127.0.0.1", undefined), "private");
    assert.strictEqual(addresses.ruleOf("[fd12::1]", undefined), "private");
    assert.strictEqual(addresses.ruleOf("models.test", undefined), "public");
    assert.strictEqual(addresses.ruleOf("8.8.8.8", undefined), "public");
    assert.strictEqual(addresses.ruleOf("models.test", "private"), "private");
  });
});

describe("a name", () => {
  const resolving = (rule: addresses.Rule, found: ReadonlyArray<LookupAddress>, all = true) => {
    const seen: { error: Error | null; found: unknown } = { error: null, found: undefined };
    const resolve = lookupUnder(rule, (_hostname, _options, callback) => callback(null, found));
    resolve("models.test", { all }, (error, answer) => Object.assign(seen, { error, found: answer }));
    return seen;
  };
  const at = (address: string): LookupAddress => ({ address, family: address.includes(":") ? 6 : 4 });

  it("that leads to a private address is refused when the connection is made, unless the network is private", () => {
    const refused = resolving("public", [at("10.0.0.1")]);
    assert.instanceOf(refused.error, addresses.RefusedAddress);
    assert.strictEqual(
      refused.error?.message,
      "the name models.test leads to a private address (10.0.0.1): write the address itself into the base URL, or mark the connection as one to a private network",
    );
    assert.deepStrictEqual(resolving("private", [at("10.0.0.1")]), { error: null, found: [at("10.0.0.1")] });
    assert.deepStrictEqual(resolving("private", [at("10.0.0.1")], false), { error: null, found: "10.0.0.1" });
  });

  it("that leads to a link-local address is refused in any network", () => {
    for (const rule of ["public", "private"] as const) {
      assert.strictEqual(
        resolving(rule, [at("169.254.169.254")]).error?.message,
        "the name models.test leads to a link-local address (169.254.169.254): no model is called there; name another server",
      );
      assert.instanceOf(resolving(rule, [at("fd00:ec2::254")]).error, addresses.RefusedAddress);
    }
  });

  it("is called at those of its addresses that may be", () => {
    const both = [at("fe80::1"), at("192.0.1.1")];
    assert.deepStrictEqual(resolving("public", both), { error: null, found: [at("192.0.1.1")] });
  });
});

describe("a call to an address", () => {
  const good = sseBody(chunk({ content: "Hello" }, "stop"), "[DONE]");
  const ask = (
    baseUrl: string,
    transport?: "websocket",
    network: { readonly network?: "private" } = { network: "private" },
  ) =>
    ModelGateway.use((gateway) =>
      gateway.generate(
        request({
          binding: {
            source: "custom",
            format: transport === undefined ? "openai-chat" : "openai-responses",
            modelId: "tiny",
            baseUrl,
            ...(transport === undefined ? {} : { transport }),
            ...network,
          },
        }),
        () => undefined,
      ),
    );

  for (const transport of [undefined, "websocket"] as const) {
    it.live(`that is never called is a fault of the endpoint over ${transport ?? "http"}, whatever the network`, () =>
      Effect.gen(function* () {
        for (const host of ["169.254.169.254", "[fe80::1]", "100.100.100.200", "[fd00:ec2::254]"]) {
          const fault = yield* Effect.flip(ask(`http://${host}/v1`, transport));
          assert.deepStrictEqual(fault.reason, { _tag: "NotConfigured", what: "endpoint" });
          assert.include(fault.detail, "no model is called there");
        }
      }).pipe(Effect.provide(gateways.layer())),
    );
  }

  it.live("of this machine goes through by its number and as localhost", () =>
    Effect.gen(function* () {
      const { url } = yield* servers.http((response) => response.end(good));
      for (const base of [url, url.replace("127.0.0.1", "localhost")]) {
        assert.strictEqual((yield* ask(`${base}/v1`)).finish, "stop");
      }
    }).pipe(Effect.provide(gateways.layer())),
  );

  // Needs a name, other than localhost, that this machine resolves to itself.
  it.live.skipIf(ownName === undefined)(
    "by a name is refused unless the network is private, for each connection anew",
    () =>
      Effect.gen(function* () {
        const { url } = yield* servers.http((response) => response.end(good));
        const base = url.replace("127.0.0.1", ownName ?? "");
        for (const transport of [undefined, "websocket"] as const) {
          assert.strictEqual((yield* ask(base)).finish, "stop");
          const fault = yield* Effect.flip(ask(base, transport, {}));
          assert.deepStrictEqual(fault.reason, { _tag: "NotConfigured", what: "endpoint" });
          assert.include(fault.detail, "leads to a loopback address");
        }
      }).pipe(Effect.provide(gateways.layer())),
  );

  it.live("is refused by the portable transport too, where the URL writes it out", () =>
    Effect.gen(function* () {
      const transport = yield* Transport;
      const outgoing = {
        method: "POST",
        url: new URL("http://169.254.169.254/"),
        headers: {},
        body: new Uint8Array(),
        firstByteMs: 1000,
        idleMs: 1000,
      } as const;
      const reader = { head: () => undefined, chunk: () => "more" as const };
      assert.strictEqual((yield* Effect.flip(transport.send(outgoing, reader))).kind, "address");
    }).pipe(Effect.provide(HttpClientTransport.layer.pipe(Layer.provide(FetchHttpClient.layer)))),
  );
});
