/**
 * A loopback server of the Responses API over WebSocket: it answers `response.create` frames and remembers its responses,
 * until it is told to forget them.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

/** A frame of the client. `socket` counts connections from 1. */
export interface Frame {
  readonly socket: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One output item for each answer in turn, or `hang`: the frame is taken and nothing comes. */
export type Step = Readonly<Record<string, unknown>> | "hang";

export interface ResponsesSocketServer {
  readonly url: string;
  readonly frames: ReadonlyArray<Frame>;
  /** The handshakes' headers, in their order. */
  readonly handshakes: ReadonlyArray<NodeJS.Dict<string | string[]>>;
  /** Resolves when the client is left hanging. */
  readonly hung: Promise<void>;
  /** No response is known any more. */
  readonly forget: () => void;
  readonly close: () => Promise<void>;
}

/** Starts a server that answers with these steps; a warm-up is answered by no step. */
export const make = async (steps: ReadonlyArray<Step>): Promise<ResponsesSocketServer> => {
  const left = [...steps];
  const frames: Array<Frame> = [];
  const handshakes: Array<NodeJS.Dict<string | string[]>> = [];
  const known = new Set<unknown>();
  const streams = new Set<Duplex>();
  const hung = Promise.withResolvers<void>();
  const server = createServer();

  const answer = (body: Frame["body"], send: (event: object) => void): void => {
    const previous = body["previous_response_id"];
    if (previous !== undefined && previous !== null && !known.has(previous)) {
      const error = { type: "invalid_request_error", code: "previous_response_not_found", message: "not found" };
      return send({ type: "error", status: 400, error });
    }
    const step = body["generate"] === false ? undefined : left.shift();
    if (step === "hang") return hung.resolve();
    const id = `resp_${known.size + 1}`;
    known.add(id);
    const response = { id, object: "response", model: "fake" };
    send({ type: "response.created", response: { ...response, status: "in_progress", output: [] } });
    send({
      type: "response.completed",
      response: { ...response, status: "completed", output: step === undefined ? [] : [step] },
    });
  };

  server.on("upgrade", (request, stream: Duplex) => {
    streams.add(stream);
    handshakes.push(request.headers);
    const socket = streams.size;
    const key = `${request.headers["sec-websocket-key"] ?? ""}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    stream.on("error", () => stream.destroy());
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    const pending = { bytes: Buffer.alloc(0) };
    stream.on("data", (bytes: Buffer) => {
      pending.bytes = Buffer.concat([pending.bytes, bytes]);
      for (let read = readFrame(pending.bytes); read !== undefined; read = readFrame(pending.bytes)) {
        pending.bytes = pending.bytes.subarray(read.end);
        if (read.opcode === 8) return void stream.end();
        if (read.opcode !== 1) continue;
        const body: Frame["body"] = JSON.parse(read.text);
        frames.push({ socket, body });
        answer(body, (event) => void stream.write(frameOf(JSON.stringify(event))));
      }
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    frames,
    handshakes,
    hung: hung.promise,
    forget: () => known.clear(),
    close: async () => {
      for (const stream of streams) stream.destroy();
      server.close();
      await once(server, "close");
    },
  };
};

/** A text of less than 64 KiB. */
const frameOf = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const head =
    bytes.length < 126
      ? Buffer.from([0x81, bytes.length])
      : Buffer.from([0x81, 126, bytes.length >> 8, bytes.length & 0xff]);
  return Buffer.concat([head, bytes]);
};

/** The first frame of what a client sent, whose texts are masked; undefined while it is not whole. */
const readFrame = (
  bytes: Buffer,
): { readonly opcode: number; readonly text: string; readonly end: number } | undefined => {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const at = { 126: 4, 127: 10 }[short] ?? 2;
  if (bytes.length < at) return undefined;
  const length = at === 2 ? short : at === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const end = at + 4 + length;
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(at, at + 4);
  const text = Buffer.from(bytes.subarray(at + 4, end).map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return { opcode: (bytes[0] ?? 0) & 0x0f, text: text.toString("utf8"), end };
};
