/**
 * The stored profiles as the commands read, check and write them.
 */
import { profilesCollection } from "@cahier/application/profile/findProfile";
import { classifyStorage } from "@cahier/application/failure/classifyStorage";
import { Tools } from "@cahier/application/tool/Tools";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { checkProfile } from "@cahier/domain/profile/checkProfile";
import * as Profile from "@cahier/domain/profile/Profile";
import { issue, type ProfileIssue } from "@cahier/domain/profile/ProfileIssue";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import { type Document, DocumentStore } from "@cahier/ports/DocumentStore";
import type { Corrupt } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type * as Schema from "effect/Schema";

/** The document of an id, undefined when there is none, or the fact that it is damaged. */
export const look = Effect.fnUntraced(function* (
  id: string,
): Effect.fn.Return<Document | Corrupt | undefined, Fatal, DocumentStore> {
  const documents = yield* DocumentStore;
  if (!isId(id)) return undefined;
  return yield* documents.get(profilesCollection, id).pipe(
    Effect.catchTags({
      NotFound: () => Effect.undefined,
      Corrupt: (fault) => Effect.succeed(fault),
      Unavailable: (fault) => Effect.fail(classifyStorage(fault)),
    }),
  );
});

/** The document of an id; `agent.profile_not_found` when there is none. */
export const stored = Effect.fnUntraced(function* (id: string): Effect.fn.Return<Document, Fatal, DocumentStore> {
  const found = yield* look(id);
  if (found === undefined) return yield* notFound(id);
  return "_tag" in found ? yield* classifyStorage(found) : found;
});

/** Every document, and what of the collection cannot be read. */
export const all = Effect.fnUntraced(function* () {
  const documents = yield* DocumentStore;
  return yield* documents.list(profilesCollection).pipe(Effect.mapError(classifyStorage));
});

/** Writes a document in place of the revision that was read, 0 for none; gives its new revision. */
export const put = Effect.fnUntraced(function* (
  id: string,
  before: number,
  value: unknown,
): Effect.fn.Return<number, Fatal, DocumentStore> {
  const documents = yield* DocumentStore;
  return yield* documents
    .put(profilesCollection, id, before, value as Schema.Json)
    .pipe(Effect.mapError(classifyStorage));
});

/** The refusal of an id that no profile is stored under. */
export const notFound = (id: string): Fatal =>
  fatal("agent.profile_not_found", `No profile "${id}" is stored; "cahier profiles list" names those that are.`);

/** The tools that rules and imports look at. */
export const catalogue = Effect.flatMap(Tools, ({ catalogue: offered }) =>
  Effect.map(offered, ({ tools }) => tools.map(({ descriptor }) => descriptor)),
);

/** What is wrong with a profile that is kept under an id, whatever it is to be used for. */
export const issuesOf = Effect.fnUntraced(function* (value: unknown, id: string) {
  const decoded = Profile.decode(value);
  if (Result.isFailure(decoded)) return decoded.failure;
  const complete = withDefaults(decoded.success);
  const broken = checkProfile(complete, { catalogue: yield* catalogue });
  return complete.id === id
    ? broken
    : [
        issue(
          "agent.profile_contract_invalid",
          ["id"],
          `It is kept as ${id}; cahier profiles repair ${id} --normalize-identity gives it that id.`,
        ),
        ...broken,
      ];
});

/** A profile that breaks rules, as a refusal under the code of the first. */
export const refusal = (
  issues: ReadonlyArray<ProfileIssue>,
  what = "The profile cannot be stored; correct it",
): Fatal => {
  const [first, ...others] = issues;
  if (first === undefined) return fatal("agent.profile_contract_invalid", `${what}.`);
  const more = others.length === 0 ? "" : ` ${others.length} more: ${others.map(({ code }) => code).join(", ")}.`;
  return fatal(first.code, `${what}: ${placed(first)}${more}`, {
    details: { issues: issues.map(({ code, path, message }) => ({ code, path, message })) },
  });
};

/** What is wrong and where. */
export const placed = ({ message, path }: Pick<ProfileIssue, "message" | "path">): string =>
  path === "" ? message : `${message} (${path})`;

const isId = (id: string): boolean => /^[a-z0-9_-]{1,128}$/.test(id);
