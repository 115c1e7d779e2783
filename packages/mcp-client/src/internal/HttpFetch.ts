/**
 * `fetch` over Node's HTTP client, under the rule of the addresses that may be connected to.
 *
 * Owns connections, the limit of responses, and the moment from which a request may have reached the server. Redirects
 * are not followed here: whoever follows one asks again, and the rule is asked again with it.
 */
import { lookup as resolveName } from "node:dns";
import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction, Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { FetchLike } from "@modelcontextprotocol/client";
import * as addresses from "./addresses.ts";
import * as Exchange from "./Exchange.ts";
import { limits } from "./limits.ts";

export interface HttpFetch {
  readonly fetch: FetchLike;
  /** Destroys all connections. */
  readonly close: () => void;
}

export const make = (network: addresses.Network): HttpFetch => {
  const options = { keepAlive: true, lookup: lookupUnder(network) };
  const refusals = new Map<string, string | undefined>();
  // One server has few names, and each of its requests asks about them.
  const refusalOf = (host: string) => {
    if (!refusals.has(host)) refusals.set(host, addresses.refusal(host, network));
    return refusals.get(host);
  };
  const agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };
  return {
    fetch: async (input, init) => {
      // What has arrived meanwhile is heard first, so that a kept connection which the server has closed is not used: the
      // loop is through with its sockets for certain only when it comes round a second time.
      await setImmediate();
      await setImmediate();
      return send(new URL(input), init ?? {}, refusalOf, agents);
    },
    close: () => {
      agents["http:"].destroy();
      agents["https:"].destroy();
    },
  };
};

/** What goes wrong below the protocol; its message is for the operator and repeats no header. */
class ConnectionFault extends Error {}

interface Agents {
  readonly "http:": http.Agent;
  readonly "https:": https.Agent;
}

type RefusalOf = (host: string) => string | undefined;

const send = (url: URL, init: RequestInit, refusalOf: RefusalOf, agents: Agents): Promise<Response> =>
  new Promise((resolve, reject) => {
    const exchange = Exchange.current();
    const fail = (reason: string) => {
      if (exchange !== undefined) exchange.trouble = reason;
      reject(new ConnectionFault(reason));
    };
    const refusal = refusalOf(url.hostname);
    if (refusal !== undefined) return fail(refusal);
    if (url.protocol !== "http:" && url.protocol !== "https:") return fail(`${url.protocol} is no protocol of the web`);
    const { signal } = init;
    if (signal?.aborted === true || exchange?.isAbandoned === true) return fail("nobody waits for the answer");

    const isSecure = url.protocol === "https:";
    const outgoing = (isSecure ? https : http).request(url, {
      method: init.method ?? "GET",
      headers: Object.fromEntries(init.headers instanceof Headers ? init.headers : new Headers(init.headers)),
      agent: agents[url.protocol],
    });
    const abort = () => outgoing.destroy(new ConnectionFault("nobody waits for the answer"));
    const forget = () => {
      signal?.removeEventListener("abort", abort);
      exchange?.abandoned.delete(abort);
    };
    signal?.addEventListener("abort", abort);
    exchange?.abandoned.add(abort);

    outgoing.on("socket", (socket: Socket) => {
      if (exchange === undefined) return;
      const leave = () => void (exchange.left = true);
      // What is written to a socket before it is connected stays here until it is.
      if (socket.connecting) socket.once(isSecure ? "secureConnect" : "connect", leave);
      else leave();
    });
    outgoing.on("error", (error) => fail(reasonOf(error)));
    outgoing.on("close", forget);
    outgoing.on("response", (incoming) => {
      try {
        resolve(responseOf(incoming, exchange));
      } catch {
        incoming.destroy();
        fail("the response has a head that is none of HTTP");
      }
    });
    outgoing.end(textOf(init.body));
  });

/** The library sends nothing but JSON and forms. */
const textOf = (body: RequestInit["body"]): string | undefined => {
  if (typeof body === "string") return body;
  return body instanceof URLSearchParams ? body.toString() : undefined;
};

const withoutBody = new Set([204, 205, 304]);

const responseOf = (incoming: http.IncomingMessage, exchange: Exchange.Exchange | undefined): Response => {
  const status = incoming.statusCode ?? 0;
  const headers = pairsOf(incoming.rawHeaders);
  const isStream = /^text\/event-stream\b/i.test(incoming.headers["content-type"] ?? "");
  if (exchange !== undefined) exchange.reply = isStream && status === 200 ? "stream" : "whole";
  if (withoutBody.has(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  return new Response(bodyOf(incoming, isStream, exchange), { status, headers });
};

const pairsOf = (raw: ReadonlyArray<string>): Array<[name: string, value: string]> =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as [string, string]] : []));

/** A response may be 4 MiB, a stream of events 4 MiB an event. */
const bodyOf = (
  incoming: http.IncomingMessage,
  isStream: boolean,
  exchange: Exchange.Exchange | undefined,
): ReadableStream<Uint8Array> => {
  const seen = { bytes: 0, isOver: false };
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      const end = (close: () => void) => {
        if (seen.isOver) return;
        seen.isOver = true;
        close();
      };
      const fail = (reason: string) =>
        end(() => {
          if (exchange !== undefined) exchange.trouble ??= reason;
          controller.error(new ConnectionFault(reason));
          incoming.destroy();
        });
      incoming.on("data", (chunk: Buffer) => {
        if (seen.isOver) return;
        seen.bytes = isStream && hasEventEnd(chunk) ? 0 : seen.bytes + chunk.length;
        if (seen.bytes > limits.responseBytes) return fail("the response is larger than 4 MiB");
        controller.enqueue(new Uint8Array(chunk));
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.on("end", () => end(() => controller.close()));
      incoming.on("error", (error) => fail(reasonOf(error)));
      incoming.on("close", () => fail("the connection ended within the response"));
    },
    pull: () => void incoming.resume(),
    cancel: () => {
      seen.isOver = true;
      incoming.destroy();
    },
  });
};

const hasEventEnd = (chunk: Buffer): boolean => chunk.includes("\n\n") || chunk.includes("\n\r\n");

/** Resolves a name to those of its addresses that may be connected to. */
const lookupUnder =
  (network: addresses.Network): LookupFunction =>
  (hostname, options, callback) =>
    resolveName(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const allowed = found.filter(({ address }) => addresses.refusal(address, network) === undefined);
      const [first] = allowed;
      if (first === undefined) {
        const reason = found
          .map(({ address }) => addresses.refusal(address, network))
          .find((text) => text !== undefined);
        return callback(
          new ConnectionFault(`the name ${hostname} leads nowhere that is allowed: ${reason ?? "no address"}`),
          [],
        );
      }
      if (options.all === true) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });

const reasonOf = (error: Error & { readonly code?: unknown }): string => {
  if (error instanceof ConnectionFault) return error.message;
  return typeof error.code === "string" ? `the connection failed (${error.code})` : "the connection failed";
};
