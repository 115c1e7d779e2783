/**
 * What was sent to providers and what they answered, kept for people who look for the cause of something.
 *
 * Owns the documents of the collections `model-requests/<run>`, numbered in the order in which they were written. Does not
 * own redaction, which a gateway does before it hands an exchange out, nor whether anything is kept: a host turns it on.
 * A run never reads them, and they go with the content of their run.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { InvocationId, RunId } from "@cahier/domain/identity/Identity";
import { bodyLimitBytes, ModelExchange } from "@cahier/domain/model/ModelExchange";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import type { Corrupt, Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { cutText } from "../payload/cutText.ts";

/** The collection of the exchanges of a run. */
export const collectionOf = (runId: RunId): string => `model-requests/${runId}`;

const { sessionId: _of, startedAt: _from, ...fields } = ModelExchange.fields;

/** An exchange as it is kept: whose it is, and what was exchanged. `at` is when it began. */
export const LoggedRequest = Schema.Struct({
  at: Schema.String,
  invocationId: InvocationId,
  ...fields,
});
export type LoggedRequest = typeof LoggedRequest.Type;

/** The exchanges of a run, oldest first; `number` counts from 1. Those that cannot be read are named in `unreadable`. */
export interface LoggedRequests {
  readonly requests: ReadonlyArray<LoggedRequest & { readonly number: number }>;
  readonly unreadable: ReadonlyArray<string>;
}

/**
 * A function that keeps exchanges, each durable when it returns. It never fails: what cannot be kept is logged, and the run
 * goes on. An exchange that is of no run, such as the try of a connection, is not kept.
 */
export const recorder: Effect.Effect<(exchange: ModelExchange) => Effect.Effect<void>, never, DocumentStore> =
  Effect.gen(function* () {
    const documents = yield* DocumentStore;
    const last = new Map<RunId, number>();

    const write = (runId: RunId, request: LoggedRequest): Effect.Effect<void, Corrupt | Unavailable> =>
      Effect.gen(function* () {
        const found = last.get(runId) ?? (yield* lastNumber(documents, runId));
        // Another exchange of the run may have been numbered while the documents were looked through.
        const number = Math.max(found, last.get(runId) ?? 0) + 1;
        last.set(runId, number);
        yield* documents.put(collectionOf(runId), `${number}`.padStart(6, "0"), 0, request);
      }).pipe(Effect.catchTag("Conflict", () => write(runId, request)));

    return Effect.fnUntraced(function* (exchange) {
      const owner = ownerOf(exchange.sessionId);
      if (owner === undefined) return;
      yield* write(owner.runId, requestOf(exchange, owner.invocationId)).pipe(
        Effect.catch((fault) =>
          Effect.logWarning(
            `A request of the run ${owner.runId} could not be logged: ${classifyStorage(fault).message}`,
          ),
        ),
      );
    });
  });

/** The kept exchanges of a run, oldest first; none when the log was off. */
export const readRequests = Effect.fn("RequestLog.read")(function* (
  runId: RunId,
): Effect.fn.Return<LoggedRequests, Fatal, DocumentStore> {
  const documents = yield* DocumentStore;
  const listed = yield* documents.list(collectionOf(runId)).pipe(Effect.mapError(classifyStorage));
  const read = listed.documents.map(({ id, value }) => ({ id, request: decode(value) }));
  return {
    requests: read.flatMap(({ id, request }) =>
      Option.isNone(request) ? [] : [{ ...request.value, number: Number(id) }],
    ),
    unreadable: [
      ...read.flatMap(({ id, request }) => (Option.isNone(request) ? [id] : [])),
      ...listed.damaged.map(({ id }) => idIn(id)),
    ],
  };
});

/** Removes the kept exchanges of a run, readable or not. */
export const removeRequests = Effect.fn("RequestLog.remove")(function* (
  runId: RunId,
): Effect.fn.Return<void, Fatal, DocumentStore> {
  const documents = yield* DocumentStore;
  yield* idsOf(documents, runId).pipe(
    Effect.flatMap((ids) => Effect.forEach(ids, (id) => documents.remove(collectionOf(runId), id), { discard: true })),
    Effect.mapError(classifyStorage),
  );
});

const decode = Schema.decodeUnknownOption(LoggedRequest);
const decodeRunId = Schema.decodeUnknownOption(RunId);
const decodeInvocationId = Schema.decodeUnknownOption(InvocationId);

const idsOf = (documents: DocumentStore["Service"], runId: RunId) =>
  Effect.map(documents.list(collectionOf(runId)), (listed) => [
    ...listed.documents.map(({ id }) => id),
    ...listed.damaged.map(({ id }) => idIn(id)),
  ]);

/** Faults name a document with its collection. */
const idIn = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

const lastNumber = (documents: DocumentStore["Service"], runId: RunId) =>
  Effect.map(idsOf(documents, runId), (ids) => Math.max(0, ...ids.map(Number).filter(Number.isSafeInteger)));

/** Whose exchange it is; undefined of one that is of no run. */
const ownerOf = (sessionId: string): { readonly runId: RunId; readonly invocationId: InvocationId } | undefined => {
  const [run, invocation, ...others] = sessionId.split(":");
  const runId = decodeRunId(run);
  const invocationId = decodeInvocationId(invocation);
  return Option.isSome(runId) && runId.value.startsWith("run_") && Option.isSome(invocationId) && others.length === 0
    ? { runId: runId.value, invocationId: invocationId.value }
    : undefined;
};

const requestOf = (
  { sessionId: _session, startedAt, ...exchange }: ModelExchange,
  invocationId: InvocationId,
): LoggedRequest => {
  const request = cut(exchange.requestBody, exchange.requestBodyBytes);
  const response = cut(exchange.responseBody, exchange.responseBodyBytes);
  return {
    at: startedAt,
    invocationId,
    ...exchange,
    requestBody: request.text,
    ...(request.bytes === undefined ? {} : { requestBodyBytes: request.bytes }),
    responseBody: response.text,
    ...(response.bytes === undefined ? {} : { responseBodyBytes: response.bytes }),
  };
};

/** Room for what a gateway writes in place of what it left out. */
const keptLimitBytes = bodyLimitBytes + 256;

const encoder = new TextEncoder();

/** A body within the limit, and how long it was where it was cut, here or before. */
const cut = (body: string, cutFrom: number | undefined) => {
  const text = cutText(body, keptLimitBytes);
  return { text, bytes: cutFrom ?? (text === body.toWellFormed() ? undefined : encoder.encode(body).length) };
};
