/**
 * The agents that a run's agents can give work to, and what one of them is to work with.
 *
 * Owns looking them up as they are stored now: whoever names one freezes what is found. Does not own whether one may be
 * called (`domain/task/decideDelegation`).
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { PolicyLayers } from "@cahier/domain/policy/decide";
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";
import * as Profile from "@cahier/domain/profile/Profile";
import { type ProfilePurpose, type ResolvedProfile, resolveProfile } from "@cahier/domain/profile/resolveProfile";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import { type Caller, isEligible, type Operation } from "@cahier/domain/task/decideDelegation";
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { type BoundModel, bindProfile } from "../connection/chooseModel.ts";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as Policies from "../policy/Policies.ts";
import { profilesCollection } from "../profile/findProfile.ts";
import { Tools } from "../tool/Tools.ts";

/** A stored profile. `resolved` is there when it can be run for the purpose that was asked about. */
export interface Agent {
  readonly profile: CompleteProfile;
  readonly resolved: ResolvedProfile | undefined;
}

/** An agent that somebody could name. */
export interface Callable {
  readonly id: string;
  readonly purpose: string;
  readonly operations: ReadonlyArray<Operation>;
}

export interface Agents {
  /** The stored profile of this id; undefined when there is none that can be read. */
  readonly find: (id: string, operation: Operation) => Effect.Effect<Agent | undefined, Fatal>;
  /** Everybody whom `caller` could name, by id. Profiles that cannot be used are left out. */
  readonly callable: (caller: Caller) => Effect.Effect<ReadonlyArray<Callable>, Fatal>;
  /** The model that a profile names by a connection, as the connection stands now. */
  readonly bind: (profile: ResolvedProfile) => Effect.Effect<BoundModel | undefined, Fatal>;
  /** What policy says to a profile's tools; a model that the platform does not allow is refused. */
  readonly layers: (profile: ResolvedProfile, binding: ModelBinding) => Effect.Effect<PolicyLayers, Fatal>;
}

/** The agents of the storage, over its documents. */
export const make = Effect.gen(function* () {
  const documents = yield* DocumentStore;
  const services = yield* Effect.context<DocumentStore | Tools>();
  const { catalogue: offered } = yield* Tools;
  const catalogueOf = Effect.map(offered, ({ tools }): Catalogue => tools.map(({ descriptor }) => descriptor));

  const read = (id: string, value: unknown, purpose: ProfilePurpose, catalogue: Catalogue): Agent | undefined => {
    const decoded = Profile.decode(value);
    if (Result.isFailure(decoded) || decoded.success.id !== id) return undefined;
    const profile = withDefaults(decoded.success);
    const resolved = resolveProfile(decoded.success, { catalogue, source: `file:${id}`, purpose });
    return {
      profile,
      resolved: Result.isSuccess(resolved) ? resolved.success : undefined,
    };
  };

  const find: Agents["find"] = Effect.fn("Agents.find")(function* (id, operation) {
    if (!/^[a-z0-9_-]{1,128}$/.test(id)) return undefined;
    const catalogue = yield* catalogueOf;
    return yield* documents.get(profilesCollection, id).pipe(
      Effect.map(({ value }) => read(id, value, purposes[operation], catalogue)),
      Effect.catchTag("NotFound", () => Effect.undefined),
      Effect.mapError(classifyStorage),
    );
  });

  const callable: Agents["callable"] = Effect.fn("Agents.callable")(function* (caller) {
    const found = yield* documents.list(profilesCollection).pipe(Effect.mapError(classifyStorage));
    const catalogue = yield* catalogueOf;
    return found.documents
      .flatMap(({ id, value }) => {
        const operations = (["delegate", "handoff"] as const).filter((operation) => {
          const agent = read(id, value, purposes[operation], catalogue);
          return agent?.resolved !== undefined && isEligible(operation, caller, agent.profile);
        });
        const profile = read(id, value, "subagent", catalogue)?.profile;
        return operations.length === 0 || profile === undefined
          ? []
          : [{ id, purpose: purposeOf(profile), operations }];
      })
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  });

  return {
    find,
    callable,
    bind: (profile) => Effect.provideContext(bindProfile(profile), services),
    layers: (profile, binding) => Effect.provideContext(Policies.layersForRun(profile, binding), services),
  } satisfies Agents;
});

/** Nobody to give work to. */
export const none: Pick<Agents, "callable" | "find"> = {
  find: () => Effect.undefined,
  callable: () => Effect.succeed([]),
};

type Catalogue = ReadonlyArray<ToolDescriptor>;

const purposes = { delegate: "subagent", handoff: "handoff" } as const satisfies Record<Operation, ProfilePurpose>;

/** What an agent is for, in one line. */
const purposeOf = ({ delegation, description, displayName }: CompleteProfile): string =>
  (delegation.descriptionForAgents ?? description ?? displayName).replaceAll(/\s+/g, " ").trim();
