/**
 * The gateway alone, on a transport in this process that answers each request with a stream that was made before.
 */
import type { Message } from "@cahier/domain/model/Message";
import type { ModelRequest, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { SecretStore } from "@cahier/ports/SecretStore";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import { Transport } from "@cahier/provider-gateway/transport/Transport";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as Redacted from "effect/Redacted";
import type { StreamedFormat } from "../model/streams.ts";

export interface Asked {
  readonly format: StreamedFormat;
  readonly source: string;
  readonly messages: ReadonlyArray<Message>;
  readonly tools?: ReadonlyArray<ToolDefinition>;
}

export interface GatewayBench {
  /** Asks in a session of its own, which is forgotten afterwards. `inMidStream` is called before the last piece. */
  readonly ask: (asked: Asked, chunks: ReadonlyArray<Uint8Array>, inMidStream?: () => void) => Promise<ModelResponse>;
  /** Bytes of the last request body. */
  readonly sent: () => number;
  readonly close: () => Promise<void>;
}

/** Every secret has the same value. */
export const secrets = Layer.succeed(SecretStore, {
  resolve: () => Effect.succeed(Redacted.make("key-of-the-benchmark")),
  has: () => Effect.succeed(true),
  keys: Effect.succeed([]),
});

export const open = (): GatewayBench => {
  let answer: ReadonlyArray<Uint8Array> = [];
  let midStream: (() => void) | undefined;
  let sent = 0;
  let session = 0;
  const transport = Layer.succeed(Transport, {
    send: ({ body }, reader) =>
      Effect.sync(() => {
        sent = body.length;
        reader.head({ status: 200, headers: { "content-type": "text/event-stream" } });
        answer.forEach((chunk, index) => {
          if (index === answer.length - 1) midStream?.();
          reader.chunk(chunk);
        });
      }),
  });
  const runtime = ManagedRuntime.make(Gateway.layer().pipe(Layer.provide(Layer.merge(transport, secrets))));
  const ask = Effect.fnUntraced(function* (asked: Asked) {
    const gateway = yield* ModelGateway;
    session += 1;
    const request = requestOf(asked, `session-${session}`);
    const response = yield* gateway.generate(request, ignore);
    yield* gateway.closeSession(request.sessionId);
    return response;
  });
  return {
    ask: (asked, chunks, inMidStream) => {
      answer = chunks;
      midStream = inMidStream;
      return runtime.runPromise(ask(asked));
    },
    sent: () => sent,
    close: () => runtime.dispose(),
  };
};

export const requestOf = ({ format, messages, source, tools }: Asked, sessionId: string): ModelRequest => ({
  sessionId,
  binding: {
    source,
    format,
    modelId: "bench",
    baseUrl: "http://127.0.0.1:9/v1",
    secret: { key: "BENCH_KEY" },
  },
  messages,
  tools: tools ?? [],
  toolChoice: "auto",
  parameters: {},
  stream: true,
  position: 0,
  agent: { profileId: "bench", ordinal: 0, root: true },
});

const ignore = (): void => undefined;
