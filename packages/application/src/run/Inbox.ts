/**
 * Requests to a run from processes that do not own it: create-only documents that the owner journals.
 */
import { isFailureCode } from "@cahier/domain/failure/FailureCode";
import { CallId, InvocationId, type RunId } from "@cahier/domain/identity/Identity";
import { Remember } from "@cahier/domain/run/event/approval";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { QuestionAnswer } from "@cahier/domain/run/openQuestions";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { Identifiers } from "../identity/Identifiers.ts";

/** How often an owner looks into its inbox; a request is journalled within 500 ms. */
export const pollIntervalMs = 400;

/** What may be asked: that the run stops, that its agent is told something, what people have decided of a call, or what they tell a tool. `at` is ISO 8601. */
export const InboxRequest = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("cancel"), at: Schema.String }),
  Schema.Struct({
    kind: Schema.Literal("guidance"),
    at: Schema.String,
    text: Schema.String,
    clientGuidanceId: Schema.optionalKey(Schema.String),
  }),
  Schema.Struct({
    kind: Schema.Literal("decision"),
    at: Schema.String,
    callId: CallId,
    invocationId: Schema.optionalKey(InvocationId),
    approved: Schema.Boolean,
    argumentsSha256: Schema.optionalKey(Schema.String),
    reason: Schema.optionalKey(Schema.String),
    remember: Schema.optionalKey(Remember),
  }),
  Schema.Struct({ kind: Schema.Literal("answer"), at: Schema.String, ...QuestionAnswer.fields }),
]);
export type InboxRequest = typeof InboxRequest.Type;

const Refusal = Schema.Struct({ code: Schema.String, message: Schema.String });

const decodeRefusal = Schema.decodeUnknownOption(Refusal);
const decodeRequest = Schema.decodeUnknownOption(InboxRequest);

export const collectionOf = (runId: RunId): string => `inbox/${runId}`;

const refusalIdOf = (requestId: string): string => `${requestId}_refused`;

/** Puts a request into a run's inbox and gives its id. */
export const ask = Effect.fn("Inbox.ask")(function* (
  runId: RunId,
  request: InboxRequest,
): Effect.fn.Return<string, Fatal, DocumentStore> {
  const documents = yield* DocumentStore;
  const requestId = `request_${(yield* Identifiers).next()}`;
  yield* documents.put(collectionOf(runId), requestId, 0, { ...request }).pipe(Effect.mapError(classifyStorage));
  return requestId;
});

/** The readable requests that wait, oldest first. */
export const waiting = Effect.fnUntraced(function* (
  documents: DocumentStore["Service"],
  runId: RunId,
): Effect.fn.Return<ReadonlyArray<{ readonly requestId: string; readonly request: InboxRequest }>, Fatal> {
  const { documents: found } = yield* documents.list(collectionOf(runId)).pipe(Effect.mapError(classifyStorage));
  return found
    .flatMap(({ id, value }) => {
      const request = decodeRequest(value);
      return Option.isSome(request) ? [{ requestId: id, request: request.value }] : [];
    })
    .toSorted((one, other) => (one.request.at < other.request.at ? -1 : 1));
});

/** Answers a request that is not taken: the reason stands in its place, for whoever asked. */
export const refuse = Effect.fnUntraced(function* (
  documents: DocumentStore["Service"],
  runId: RunId,
  requestId: string,
  { reason }: Fatal,
): Effect.fn.Return<void, Fatal> {
  const refusal = { code: reason.code, message: reason.message };
  yield* documents.put(collectionOf(runId), refusalIdOf(requestId), 0, refusal).pipe(
    Effect.catchTag("Conflict", () => Effect.succeed(0)),
    Effect.andThen(documents.remove(collectionOf(runId), requestId)),
    Effect.mapError(classifyStorage),
  );
});

/** Fails with the reason once a request is refused; until then it waits. What cannot be looked up now is looked up again. */
export const refused = Effect.fnUntraced(function* (
  documents: DocumentStore["Service"],
  runId: RunId,
  requestId: string,
): Effect.fn.Return<never, Fatal> {
  for (;;) {
    const found = yield* documents.get(collectionOf(runId), refusalIdOf(requestId)).pipe(
      Effect.map(({ value }) => decodeRefusal(value)),
      Effect.orElseSucceed(() => Option.none<typeof Refusal.Type>()),
    );
    if (Option.isSome(found)) {
      yield* Effect.ignore(documents.remove(collectionOf(runId), refusalIdOf(requestId)));
      const { code, message } = found.value;
      return yield* fatal(isFailureCode(code) ? code : "agent.guidance_run_not_accepting", message);
    }
    yield* Effect.sleep(pollIntervalMs / 2);
  }
});

/** Takes every request out of the inbox of a run that has ended: there is nothing left to ask of it. */
export const clear = (documents: DocumentStore["Service"], runId: RunId): Effect.Effect<void> =>
  documents.list(collectionOf(runId)).pipe(
    Effect.flatMap(({ documents: left }) =>
      Effect.forEach(left, ({ id }) => documents.remove(collectionOf(runId), id), { discard: true }),
    ),
    Effect.ignore,
  );
