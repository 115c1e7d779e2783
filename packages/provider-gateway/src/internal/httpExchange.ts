/**
 * Asks a server over HTTP: one request with a whole body, one response that is streamed or not.
 */
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import type { ResponseReader, Transport } from "../transport/Transport.ts";
import { type Exchange, networkOf, type Patience } from "./Exchange.ts";
import { Reply } from "./Reply.ts";

/** A response that is not streamed may take twice as long to begin. */
export const make = (transport: Transport["Service"], { firstByteMs, idleMs }: Patience): Exchange =>
  Effect.fnUntraced(function* (session, request, onDelta, way) {
    const { protocol } = session;
    const body = yield* Effect.fromResult(session.encoder.encode(request));
    const decoder = protocol.decoder(request, onDelta);
    const reply = new Reply(decoder, protocol.framing);
    const headers = {
      "content-type": "application/json",
      accept: request.stream ? "text/event-stream, application/json" : "application/json",
      ...protocol.headers,
      ...protocol.bindingHeaders?.(request.binding),
      ...way.auth,
    };
    way.observer?.sent("POST", headers, body);
    const isWhole = Deferred.makeUnsafe<void>();
    const reader: ResponseReader = {
      head: reply.head,
      chunk: (bytes) => {
        const demand = reply.chunk(bytes);
        if (decoder.isComplete()) Deferred.doneUnsafe(isWhole, Effect.void);
        return demand;
      },
    };
    const lost = yield* transport
      .send(
        {
          method: "POST",
          url: way.url,
          headers,
          body,
          firstByteMs: request.stream ? firstByteMs : firstByteMs * 2,
          idleMs,
          ...networkOf(request),
        },
        way.observer?.reading(reader) ?? reader,
      )
      .pipe(
        Effect.raceFirst(Effect.andThen(Deferred.await(isWhole), Effect.sleep(tailMs))),
        Effect.match({ onSuccess: () => undefined, onFailure: (fault) => fault }),
      );
    const ended = reply.end(lost !== undefined);
    const warnings = session.encoder.takeWarnings();
    return { ended, lost, hasHead: reply.hasHead, partial: decoder.partial(), warnings };
  });

/** How long a server may leave a stream open whose answer is whole: its counts may follow, but nothing must. */
const tailMs = 5000;
