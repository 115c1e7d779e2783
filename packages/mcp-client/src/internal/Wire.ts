/**
 * A transport of the library with a listener in between, which knows of each request whether it can still be answered.
 *
 * Owns the pairing of requests with their exchanges, and the answers as they came. Does not own the transport.
 */
import type { JSONRPCMessage, JSONRPCRequest, Transport, TransportSendOptions } from "@modelcontextprotocol/client";
import * as Exchange from "./Exchange.ts";
import { isDeeperThan } from "./json.ts";
import { limits } from "./limits.ts";

/** Puts the listener before a transport, whose callbacks it takes. A process has `pid` and `stderr`, by which it is known. */
export const over = (inner: Transport): Transport => {
  const waiting = new Map<string | number, Exchange.Exchange>();

  const exchangeOf = (id: string | number) => {
    const exchange = waiting.get(id) ?? waiting.get(Number(id));
    waiting.delete(id);
    waiting.delete(Number(id));
    return exchange;
  };

  const lose = (id: string | number, reason: string) => {
    const exchange = exchangeOf(id);
    exchange?.lose(exchange.trouble ?? reason);
  };

  const countProgress = (message: JSONRPCMessage) => {
    if (!("method" in message) || message.method !== "notifications/progress") return;
    const exchange = waiting.get(Number(message.params?.["progressToken"]));
    if (exchange !== undefined) exchange.progress += 1;
  };

  const request = async (message: JSONRPCRequest, options: TransportSendOptions | undefined) => {
    const exchange = Exchange.current();
    const { id, method } = message;
    if (exchange === undefined || (exchange.method ?? method) !== method) {
      return Exchange.within(undefined, () => inner.send(message, options));
    }
    exchange.begin();
    waiting.set(id, exchange);
    await inner.send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        lose(id, "the connection ended before the answer");
      },
    });
    if (exchange.reply === "whole") lose(id, "the response holds no answer to the request");
  };

  const wire: Transport = {
    start: () => inner.start(),
    close: () => inner.close(),
    send: (message, options) => {
      if ("method" in message && "id" in message) return request(message, options);
      return Exchange.within(undefined, () => inner.send(message, options));
    },
    get sessionId() {
      return inner.sessionId;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    ...(inner.hasPerRequestStream === undefined ? {} : { hasPerRequestStream: inner.hasPerRequestStream }),
    ...("pid" in inner && "stderr" in inner ? { pid: inner.pid, stderr: inner.stderr } : {}),
  };

  const heard: Transport["onmessage"] = (message, extra) => {
    const isTooDeep = isDeeperThan(message, limits.depth);
    if ("method" in message || message.id === undefined) {
      if (isTooDeep) return undefined;
      countProgress(message);
      // One channel for all does not say for which request something is said.
      const context = inner.hasPerRequestStream === true ? Exchange.current() : undefined;
      return Exchange.within(context, () => wire.onmessage?.(message, extra));
    }
    const exchange = exchangeOf(message.id);
    if (exchange === undefined) return wire.onmessage?.(message, extra);
    if (isTooDeep) return exchange.lose("the answer is nested too deeply");
    exchange.answer = "error" in message ? { error: message.error } : { result: message.result };
    // The library hears a notice one step after it has come, and an answer at once: an answer waits for the notices before it.
    return Exchange.within(exchange, () =>
      queueMicrotask(() => queueMicrotask(() => wire.onmessage?.(message, extra))),
    );
  };
  Object.assign(inner, {
    onclose: () => wire.onclose?.(),
    onerror: (error: Error) => wire.onerror?.(error),
    onmessage: heard,
  });
  return wire;
};
