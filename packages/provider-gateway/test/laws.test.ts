import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import * as ModelGatewayLaws from "@cahier/testkit/laws/ModelGatewayLaws";
import * as ModelGatewayMutants from "@cahier/testkit/mutants/ModelGatewayMutants";
import * as Laws from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as Gateway from "../src/Gateway.ts";
import * as HttpClientTransport from "../src/transport/HttpClientTransport.ts";
import { source as custom } from "../src/providers/Custom.ts";
import type { Transport } from "../src/transport/Transport.ts";
import * as UndiciTransport from "../src/transport/UndiciTransport.ts";
import { protocolOf } from "./support/decode.ts";
import * as gateways from "./support/gateways.ts";
import { request } from "./support/requests.ts";
import * as turns from "./support/turns.ts";

type Harness = ModelGatewayLaws.ModelGatewayHarness;
type Play = Harness["play"];

const secret = "sk-law-0123456789";

/** A gateway in the scope of the law. It speaks one format, so that there are others that it does not speak. */
const open = (transport: Layer.Layer<Transport>, format: ModelFormat): Harness["open"] =>
  Effect.flatMap(Layer.build(Layer.mergeAll(gateways.secrets({ KEY: secret }), transport)), (context) =>
    Effect.provideContext(Gateway.make({ sources: [{ ...custom, protocols: [protocolOf(format)] }] }), context),
  );

/** Each request in a session of its own. */
const sessions = () => {
  let next = 0;
  return (changes: Partial<ModelRequest>): ModelRequest =>
    request({ sessionId: `run_${(next += 1)}:inv_root`, ...changes });
};

const overHttp = (transport: Layer.Layer<Transport>, format: ModelFormat = "openai-chat") =>
  Effect.gen(function* () {
    const server = yield* turns.server(format);
    const asking = sessions();
    const play: Play = (turn, options) =>
      Effect.sync(() =>
        asking({
          stream: options?.stream ?? true,
          binding: {
            source: "custom",
            format,
            modelId: "tiny",
            baseUrl: server.add(turn),
            secret: { key: "KEY" },
          },
        }),
      );
    return { open: open(transport, format), play, reason: play, secret, openRequests: server.open };
  });

const scripted = Effect.sync(() => {
  const asking = sessions();
  const bound = (script: ReadonlyArray<unknown>): ModelRequest["binding"] => ({
    source: "scripted",
    format: "scripted",
    modelId: "script",
    script: JSON.stringify({ format: "cahier.script/1", turns: script }),
  });
  // Without a delay a script plays in one step, and calls at the same time never meet.
  const play: Play = (turn, options) =>
    Effect.sync(() => asking({ stream: options?.stream ?? true, binding: bound([{ ...turn, delayMs: 1 }]) }));
  return {
    open: open(gateways.noTransport, "openai-chat"),
    play,
    reason: play,
    secret,
    exhausted: Effect.sync(() => ({ request: asking({ binding: bound([{}]), position: 1 }), position: 1 })),
  };
});

const noConnection = { openRequests: "a scripted model has no connection" };
const noScript = { exhausted: "only a scripted model has a last turn" };

Laws.verify("openai-chat over undici", ModelGatewayLaws.laws, overHttp(UndiciTransport.layer()), noScript);
Laws.verify(
  "openai-chat over an HttpClient",
  ModelGatewayLaws.laws,
  overHttp(HttpClientTransport.layer.pipe(Layer.provide(FetchHttpClient.layer))),
  noScript,
);
for (const format of [
  "openai-responses",
  "anthropic-messages",
  "gemini-generate-content",
  "gemini-interactions",
] as const) {
  Laws.verify(`${format} over undici`, ModelGatewayLaws.laws, overHttp(UndiciTransport.layer(), format), noScript);
}
Laws.verify("a scripted model", ModelGatewayLaws.laws, scripted, noConnection);

Laws.verifyMutants(
  "openai-chat over undici",
  ModelGatewayLaws.laws,
  ModelGatewayMutants.mutants,
  overHttp(UndiciTransport.layer()),
  noScript,
);
Laws.verifyMutants("a scripted model", ModelGatewayLaws.laws, ModelGatewayMutants.mutants, scripted, noConnection);
