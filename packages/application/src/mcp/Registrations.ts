/**
 * The stored registrations of MCP servers.
 *
 * Owns the documents of the collection `mcp-servers`; document ids are the registrations' ids. Does not own their form
 * (`domain/mcp/McpRegistration`) nor what follows from a change (`McpServers`).
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { McpIssue } from "@cahier/domain/mcp/McpIssue";
import * as McpRegistration from "@cahier/domain/mcp/McpRegistration";
import { quote } from "@cahier/domain/workspace/Refusal";
import type { Document, DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { classifyStorage } from "../failure/classifyStorage.ts";

/** The collection of registrations. */
export const registrationsCollection = "mcp-servers";

/** A registration as it is stored. The value is the same for as long as its document is. */
export interface StoredRegistration {
  readonly registration: McpRegistration.McpRegistration;
  readonly revision: number;
}

/** Every registration that can be used, by id; and those that cannot, each with why. */
export interface Listed {
  readonly servers: ReadonlyArray<StoredRegistration>;
  readonly storageIssues: ReadonlyArray<{ readonly id: string; readonly failure: Fatal }>;
}

export interface Registrations {
  readonly list: Effect.Effect<Listed, Fatal>;
  /** `mcp.registration_not_found` when there is none. */
  readonly get: (id: string) => Effect.Effect<StoredRegistration, Fatal>;
  /** Stores a new one, whose id must be free. */
  readonly insert: (registration: McpRegistration.McpRegistration) => Effect.Effect<StoredRegistration, Fatal>;
  /**
   * Stores what `change` makes of the present one; gives what was stored before, too. `change` is asked again when another writer
   * came first. What it makes is checked. Nothing is written when it gives the same value.
   */
  readonly change: (
    id: string,
    change: (present: McpRegistration.McpRegistration) => Effect.Effect<McpRegistration.McpRegistration, Fatal>,
  ) => Effect.Effect<{ readonly before: StoredRegistration; readonly after: StoredRegistration }, Fatal>;
  /** Removes one, readable or not. */
  readonly remove: (id: string) => Effect.Effect<void, Fatal>;
}

/** The registrations of a storage. */
export const make = (documents: DocumentStore["Service"]): Registrations => {
  const known = new Map<string, { readonly revision: number; readonly read: Read }>();

  const read = ({ id, revision, value }: Document): Read => {
    const found = known.get(id);
    if (found?.revision === revision) return found.read;
    const fresh = Result.map(decodedAs(id, value), (registration) => ({ registration, revision }));
    known.set(id, { revision, read: fresh });
    return fresh;
  };

  const document = Effect.fnUntraced(function* (id: string): Effect.fn.Return<Document, Fatal> {
    if (!isId(id)) return yield* notFound(id);
    return yield* documents.get(registrationsCollection, id).pipe(
      Effect.mapError((fault) => (fault._tag === "NotFound" ? notFound(id) : classifyStorage(fault))),
      Effect.tapError(() => Effect.sync(() => known.delete(id))),
    );
  });

  const get = (id: string) => Effect.flatMap(document(id), (found) => Effect.fromResult(read(found)));

  const put = (registration: McpRegistration.McpRegistration, expected: number) =>
    documents.put(registrationsCollection, registration.id, expected, registration).pipe(
      Effect.map((revision): StoredRegistration => {
        const stored = { registration, revision };
        known.set(registration.id, { revision, read: Result.succeed(stored) });
        return stored;
      }),
    );

  return {
    list: documents.list(registrationsCollection).pipe(
      Effect.mapError(classifyStorage),
      Effect.map((found) => {
        const all = found.documents.map((one) => ({ id: one.id, read: read(one) }));
        return {
          servers: all.flatMap((one) => (Result.isSuccess(one.read) ? [one.read.success] : [])),
          storageIssues: [
            ...all.flatMap((one) => (Result.isFailure(one.read) ? [{ id: one.id, failure: one.read.failure }] : [])),
            ...found.damaged.map((fault) => ({ id: fault.id, failure: classifyStorage(fault) })),
          ],
        };
      }),
    ),
    get,
    insert: (registration) => Effect.mapError(put(registration, 0), classifyStorage),
    change: Effect.fnUntraced(function* (id, change) {
      const attempt = Effect.gen(function* () {
        const before = yield* get(id);
        const changed = yield* change(before.registration);
        if (changed === before.registration) return { before, after: before };
        const checked = yield* checkedAs("The server cannot be registered so", changed);
        return { before, after: yield* put(checked, before.revision) };
      });
      return yield* attempt.pipe(
        Effect.retry({ while: (fault) => fault._tag === "Conflict", times: mostAttempts }),
        Effect.mapError((fault) => (fault._tag === "Fatal" ? fault : classifyStorage(fault))),
      );
    }),
    remove: Effect.fnUntraced(function* (id) {
      if (!isId(id)) return yield* notFound(id);
      yield* documents.get(registrationsCollection, id).pipe(
        Effect.catchTags({
          NotFound: () => Effect.fail(notFound(id)),
          Corrupt: () => Effect.void,
          Unavailable: (fault) => Effect.fail(classifyStorage(fault)),
        }),
      );
      yield* documents.remove(registrationsCollection, id).pipe(Effect.mapError(classifyStorage));
      known.delete(id);
    }),
  };
};

/** The registration that a value states, or a refusal that begins with `what`. */
export const checkedAs = (what: string, value: unknown): Effect.Effect<McpRegistration.McpRegistration, Fatal> =>
  Effect.fromResult(Result.mapError(McpRegistration.decode(value), (issues) => refusal(issues, what)));

type Read = Result.Result<StoredRegistration, Fatal>;

/** How often a change is made again that another writer was quicker than. */
const mostAttempts = 5;

const isId = (id: string): boolean => /^[A-Za-z0-9_-]{1,128}$/.test(id);

const notFound = (id: string): Fatal =>
  fatal(
    "mcp.registration_not_found",
    `There is no MCP server ${quote(id)}. "cahier mcp list" shows those that are registered.`,
  );

const decodedAs = (id: string, value: unknown): Result.Result<McpRegistration.McpRegistration, Fatal> => {
  const decoded = Result.mapError(McpRegistration.decode(value), (issues) =>
    refusal(issues, `The registration ${id} cannot be used`),
  );
  if (Result.isSuccess(decoded) && decoded.success.id !== id)
    return Result.fail(
      fatal(
        "mcp.registration_contract_invalid",
        `The registration ${id} cannot be used: it is stored under another id than its own.`,
      ),
    );
  return decoded;
};

const refusal = (issues: ReadonlyArray<McpIssue>, what: string): Fatal => {
  const [first, ...others] = issues;
  if (first === undefined) return fatal("mcp.registration_contract_invalid", `${what}.`);
  const place = first.path === "" ? "" : ` (${first.path})`;
  const more = others.length === 0 ? "" : ` ${others.length} more: ${others.map(({ code }) => code).join(", ")}.`;
  return fatal(first.code, `${what}: ${first.message}${place}${more}`, {
    details: { issues: issues.map(({ code, message, path }) => ({ code, path, message })) },
  });
};
