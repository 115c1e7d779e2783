/**
 * Finds the profile that a run is to be started with and resolves it.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { defaultWriter, defaultWriterId } from "@cahier/domain/profile/defaultWriter";
import * as Profile from "@cahier/domain/profile/Profile";
import type { ProfileIssue } from "@cahier/domain/profile/ProfileIssue";
import { type ProfileSource, type ResolvedProfile, resolveProfile } from "@cahier/domain/profile/resolveProfile";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { Tools } from "../tool/Tools.ts";

/** The collection of stored profiles; document ids are profile ids. */
export const profilesCollection = "agent-profiles";

/** A profile by its id, or as a parsed document; neither means the built-in one, whatever is stored under its id. */
export interface ProfileChoice {
  readonly id?: string;
  readonly document?: unknown;
}

export interface FoundProfile {
  readonly profile: ResolvedProfile;
  readonly diagnostics: ReadonlyArray<string>;
}

/**
 * The resolved profile, ready to be run directly; otherwise the first thing that keeps it from it, with all others.
 */
export const findProfile = Effect.fn("Profiles.find")(function* (
  choice: ProfileChoice,
): Effect.fn.Return<FoundProfile, Fatal, DocumentStore | Tools> {
  const { catalog } = yield* Tools;
  const catalogue = catalog.map((tool) => tool.descriptor);
  if (choice.document !== undefined) return yield* resolved(choice.document, "file:given", catalogue);
  if (choice.id === undefined) return yield* builtIn(catalogue);
  const { id } = choice;
  const stored = yield* storedProfile(id);
  if (stored !== undefined) return yield* resolved(stored, `file:${id}`, catalogue);
  if (id === defaultWriterId) return yield* builtIn(catalogue);
  return yield* fatal(
    "agent.profile_not_found",
    `There is no profile "${id}". Name a stored one, a file, or ${defaultWriterId}.`,
  );
});

type Catalogue = ReadonlyArray<Tools["Service"]["catalog"][number]["descriptor"]>;

const builtIn = (catalogue: Catalogue): Effect.Effect<FoundProfile, Fatal> => {
  const { profile, diagnostics } = defaultWriter(catalogue);
  return Effect.map(resolve(profile, "built_in", catalogue), (found) => ({
    profile: found,
    diagnostics: diagnostics.map(({ message }) => message),
  }));
};

const resolved = (document: unknown, source: ProfileSource, catalogue: Catalogue): Effect.Effect<FoundProfile, Fatal> =>
  Effect.fromResult(Result.mapError(Profile.decode(document), refusal)).pipe(
    Effect.flatMap((profile) => resolve(profile, source, catalogue)),
    Effect.map((profile) => ({ profile, diagnostics: [] })),
  );

const resolve = (profile: Profile.Profile, source: ProfileSource, catalogue: Catalogue) =>
  Effect.fromResult(Result.mapError(resolveProfile(profile, { catalogue, source, purpose: "direct" }), refusal));

const refusal = (issues: ReadonlyArray<ProfileIssue>): Fatal => {
  const [first, ...others] = issues;
  if (first === undefined) return fatal("agent.profile_contract_invalid", "The profile cannot be used.");
  const place = first.path === "" ? "" : ` (${first.path})`;
  const more = others.length === 0 ? "" : ` ${others.length} more: ${others.map(({ code }) => code).join(", ")}.`;
  return fatal(first.code, `The profile cannot be used: ${first.message}${place}${more}`, {
    details: { issues: issues.map(({ code, path, message }) => ({ code, path, message })) },
  });
};

const storedProfile = Effect.fnUntraced(function* (id: string): Effect.fn.Return<unknown, Fatal, DocumentStore> {
  if (!/^[a-z0-9_-]{1,128}$/.test(id)) return undefined;
  const documents = yield* DocumentStore;
  return yield* documents.get(profilesCollection, id).pipe(
    Effect.map((document): unknown => document.value),
    Effect.catchTag("NotFound", () => Effect.void),
    Effect.mapError(classifyStorage),
  );
});
