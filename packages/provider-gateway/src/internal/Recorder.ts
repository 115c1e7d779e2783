/**
 * Takes down one call for the request log: what was sent and received, without secrets.
 *
 * Owns what is kept and what is hidden. Does not own when a call is recorded.
 */
import type { ExchangeOutcome, ModelExchange } from "@cahier/domain/model/ModelExchange";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import * as DateTime from "effect/DateTime";
import type { ResponseHead, ResponseReader } from "../transport/Transport.ts";
import { AnswerPieces } from "./AnswerPieces.ts";
import * as redact from "./redact.ts";

/** What the ways to a server tell of a call. */
export interface Observer {
  readonly sent: (method: string, headers: Readonly<Record<string, string>>, body: string | Uint8Array) => void;
  readonly head: (head: ResponseHead) => void;
  /** One text of a socket. */
  readonly text: (text: string) => void;
  /** A reader that passes everything on. */
  readonly reading: (reader: ResponseReader) => ResponseReader;
}

export class Recorder implements Observer {
  readonly #request: ModelRequest;
  readonly #startedAt: number;
  readonly #endpoint: string;
  readonly #secrets: ReadonlyArray<string>;
  readonly #secretHeaders: ReadonlySet<string>;
  readonly #sent = new Transcript();
  readonly #received = new Transcript();
  readonly #pieces = new AnswerPieces();
  #method: string | undefined;
  #headers: Readonly<Record<string, string>> = {};
  #head: ResponseHead | undefined;

  /** `secretHeaders` are the names of headers that were made from a secret. */
  constructor(
    request: ModelRequest,
    startedAt: number,
    endpoint: string,
    secrets: ReadonlyArray<string>,
    secretHeaders: ReadonlyArray<string>,
  ) {
    this.#request = request;
    this.#startedAt = startedAt;
    this.#endpoint = endpoint;
    this.#secrets = secrets;
    this.#secretHeaders = new Set([...knownSecretHeaders, ...secretHeaders]);
  }

  readonly sent = (method: string, headers: Readonly<Record<string, string>>, body: string | Uint8Array): void => {
    this.#method = method;
    this.#headers = headers;
    this.#sent.add(typeof body === "string" ? encoder.encode(body) : body);
  };

  readonly head = (head: ResponseHead): void => {
    this.#head = head;
  };

  readonly text = (text: string): void => {
    this.#received.add(encoder.encode(`${text}\n`));
  };

  readonly reading = (reader: ResponseReader): ResponseReader => ({
    head: (head) => {
      this.#head = head;
      reader.head(head);
    },
    chunk: (bytes) => {
      this.#received.add(bytes);
      return reader.chunk(bytes);
    },
  });

  /** The same receiver of deltas; what they say is followed. */
  readonly following =
    (onDelta: OnDelta): OnDelta =>
    (delta) => {
      this.#pieces.add(delta);
      onDelta(delta);
    };

  /** The exchange; undefined where nothing was sent. `detail` has no secrets any more. */
  exchange(outcome: ExchangeOutcome, endedAt: number, detail: string | undefined): ModelExchange | undefined {
    if (this.#method === undefined) return undefined;
    return {
      sessionId: this.#request.sessionId,
      position: this.#request.position,
      startedAt: iso(this.#startedAt),
      endedAt: iso(endedAt),
      method: this.#method,
      endpoint: this.#endpoint,
      requestHeaders: this.#shown(this.#headers),
      requestBody: this.#sent.text(this.#secrets),
      ...(this.#head === undefined
        ? {}
        : { status: this.#head.status, responseHeaders: this.#shown(this.#head.headers) }),
      responseBody: this.#pieces.spread(this.#secrets) ? this.#received.withheld() : this.#received.text(this.#secrets),
      outcome,
      ...(detail === undefined ? {} : { detail }),
    };
  }

  #shown(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => {
        const lower = name.toLowerCase();
        return [lower, this.#secretHeaders.has(lower) ? "<redacted>" : redact.all(value, this.#secrets)];
      }),
    );
  }
}

const encoder = new TextEncoder();

const knownSecretHeaders = [
  "authorization",
  "proxy-authorization",
  "x-api-key",
  "x-goog-api-key",
  "api-key",
  "cookie",
  "set-cookie",
];

const iso = (milliseconds: number): string => DateTime.formatIso(DateTime.makeUnsafe(milliseconds));

/** Of each body so many bytes are kept. */
const limit = 256 * 1024;

/** The beginning of a body, and how long all of it was. */
class Transcript {
  readonly #pieces: Array<Uint8Array> = [];
  #kept = 0;
  #length = 0;

  add(bytes: Uint8Array): void {
    this.#length += bytes.length;
    const taken = bytes.slice(0, Math.max(0, limit - this.#kept));
    if (taken.length === 0) return;
    this.#pieces.push(taken);
    this.#kept += taken.length;
  }

  /** Stands for a body from which a secret cannot be taken out. */
  withheld(): string {
    return `[redacted] (${this.#length} bytes left out: they hold a secret in pieces)`;
  }

  text(secrets: ReadonlyArray<string>): string {
    const characters = new TextDecoder();
    // Without the last call: a character of which only a part was kept is left out.
    const raw = this.#pieces.map((piece) => characters.decode(piece, { stream: true })).join("");
    const shown = redact.all(raw, secrets);
    const left = this.#length - encoder.encode(raw).length;
    const clipped = clip(shown);
    const leftOut = left + encoder.encode(shown).length - encoder.encode(clipped).length;
    return leftOut <= 0 ? clipped : `${clipped}… (${leftOut} bytes left out)`;
  }
}

/** Masks may be longer than what they hide. */
const clip = (text: string): string => {
  const bytes = encoder.encode(text);
  return bytes.length <= limit ? text : new TextDecoder().decode(bytes.subarray(0, limit), { stream: true });
};
