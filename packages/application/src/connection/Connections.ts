/**
 * The stored connections, and what one comes to once a model is named.
 *
 * Owns the documents of the collection `llm-connections`; document ids are the connections' ids. Does not own their form
 * (`domain/connection/LlmConnection`) nor the secrets that they name.
 */
import type { ConnectionIssue } from "@cahier/domain/connection/ConnectionIssue";
import * as LlmConnection from "@cahier/domain/connection/LlmConnection";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import { quote } from "@cahier/domain/workspace/Refusal";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { classifyStorage } from "../failure/classifyStorage.ts";

/** The collection of stored connections. */
export const connectionsCollection = "llm-connections";

/** A connection as it is stored. */
export interface StoredConnection {
  readonly connection: LlmConnection.LlmConnection;
  readonly revision: number;
}

/** Every connection that can be used, by id; and those that cannot, each with why. */
export interface Listed {
  readonly connections: ReadonlyArray<StoredConnection>;
  readonly unusable: ReadonlyArray<{ readonly id: string; readonly failure: Fatal }>;
}

/** All stored connections. One that cannot be read is reported beside the others and hides none of them. */
export const list = Effect.fn("Connections.list")(function* (): Effect.fn.Return<Listed, Fatal, DocumentStore> {
  const documents = yield* DocumentStore;
  const found = yield* documents.list(connectionsCollection).pipe(Effect.mapError(classifyStorage));
  const read = found.documents.map(({ id, revision, value }) => ({ id, revision, decoded: decodedAs(id, value) }));
  return {
    connections: read.flatMap(({ decoded, revision }) =>
      Result.isSuccess(decoded) ? [{ connection: decoded.success, revision }] : [],
    ),
    unusable: [
      ...read.flatMap(({ decoded, id }) => (Result.isFailure(decoded) ? [{ id, failure: decoded.failure }] : [])),
      ...found.damaged.map((fault) => ({ id: fault.id, failure: classifyStorage(fault) })),
    ],
  };
});

/** The connection of this id; `llm_connection.not_found` when there is none. */
export const get = Effect.fn("Connections.get")(function* (
  id: string,
): Effect.fn.Return<StoredConnection, Fatal, DocumentStore> {
  const documents = yield* DocumentStore;
  if (!isId(id)) return yield* notFound(id);
  const { revision, value } = yield* documents.get(connectionsCollection, id).pipe(
    Effect.catchTag("NotFound", () => Effect.fail(notFound(id))),
    Effect.catchTags({
      Corrupt: (fault) => Effect.fail(classifyStorage(fault)),
      Unavailable: (fault) => Effect.fail(classifyStorage(fault)),
    }),
  );
  return { connection: yield* Effect.fromResult(decodedAs(id, value)), revision };
});

/**
 * Stores a connection (parsed JSON) under its own id, in place of the one that has it, whatever that is. One that is wrong
 * is refused and changes nothing. Runs that are admitted keep what they have.
 */
export const put = Effect.fn("Connections.put")(function* (
  input: unknown,
): Effect.fn.Return<StoredConnection, Fatal, DocumentStore> {
  const connection = yield* Effect.fromResult(
    Result.mapError(LlmConnection.decode(input), (issues) => refusal(issues, "The connection cannot be used")),
  );
  const documents = yield* DocumentStore;
  const before = yield* documents.get(connectionsCollection, connection.id).pipe(
    Effect.map(({ revision }) => revision),
    Effect.catchTag("NotFound", () => Effect.succeed(0)),
    Effect.mapError(classifyStorage),
  );
  const revision = yield* documents
    .put(connectionsCollection, connection.id, before, connection)
    .pipe(Effect.mapError(classifyStorage));
  return { connection, revision };
});

/** Removes a connection, readable or not; `llm_connection.not_found` when there is none. Its secret stays where it is. */
export const remove = Effect.fn("Connections.remove")(function* (
  id: string,
): Effect.fn.Return<void, Fatal, DocumentStore> {
  const documents = yield* DocumentStore;
  if (!isId(id)) return yield* notFound(id);
  yield* documents.get(connectionsCollection, id).pipe(
    Effect.catchTags({
      NotFound: () => Effect.fail(notFound(id)),
      Corrupt: () => Effect.void,
      Unavailable: (fault) => Effect.fail(classifyStorage(fault)),
    }),
  );
  yield* documents.remove(connectionsCollection, id).pipe(Effect.mapError(classifyStorage));
});

/** A model by a stored connection: its endpoint, secret reference and prices as they stand now, in one. */
export const bind = Effect.fn("Connections.bind")(function* (
  id: string,
  modelId: string,
): Effect.fn.Return<ModelBinding, Fatal, DocumentStore> {
  const { connection } = yield* get(id);
  return LlmConnection.bindingOf(connection, modelId);
});

const isId = (id: string): boolean => /^[a-z0-9_-]{1,128}$/.test(id);

const notFound = (id: string): Fatal =>
  fatal(
    "llm_connection.not_found",
    `There is no connection ${quote(id)}. "cahier connections list" shows those that are stored.`,
  );

const decodedAs = (id: string, value: unknown): Result.Result<LlmConnection.LlmConnection, Fatal> =>
  Result.mapError(LlmConnection.decode(value), (issues) =>
    refusal(issues, `The stored connection ${id} cannot be used`),
  );

const refusal = (issues: ReadonlyArray<ConnectionIssue>, what: string): Fatal => {
  const [first, ...others] = issues;
  if (first === undefined) return fatal("llm_connection.contract_invalid", `${what}.`);
  const place = first.path === "" ? "" : ` (${first.path})`;
  const more = others.length === 0 ? "" : ` ${others.length} more: ${others.map(({ code }) => code).join(", ")}.`;
  return fatal(first.code, `${what}: ${first.message}${place}${more}`, {
    details: { issues: issues.map(({ code, path, message }) => ({ code, path, message })) },
  });
};
