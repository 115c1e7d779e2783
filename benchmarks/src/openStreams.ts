/**
 * What a thousand answers that are still coming hold in memory: ours through the whole gateway and its sockets, beside a
 * thousand bare `fetch` streams that are being read.
 *
 * Counted is what the engine and its buffers hold after collecting garbage, when every stream has given its first text.
 */
import { text as textMessage } from "@cahier/domain/model/Message";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import * as UndiciTransport from "@cahier/provider-gateway/transport/UndiciTransport";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setImmediate } from "node:timers/promises";
import * as v8 from "node:v8";
import * as vm from "node:vm";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { print, spreadOf } from "./measure/Table.ts";
import { requestOf, secrets } from "./runtime/GatewayBench.ts";

const streams = 1000;
const { measured, warmUps } = isShort ? { warmUps: 1, measured: 1 } : { warmUps: 1, measured: 5 };

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc") as () => void;

/** Sockets that were closed are let go of in later turns of the event loop. */
const held = async (): Promise<number> => {
  for (let turn = 0; turn < 20; turn += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one turn after the other.
    await setImmediate();
    collect();
  }
  const { arrayBuffers, external, heapUsed } = process.memoryUsage();
  return heapUsed + Math.max(external, arrayBuffers);
};

const child = fork(fileURLToPath(new URL("./model/SilentServer.ts", import.meta.url)), { execArgv: [] });
const port = await new Promise<number>((resolve, reject) => {
  child.once("message", (message) => resolve(Number(message)));
  child.once("exit", (code) => reject(new Error(`the server ended with code ${code}`)));
});
const baseUrl = `http://127.0.0.1:${port}/v1`;

/** Calls back when so many streams have said something. */
const countdown = () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let left = streams;
  return {
    promise,
    one: () => {
      left -= 1;
      if (left === 0) resolve(undefined);
    },
  };
};

const ofOurs = async (): Promise<number> => {
  const runtime = ManagedRuntime.make(
    Gateway.layer().pipe(Layer.provide(Layer.merge(UndiciTransport.layer(), secrets))),
  );
  const gateway = await runtime.runPromise(
    Effect.gen(function* () {
      return yield* ModelGateway;
    }),
  );
  const before = await held();
  const spoken = countdown();
  const fibers = Array.from({ length: streams }, (_, index) => {
    const request = requestOf(
      { format: "openai-chat", source: "custom", messages: [textMessage("user", "Go on.")] },
      `session-${index}`,
    );
    let isFirst = true;
    const bound = { ...request, binding: { ...request.binding, baseUrl } };
    return runtime.runFork(
      gateway.generate(bound, () => {
        if (isFirst) spoken.one();
        isFirst = false;
      }),
    );
  });
  await spoken.promise;
  const after = await held();
  await runtime.runPromise(Fiber.interruptAll(fibers));
  await runtime.dispose();
  return after - before;
};

const ofTheirs = async (): Promise<number> => {
  const before = await held();
  const spoken = countdown();
  const stop = new AbortController();
  const reading = Array.from({ length: streams }, async () => {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer key-of-the-benchmark" },
      body: JSON.stringify({ model: "bench", stream: true, messages: [{ role: "user", content: "Go on." }] }),
      signal: stop.signal,
    });
    const decoder = new TextDecoder();
    let said = "";
    if (response.body === null) throw new Error("the server answered without a body");
    for await (const bytes of response.body) {
      if (said === "") spoken.one();
      said += decoder.decode(bytes, { stream: true });
    }
  });
  await spoken.promise;
  const after = await held();
  stop.abort();
  await Promise.allSettled(reading);
  return after - before;
};

const pairs: Array<{ readonly ours: number; readonly theirs: number }> = [];
for (let repetition = 0; repetition < warmUps + measured; repetition += 1) {
  // oxlint-disable-next-line no-await-in-loop -- what is measured happens one after the other.
  const pair = { ours: await ofOurs(), theirs: await ofTheirs() };
  if (repetition >= warmUps) pairs.push(pair);
}
child.disconnect();
const ratios = pairs.map(({ ours, theirs }) => ours / theirs);
const each = (values: ReadonlyArray<number>): string => `${(median(values) / streams / 1024).toFixed(1)} KiB each`;
print(
  "Open streams: memory of answers that are still coming",
  "ours: the whole gateway over undici; beside: fetch, its body read piece by piece.",
  [
    {
      what: `${streams} streams`,
      ours: each(pairs.map(({ ours }) => ours)),
      theirs: each(pairs.map(({ theirs }) => theirs)),
      value: median(ratios),
      limit: 1.5,
      spread: spreadOf(ratios),
    },
  ],
);
