/**
 * A server of the Responses protocol over WebSockets on loopback: a stub that plays one tool call and one answer.
 *
 * Owns what it saw: handshakes and frames, in order. Judges nothing.
 */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import * as Effect from "effect/Effect";
import { WebSocketServer } from "ws";
import type { Turn } from "./Turn.ts";
import { frames } from "./written/openAiResponses.ts";

/** A frame of a client. */
export interface Frame {
  readonly generate?: boolean;
  readonly previous_response_id?: string;
  readonly input?: ReadonlyArray<{ readonly type?: string; readonly role?: string }>;
  readonly tools?: ReadonlyArray<{ readonly type?: string; readonly name?: string }>;
  readonly [member: string]: unknown;
}

export interface Seen {
  readonly handshakes: ReadonlyArray<{ readonly path: string; readonly headers: IncomingHttpHeaders }>;
  readonly frames: ReadonlyArray<Frame>;
  /** Requests that came without an upgrade. */
  readonly plain: ReadonlyArray<string>;
}

/**
 * Starts the server; it is closed with the scope. A warm-up is answered with a response without output; a frame that
 * brings the output of a call with `Done.`; any other with a call that `callOf` makes of the frame.
 */
export const make = (callOf: (frame: Frame) => Turn) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly seen: Seen; readonly close: Effect.Effect<void> }>((resume) => {
      const handshakes: Array<Seen["handshakes"][number]> = [];
      const received: Array<Frame> = [];
      const plain: Array<string> = [];
      const server = createServer((asked, response) => {
        plain.push(`${asked.method} ${asked.url}`);
        asked.resume();
        response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"not here"}}');
      });
      const sockets = new WebSocketServer({ server });
      sockets.on("connection", (socket, { headers, url = "" }) => {
        handshakes.push({ path: url, headers });
        socket.on("message", (message: Buffer) => {
          const frame = JSON.parse(message.toString("utf8")) as Frame;
          received.push(frame);
          for (const event of frames(turnOf(frame, callOf), `resp_${received.length}`))
            socket.send(JSON.stringify(event));
        });
      });
      const close = Effect.callback<void>((done) => {
        for (const socket of sockets.clients) socket.terminate();
        sockets.close(() => server.close(() => done(Effect.void)));
        server.closeAllConnections();
      });
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo;
        resume(
          Effect.succeed({ url: `http://127.0.0.1:${port}/v1`, seen: { handshakes, frames: received, plain }, close }),
        );
      });
    }),
    ({ close }) => close,
  );

const turnOf = (frame: Frame, callOf: (frame: Frame) => Turn): Turn => {
  if (frame.generate === false) return {};
  const hasOutput = frame.input?.some(({ type }) => type === "function_call_output") ?? false;
  return hasOutput ? { text: "Done." } : callOf(frame);
};
