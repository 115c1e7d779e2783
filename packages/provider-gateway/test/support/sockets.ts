/** A transport of sockets that is played from a list, and a loopback server that speaks WebSocket. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type { SocketRefused } from "../../src/transport/SocketTransport.ts";
import {
  type Deadlines,
  type Socket,
  type SocketRequest,
  SocketTransport,
} from "../../src/transport/SocketTransport.ts";
import type { TransportFault } from "../../src/transport/Transport.ts";

/** What one frame is answered by; a fault comes after the events. */
export interface Answer {
  readonly events?: ReadonlyArray<object>;
  readonly fault?: TransportFault;
  /** The server closes the socket after the answer. */
  readonly closes?: boolean;
  /** Nothing more comes, ever. */
  readonly hangs?: boolean;
}

/** A whole answer with a text. */
export const says = (id: string, text: string): Answer => ({
  events: [
    { type: "response.created", response: { id, model: "tiny" } },
    { type: "response.output_text.delta", output_index: 0, delta: text },
    {
      type: "response.completed",
      response: { id, output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }] },
    },
  ],
});

/** A whole answer with one call. */
export const calls = (id: string, callId: string): Answer => {
  const item = { type: "function_call", call_id: callId, name: "read", arguments: "{}" };
  return { events: [{ type: "response.completed", response: { id, model: "tiny", output: [item] } }] };
};

export const warmed = (id = "warm"): Answer => ({
  events: [{ type: "response.completed", response: { id, output: [] } }],
});

export const errs = (code: string, status = 400): Answer => ({
  events: [{ type: "error", status, error: { type: "invalid_request_error", code, message: `told ${code}` } }],
});

export interface Frame {
  readonly socket: number;
  readonly deadlines: Deadlines;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Plays the answers to the frames in order, whichever socket they come on. */
export const played = (
  answers: ReadonlyArray<Answer>,
  refusals: ReadonlyArray<SocketRefused | TransportFault> = [],
) => {
  const frames: Array<Frame> = [];
  const opened: Array<SocketRequest> = [];
  const open = new Set<number>();
  const left = [...answers];
  const refusalsLeft = [...refusals];
  const socketOf = (number: number): Socket => ({
    isOpen: () => open.has(number),
    close: () => void open.delete(number),
    exchange: (text, onText, deadlines) =>
      Effect.suspend(() => {
        frames.push({ socket: number, deadlines, body: JSON.parse(text) as Frame["body"] });
        const answer = left.shift() ?? {};
        for (const event of answer.events ?? []) if (onText(JSON.stringify(event)) === "finished") break;
        if (answer.closes === true || answer.fault !== undefined) open.delete(number);
        if (answer.hangs === true)
          return Effect.onInterrupt(Effect.never, () => Effect.sync(() => open.delete(number)));
        return answer.fault === undefined ? Effect.void : Effect.fail(answer.fault);
      }),
  });
  const layer = Layer.succeed(SocketTransport)(
    SocketTransport.of({
      open: (request) =>
        Effect.suspend(() => {
          const refusal = refusalsLeft.shift();
          if (refusal !== undefined) return Effect.fail(refusal);
          opened.push(request);
          open.add(opened.length);
          return Effect.succeed(socketOf(opened.length));
        }),
    }),
  );
  return { frames, opened, open, layer };
};

/** One connection of a client to the server. */
export interface Peer {
  readonly request: IncomingMessage;
  readonly send: (text: string) => void;
  readonly close: () => void;
  readonly closed: Promise<void>;
}

/**
 * A server of WebSockets that knows text frames and nothing else; closed with the scope. Texts of the client go to
 * `onText`.
 */
export const server = (
  onText: (peer: Peer, text: string) => void,
  refuse?: (request: IncomingMessage) => string | undefined,
) =>
  Effect.gen(function* () {
    const peers: Array<Peer> = [];
    const streams = new Set<Duplex>();
    const http = createServer();
    http.on("upgrade", (request, stream: Duplex) => {
      streams.add(stream);
      stream.on("error", () => stream.destroy());
      stream.on("end", () => stream.end());
      const refusal = refuse?.(request);
      if (refusal !== undefined) return void stream.end(refusal);
      const accept = createHash("sha1")
        .update(`${request.headers["sec-websocket-key"] ?? ""}${guid}`)
        .digest("base64");
      stream.write(
        `HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
      );
      const peer: Peer = {
        request,
        send: (text) => void stream.write(frameOf(text)),
        close: () => void stream.end(Buffer.from([0x88, 2, 0x03, 0xe8])),
        closed: new Promise((resolve) => stream.once("close", resolve)),
      };
      peers.push(peer);
      let pending = Buffer.alloc(0);
      stream.on("data", (bytes: Buffer) => {
        pending = Buffer.concat([pending, bytes]);
        for (let read = readFrame(pending); read !== undefined; read = readFrame(pending)) {
          pending = pending.subarray(read.end);
          if (read.opcode === 1) onText(peer, read.text);
        }
      });
    });
    const port = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        http.listen(0, "127.0.0.1", () => resume(Effect.succeed((http.address() as AddressInfo).port)));
      }),
      () =>
        Effect.callback<void>((resume) => {
          http.close(() => resume(Effect.void));
          streams.forEach((stream) => stream.destroy());
        }),
    );
    return { url: `ws://127.0.0.1:${port}/`, http: `http://127.0.0.1:${port}/v1`, peers };
  });

const guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

const frameOf = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const head =
    bytes.length < 126
      ? Buffer.from([0x81, bytes.length])
      : Buffer.from([0x81, 126, bytes.length >> 8, bytes.length & 0xff]);
  return Buffer.concat([head, bytes]);
};

/** Clients mask their frames. */
const readFrame = (
  bytes: Buffer,
): { readonly opcode: number; readonly text: string; readonly end: number } | undefined => {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const at = short === 126 ? 4 : 2;
  if (bytes.length < at) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short;
  const end = at + 4 + length;
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(at, at + 4);
  const text = Buffer.from(bytes.subarray(at + 4, end).map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return { opcode: (bytes[0] ?? 0) & 0x0f, text: text.toString("utf8"), end };
};
