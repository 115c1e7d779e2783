/**
 * Finds the profile that a run is to be started with and resolves it.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { visibleTools } from "@cahier/domain/profile/CompleteProfile";
import { defaultWriter, defaultWriterId } from "@cahier/domain/profile/defaultWriter";
import * as Profile from "@cahier/domain/profile/Profile";
import * as ProfileLayer from "@cahier/domain/profile/ProfileLayer";
import type { ProfileIssue } from "@cahier/domain/profile/ProfileIssue";
import { type ProfileSource, type ResolvedProfile, resolveProfile } from "@cahier/domain/profile/resolveProfile";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { type Catalogue as Offered, Tools } from "../tool/Tools.ts";

/** The collection of stored profiles; document ids are profile ids. */
export const profilesCollection = "agent-profiles";

/**
 * A profile by its id, or as a parsed document; neither means the built-in one, whatever is stored under its id. `layers` are
 * laid below and above it.
 */
export interface ProfileChoice {
  readonly id?: string;
  readonly document?: unknown;
  readonly layers?: ProfileLayers;
}

/**
 * Partial profiles, as parsed JSON: what the preset and the character carry, which a user's profile has the last word over, and
 * what the start itself overrides. The built-in profile lies below all of them. `sources` say where the first two were found.
 */
export interface ProfileLayers {
  readonly preset?: unknown;
  readonly character?: unknown;
  readonly overrides?: unknown;
  readonly sources?: { readonly preset?: string; readonly character?: string };
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
  const offered = yield* (yield* Tools).catalogue;
  const catalogue = offered.tools.map((tool) => tool.descriptor);
  const { diagnostics, profile, source } = yield* chosen(choice, catalogue);
  const { denials, layers, traces } = yield* Effect.fromResult(
    Result.mapError(layersOf(choice.layers ?? {}, profile, source), (issues) => refusal(issues)),
  );
  const resolved =
    layers.length === 1
      ? resolveProfile(profile, { catalogue, source, purpose: "direct" })
      : Result.flatMap(ProfileLayer.merge(profile, layers), (merged) =>
          resolveProfile(merged, { catalogue, source, layers: traces, denials, purpose: "direct" }),
        );
  const found = yield* Effect.fromResult(Result.mapError(resolved, (issues) => refusal(issues, traces)));
  return { profile: found, diagnostics: [...diagnostics, ...missingOf(found, offered)] };
});

/** The profile itself, without anything above or below it. */
interface Chosen {
  readonly profile: Profile.Profile;
  readonly source: ProfileSource;
  readonly diagnostics: ReadonlyArray<string>;
}

/** Tools from outside that the profile names and that are not there now: they are left out of the run, and told. */
const missingOf = (profile: ResolvedProfile, { tools, whyAbsent }: Offered): ReadonlyArray<string> => {
  const there = new Set<string>(tools.map(({ descriptor }) => descriptor.id));
  return visibleTools(profile).flatMap((id) => {
    if (there.has(id) || id.startsWith("builtin:")) return [];
    const why = whyAbsent(id).map(({ code, message }) => `${message} [${code}]`);
    return why.length > 0 ? why : [`${id} is not there now and is left out.`];
  });
};

type Catalogue = ReadonlyArray<Offered["tools"][number]["descriptor"]>;

const chosen = Effect.fnUntraced(function* (
  { document, id }: ProfileChoice,
  catalogue: Catalogue,
): Effect.fn.Return<Chosen, Fatal, DocumentStore> {
  if (document !== undefined) return yield* decoded(document, "file:given");
  if (id === undefined) return builtIn(catalogue);
  const stored = yield* storedProfile(id);
  if (stored !== undefined) return yield* decoded(stored, `file:${id}`);
  if (id === defaultWriterId) return builtIn(catalogue);
  return yield* fatal(
    "agent.profile_not_found",
    `There is no profile "${id}". Name a stored one, a file, or ${defaultWriterId}.`,
  );
});

const builtIn = (catalogue: Catalogue): Chosen => {
  const { profile, diagnostics } = defaultWriter(catalogue);
  return { profile, source: "built_in", diagnostics: diagnostics.map(({ message }) => message) };
};

const decoded = (document: unknown, source: ProfileSource): Effect.Effect<Chosen, Fatal> =>
  Effect.fromResult(Result.mapError(Profile.decode(document), (issues) => refusal(issues))).pipe(
    Effect.map((profile) => ({ profile, source, diagnostics: [] })),
  );

interface Layers {
  readonly layers: ReadonlyArray<ProfileLayer.PartialProfile>;
  readonly traces: ReadonlyArray<ProfileLayer.LayerTrace>;
  readonly denials: ProfileLayer.Denials;
}

/** Every layer that there is, lowest first, or everything that is wrong with the first that is none. */
const layersOf = (
  { character, overrides, preset, sources = {} }: ProfileLayers,
  profile: Profile.Profile,
  source: ProfileSource,
): Result.Result<Layers, ReadonlyArray<ProfileIssue>> => {
  const isBuiltIn = source === "built_in";
  const own = { document: profile, layer: isBuiltIn ? "builtIn" : "user", source } as const;
  const given = [
    ...(isBuiltIn ? [own] : []),
    { document: preset, layer: "preset", source: sources.preset ?? "preset" } as const,
    { document: character, layer: "character", source: sources.character ?? "character" } as const,
    ...(isBuiltIn ? [] : [own]),
    { document: overrides, layer: "run", source: "start" } as const,
  ].filter(({ document }) => document !== undefined);
  const traces = given.map(({ layer, source: from }) => ({ layer, source: from }));
  return Result.map(
    Result.all(given.map(({ document, ...trace }) => ProfileLayer.decode(document, trace))),
    (layers) => ({
      layers,
      traces,
      denials: ProfileLayer.denialsOf(
        layers.map((said, index) => ({ layer: traces[index]?.layer ?? own.layer, said })),
      ),
    }),
  );
};

const refusal = (issues: ReadonlyArray<ProfileIssue>, traces: ReadonlyArray<ProfileLayer.LayerTrace> = []): Fatal => {
  const [first, ...others] = issues;
  if (first === undefined) return fatal("agent.profile_contract_invalid", "The profile cannot be used.");
  const place = first.path === "" ? "" : ` (${first.path})`;
  const more = others.length === 0 ? "" : ` ${others.length} more: ${others.map(({ code }) => code).join(", ")}.`;
  const made =
    traces.length < 2 ? "" : ` It is made of what several say: ${traces.map(({ source }) => source).join(", ")}.`;
  return fatal(first.code, `The profile cannot be used: ${first.message}${place}${more}${made}`, {
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
