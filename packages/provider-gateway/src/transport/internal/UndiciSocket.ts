/**
 * WebSockets by undici.
 *
 * Owns the handshake, its deadline, the deadlines of exchanges, pings, and closing at once: undici alone would wait for
 * the server's goodbye. Does not own the connections' addresses, which the pool checks.
 */
import type { Duplex } from "node:stream";
import * as Effect from "effect/Effect";
import type * as undiciModule from "undici";
import type { Dispatcher, ErrorEvent, MessageEvent, WebSocket } from "undici";
import * as networkKind from "../../internal/networkKind.ts";
import { type Deadlines, type OnText, type Socket, SocketRefused, type SocketRequest } from "../SocketTransport.ts";
import { TransportFault } from "../Transport.ts";
import { joined } from "./headers.ts";

type Undici = Pick<typeof undiciModule, "WebSocket" | "ping">;

/** Undici itself. Its types give the default export less than there is, and a bundler gives no named ones. */
export const load: Effect.Effect<Undici> = Effect.promise(
  async () => (await import("undici")).default as unknown as Undici,
);

/** Opens a connection over a dispatcher; `onClosed` is called once when it has ended. */
export const open = (
  undici: Undici,
  dispatcher: Dispatcher,
  request: SocketRequest,
  onClosed: (socket: Socket) => void,
): Effect.Effect<Socket, TransportFault | SocketRefused> =>
  Effect.callback((resume) => {
    const handshake: Handshake = { body: "" };
    const socket = new UndiciSocket(
      undici,
      new undici.WebSocket(request.url, {
        headers: request.headers,
        dispatcher: dispatcher.compose(
          (dispatch) => (options, handler) =>
            dispatch({ ...options, allowH2: false } as Dispatcher.DispatchOptions, watch(handler, handshake)),
        ),
      }),
      handshake,
      () => onClosed(socket),
    );
    const deadline = setTimeout(
      () => socket.giveUp(late("the server did not answer the handshake in time")),
      request.openMs,
    );
    socket.whenReady((error) => {
      clearTimeout(deadline);
      if (error === undefined) return resume(Effect.succeed(socket));
      if (error instanceof TransportFault) return resume(Effect.fail(error));
      const { body, error: cause, head } = handshake;
      if (head !== undefined) return resume(Effect.fail(new SocketRefused({ head, body })));
      return resume(Effect.fail(networkKind.toFault(cause ?? error, "head")));
    });
    return Effect.sync(() => {
      clearTimeout(deadline);
      socket.close();
    });
  });

/** What is seen of a handshake from outside of undici's WebSocket, which tells little of a failed one. */
interface Handshake {
  controller?: Dispatcher.DispatchController;
  stream?: Duplex;
  head?: SocketRefused["head"];
  body: string;
  error?: unknown;
}

const bodyLimit = 16 * 1024;

/** Passes a handshake on, except an answer that is no WebSocket: its body is read before the handshake fails. */
const watch = (handler: Dispatcher.DispatchHandler, seen: Handshake): Dispatcher.DispatchHandler => {
  const characters = new TextDecoder();
  const refuse = (controller: Dispatcher.DispatchController): void =>
    handler.onResponseError?.(controller, new Error("the handshake was refused"));
  return {
    onRequestStart: (controller, context: unknown) => {
      seen.controller = controller;
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (controller, status, headers, stream) => {
      seen.stream = stream;
      return handler.onRequestUpgrade?.(controller, status, headers, stream);
    },
    onResponseStart: (_controller, status, headers) => {
      if (status >= 200) seen.head = { status, headers: joined(headers) };
    },
    onResponseData: (controller, bytes) => {
      seen.body += characters.decode(bytes, { stream: true });
      if (seen.body.length > bodyLimit) controller.abort(new Error("enough of the refusal has been read"));
    },
    onResponseEnd: (controller) => refuse(controller),
    onResponseError: (controller, error) => {
      seen.error = error;
      handler.onResponseError?.(controller, error);
    },
  };
};

/** The texts of one exchange go to its reader; between exchanges nobody listens. */
interface Exchange {
  readonly onText: OnText;
  readonly end: (result: Effect.Effect<void, TransportFault>) => void;
  readonly idleMs: number;
  timer: ReturnType<typeof setTimeout>;
  hasText: boolean;
}

const pingMs = 20_000;

class UndiciSocket implements Socket {
  readonly #undici: Undici;
  readonly #socket: WebSocket;
  readonly #handshake: Handshake;
  readonly #onClosed: () => void;
  #exchange: Exchange | undefined;
  #onReady: ((error: unknown) => void) | undefined;
  #isClosed = false;

  constructor(undici: Undici, socket: WebSocket, handshake: Handshake, onClosed: () => void) {
    this.#undici = undici;
    this.#socket = socket;
    this.#handshake = handshake;
    this.#onClosed = onClosed;
    socket.addEventListener("open", () => this.#ready(undefined));
    socket.addEventListener("message", (event) => this.#read(event));
    socket.addEventListener("error", (event) => this.#fail(event));
    socket.addEventListener("close", ({ code }) => this.#end(`the server closed the connection (code ${code})`));
  }

  /** Calls once: with an error when there will be no connection. */
  whenReady(onReady: (error: unknown) => void): void {
    this.#onReady = onReady;
  }

  readonly isOpen = (): boolean => !this.#isClosed && this.#socket.readyState === this.#undici.WebSocket.OPEN;

  readonly exchange = (text: string, onText: OnText, deadlines: Deadlines): Effect.Effect<void, TransportFault> =>
    Effect.callback((resume) => {
      if (!this.isOpen()) return resume(Effect.fail(broken("request", "the connection is closed")));
      const pings = setInterval(() => this.#undici.ping(this.#socket), pingMs);
      const expire = (detail: string) => () => {
        this.giveUp(late(detail));
      };
      const exchange: Exchange = {
        onText,
        idleMs: deadlines.idleMs,
        hasText: false,
        timer: setTimeout(expire("the server did not answer in time"), deadlines.firstByteMs),
        end: (result) => {
          clearInterval(pings);
          clearTimeout(exchange.timer);
          resume(result);
        },
      };
      this.#exchange = exchange;
      this.#onIdle = expire("the server stopped within its response");
      this.#socket.send(text);
      return Effect.sync(() => this.close());
    });

  readonly close = (): void => this.#end("the connection was closed");

  /** Closes the connection, and ends what is under way with a fault. */
  giveUp(fault: TransportFault): void {
    this.#finish(Effect.fail(fault));
    this.#ready(fault);
  }

  #onIdle: () => void = () => undefined;

  #ready(error: unknown): void {
    const onReady = this.#onReady;
    this.#onReady = undefined;
    onReady?.(error);
  }

  #read({ data }: MessageEvent<unknown>): void {
    const exchange = this.#exchange;
    if (exchange === undefined || typeof data !== "string") return;
    if (exchange.hasText) exchange.timer.refresh();
    else {
      exchange.hasText = true;
      clearTimeout(exchange.timer);
      exchange.timer = setTimeout(this.#onIdle, exchange.idleMs);
    }
    try {
      if (exchange.onText(data) !== "finished") return;
      this.#exchange = undefined;
      exchange.end(Effect.void);
    } catch (defect) {
      this.#finish(Effect.die(defect));
    }
  }

  #fail({ error }: ErrorEvent): void {
    if (this.#onReady !== undefined) return this.#ready(error);
    return this.giveUp(networkKind.toFault(error, this.#exchange?.hasText === true ? "body" : "head"));
  }

  #end(detail: string): void {
    this.giveUp(broken(this.#exchange?.hasText === true ? "bodyInterrupted" : "request", detail));
  }

  /** Closes first: whoever waits goes on at once. */
  #finish(result: Effect.Effect<void, TransportFault>): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#shut();
    exchange?.end(result);
  }

  #shut(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#handshake.controller?.abort(new Error("closed by the caller"));
    if (this.#socket.readyState === this.#undici.WebSocket.OPEN) this.#socket.close();
    this.#handshake.stream?.destroy();
    this.#onClosed();
  }
}

const late = (detail: string) => new TransportFault({ kind: "timeout", detail });

const broken = (kind: "request" | "bodyInterrupted", detail: string) => new TransportFault({ kind, detail });
