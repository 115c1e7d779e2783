/**
 * The outside of the processes that are killed: a loopback server in the process of the sweep that counts what is done.
 *
 * Owns counting by run. It answers after it has counted, so an effect is there whether or not anybody sees its answer.
 */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Applied } from "@cahier/testkit/crash/Ending";
import type { ModelCall } from "./SweepStory.ts";

/**
 * One thing that a process asked for. A call of a model is counted and is no effect. `epoch` says under which owner: what an
 * owner asks for is refused once a later one has asked about it.
 */
export type Asked =
  | { readonly run: string; readonly effect: Applied; readonly epoch: number }
  | { readonly run: string; readonly modelCall: ModelCall };

/** Counts of one trial, by run. */
export interface Counted {
  readonly effects: ReadonlyMap<string, ReadonlyArray<Applied>>;
  readonly modelCalls: ReadonlyMap<string, ReadonlyArray<ModelCall>>;
}

export interface OutsideCounter {
  /** Where the processes of a trial ask. */
  readonly urlOf: (trial: string) => string;
  readonly counted: (trial: string) => Counted;
  readonly forget: (trial: string) => void;
  readonly close: () => void;
}

/** Starts the server. */
export const start = async (): Promise<OutsideCounter> => {
  const trials = new Map<string, { effects: Map<string, Array<Applied>>; modelCalls: Map<string, Array<ModelCall>> }>();
  const of = (trial: string) => {
    const known = trials.get(trial) ?? { effects: new Map(), modelCalls: new Map() };
    trials.set(trial, known);
    return known;
  };
  const count = (trial: string, asked: Asked): void => {
    const { effects, modelCalls } = of(trial);
    if ("modelCall" in asked) modelCalls.set(asked.run, [...(modelCalls.get(asked.run) ?? []), asked.modelCall]);
    else effects.set(asked.run, [...(effects.get(asked.run) ?? []), asked.effect]);
  };
  /** The latest owner that asked whether an effect was done, by run and name. */
  const latest = new Map<string, number>();
  const isFenced = (asked: Asked): boolean =>
    "effect" in asked && asked.epoch < (latest.get(`${asked.run} ${asked.effect.name}`) ?? 0);
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const trial = url.pathname.slice(1);
    if (request.method === "GET") {
      const { epoch, name, run } = Object.fromEntries(url.searchParams);
      latest.set(`${run} ${name}`, Math.max(Number(epoch), latest.get(`${run} ${name}`) ?? 0));
      const found = of(trial).effects.get(run ?? "") ?? [];
      response.end(JSON.stringify(found.some((effect: Applied) => effect.name === name)));
      return;
    }
    const chunks: Array<string> = [];
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => chunks.push(chunk));
    // A request that was cut by a kill never ends, and asks for nothing.
    request.on("end", () => {
      const asked = JSON.parse(chunks.join("")) as Asked;
      const refused = isFenced(asked);
      if (!refused) count(trial, asked);
      response.end(String(!refused));
    });
  });
  // Workers are killed while they wait: their connections are reset, which concerns nobody here.
  server.on("clientError", (_, socket) => socket.destroy());
  // A busy machine lets connections lie for longer than a server keeps them by default.
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (trial) => `http://127.0.0.1:${port}/${trial}`,
    counted: of,
    forget: (trial) => void trials.delete(trial),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
