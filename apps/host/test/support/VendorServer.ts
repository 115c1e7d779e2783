/**
 * A loopback server that speaks for every vendor: it plays bodies in the order in which they are given and keeps the bytes
 * that it is sent.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What the server was sent, exactly as it came. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the server answers with. Without a status it is 200, and a body that begins with an event is a stream. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server that is up. `received` grows with every request. */
export interface VendorServer {
  readonly url: string;
  readonly received: ReadonlyArray<Received>;
  readonly close: () => Promise<void>;
}

/** Starts a server; `answer` gets each request and how many came before it. */
export const make = async (answer: (received: Received, before: number) => Answer): Promise<VendorServer> => {
  const received: Array<Received> = [];
  const server: Server = createServer((request, response) => {
    void receive(request).then((one) => {
      const { body, headers, status } = answer(one, received.push(one) - 1);
      const type = /^(?:event|data):/.test(body) ? "text/event-stream" : "application/json";
      response.writeHead(status ?? 200, { "content-type": type, ...headers }).end(body);
      return undefined;
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

const receive = async (request: IncomingMessage): Promise<Received> => ({
  path: request.url ?? "",
  headers: request.headers,
  body: await text(request),
});
