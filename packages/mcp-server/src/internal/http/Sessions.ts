/**
 * The sessions of the older era of the protocol: a protocol server for each, kept by its id.
 *
 * Owns how many there are and how long an unused one is kept. One is in use while an answer of it is being sent; the one that has
 * been unused longest makes room for a new one.
 */
import { randomUUID } from "node:crypto";
import { type McpServerFactory, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Refusal } from "./guard.ts";

/** `now` is milliseconds of a clock that does not go back. */
export interface Options {
  readonly most: number;
  readonly idleMs: number;
  readonly now: () => number;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  open: number;
  usedAt: number;
}

export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #factory: McpServerFactory;
  readonly #options: Options;
  #opening = 0;

  constructor(factory: McpServerFactory, options: Options) {
    this.#factory = factory;
    this.#options = options;
  }

  get count(): number {
    return this.#sessions.size;
  }

  /** The answer of the session that the request names, or of a new one. `sent` is settled once the answer has been sent. */
  async answer(request: Request, sent: Promise<void>): Promise<Response | Refusal> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#open(request, sent);
    const session = this.#sessions.get(id);
    if (session === undefined)
      return { status: 404, message: "There is no such session, or not any more. Open another with initialize." };
    this.#use(session, sent);
    return session.transport.handleRequest(request);
  }

  /** Ends the sessions that have been unused for too long. */
  async sweep(): Promise<void> {
    const since = this.#options.now() - this.#options.idleMs;
    await this.#end([...this.#sessions].filter(([, { open, usedAt }]) => open === 0 && usedAt <= since));
  }

  async close(): Promise<void> {
    await this.#end([...this.#sessions]);
  }

  async #open(request: Request, sent: Promise<void>): Promise<Response | Refusal> {
    if (this.count + this.#opening >= this.#options.most) {
      const unused = [...this.#sessions].filter(([, { open }]) => open === 0);
      const [oldest] = unused.toSorted(([, one], [, other]) => one.usedAt - other.usedAt);
      if (oldest === undefined)
        return { status: 503, message: "All sessions are in use. Try again later.", headers: { "retry-after": "10" } };
      void this.#end([oldest]);
    }
    // Counted before anything is waited for, so that requests at the same time open no more than there may be.
    this.#opening += 1;
    const connected = this.#connect(sent);
    const response = await connected
      .then((transport) => transport.handleRequest(request))
      .finally(() => {
        this.#opening -= 1;
      });
    const transport = await connected;
    // What opens no session is refused by the transport, and leaves nothing behind.
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }

  async #connect(sent: Promise<void>): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        const session = { transport, open: 0, usedAt: this.#options.now() };
        this.#sessions.set(id, session);
        this.#use(session, sent);
      },
      onsessionclosed: (id) => void this.#sessions.delete(id),
    });
    const server = await this.#factory({ era: "legacy" });
    await server.connect(transport);
    return transport;
  }

  #use(session: Session, sent: Promise<void>): void {
    session.open += 1;
    const unused = () => {
      session.open -= 1;
      session.usedAt = this.#options.now();
    };
    void sent.then(unused, unused);
  }

  async #end(sessions: ReadonlyArray<readonly [string, Session]>): Promise<void> {
    for (const [id] of sessions) this.#sessions.delete(id);
    await Promise.allSettled(sessions.map(([, { transport }]) => transport.close()));
  }
}
