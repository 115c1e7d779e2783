/**
 * What an extension has asked its host and has no answer to.
 */
import type { PeerMessage } from "../../extension/ExtensionMessages.ts";

/** What the host said: it did it, it refused, or the connection broke before it said anything. */
export type Reply =
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  | { readonly kind: "lost" };

type Unnumbered<Message> = Message extends { readonly requestId: string } ? Omit<Message, "requestId"> : never;

/** A request without its id. */
export type Request = Unnumbered<Extract<PeerMessage, { readonly type: "register" | "unregister" | "setEnabled" }>>;

export interface Requests {
  /** Asks, and calls `then` once, with the reply. */
  readonly ask: (request: Request, say: (text: string) => void, then: (reply: Reply) => void) => void;
  /** Gives the reply to the one who asked; another one is nobody's. */
  readonly reply: (requestId: string, reply: Reply) => void;
  /** The connection has broken: all are lost. */
  readonly lose: () => void;
}

/** Makes a record without any request. */
export const make = (): Requests => {
  const waiting = new Map<string, (reply: Reply) => void>();
  const counter = { last: 0 };
  const reply = (requestId: string, given: Reply) => {
    const then = waiting.get(requestId);
    waiting.delete(requestId);
    then?.(given);
  };
  return {
    ask: (request, say, then) => {
      counter.last += 1;
      const requestId = `ask-${counter.last}`;
      waiting.set(requestId, then);
      say(JSON.stringify({ ...request, requestId }));
    },
    reply,
    lose: () => {
      for (const requestId of waiting.keys()) reply(requestId, { kind: "lost" });
    },
  };
};
