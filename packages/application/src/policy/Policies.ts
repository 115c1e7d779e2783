/**
 * The stored policies of the platform and of the user, and what they come to for a profile.
 *
 * Owns reading and writing the two documents of the collection `policies`. Does not own their form (`domain/policy/Policy`)
 * nor precedence (`domain/policy/decide`).
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import { admitModel } from "@cahier/domain/policy/admitModel";
import type { PolicyLayers } from "@cahier/domain/policy/decide";
import { matchesAny } from "@cahier/domain/policy/pattern";
import * as Policy from "@cahier/domain/policy/Policy";
import type { PolicyDecision } from "@cahier/domain/policy/PolicyDecision";
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { decideOn } from "../tool/prepareSnapshot.ts";
import { Tools } from "../tool/Tools.ts";

/** The collection of policies; the document ids are the owners. */
export const policiesCollection = "policies";

/** Whose policy: that of whoever runs the platform, or the user's own. Both can only narrow what a profile allows. */
export type PolicyOwner = "platform" | "user";

/** A policy as it is stored; revision 0 is that of a policy that nobody has written. */
export interface StoredPolicy {
  readonly policy: Policy.Policy;
  readonly revision: number;
}

/** The owner's policy. One that is stored and cannot be read is refused with its code: nothing runs past it. */
export const read = Effect.fn("Policies.read")(function* (
  owner: PolicyOwner,
): Effect.fn.Return<StoredPolicy, Fatal, DocumentStore> {
  const documents = yield* DocumentStore;
  const document = yield* documents.get(policiesCollection, owner).pipe(
    Effect.catchTag("NotFound", () => Effect.undefined),
    Effect.mapError(classifyStorage),
  );
  if (document === undefined) return { policy: Policy.empty, revision: 0 };
  const policy = yield* decoded(document.value, owner, `The stored policy of the ${owner} cannot be used`);
  return { policy, revision: document.revision };
});

/** Puts a policy (parsed JSON) in place of the owner's present one. A policy that is wrong changes nothing. */
export const write = Effect.fn("Policies.write")(function* (
  owner: PolicyOwner,
  input: unknown,
): Effect.fn.Return<Policy.Policy, Fatal, DocumentStore> {
  const policy = yield* decoded(input, owner, "The policy cannot be used");
  const documents = yield* DocumentStore;
  // What stands there now may be damaged, and is replaced whatever it is.
  const revision = yield* documents.get(policiesCollection, owner).pipe(
    Effect.map((document) => document.revision),
    Effect.catchTag("NotFound", () => Effect.succeed(0)),
    Effect.mapError(classifyStorage),
  );
  yield* documents.put(policiesCollection, owner, revision, policy).pipe(Effect.mapError(classifyStorage));
  return policy;
});

/** All layers for the tools of a profile, as they stand now. */
export const layersFor = Effect.fn("Policies.layersFor")(function* (
  profile: Pick<CompleteProfile, "tools">,
): Effect.fn.Return<PolicyLayers, Fatal, DocumentStore> {
  const platform = yield* read("platform");
  return yield* layersUnder(platform.policy, profile);
});

/** The same for a run that is to use this model. A model that the platform does not allow is refused here, before a byte is sent. */
export const layersForRun = Effect.fn("Policies.layersForRun")(function* (
  profile: Pick<CompleteProfile, "tools">,
  binding: ModelBinding,
): Effect.fn.Return<PolicyLayers, Fatal, DocumentStore> {
  const { policy } = yield* read("platform");
  const admitted = admitModel(policy.models, binding);
  if (Result.isFailure(admitted)) return yield* fatal(admitted.failure.code, admitted.failure.message);
  return yield* layersUnder(policy, profile);
});

/** Of ids and patterns those that begin as a built-in tool does and fit none: they are most likely misspelt. */
export const unknownTools = Effect.fn("Policies.unknownTools")(function* (
  patterns: ReadonlyArray<string>,
): Effect.fn.Return<ReadonlyArray<string>, never, Tools> {
  const { tools } = yield* (yield* Tools).catalogue;
  return patterns.filter(
    (pattern) =>
      pattern.startsWith("builtin:") && !tools.some(({ descriptor }) => matchesAny([pattern], descriptor.id)),
  );
});

/** What policy says of one tool. */
export interface Explanation {
  readonly tool: ToolDescriptor;
  readonly decision: PolicyDecision;
}

/** What policy says of every tool of the catalogue, in its order, or of the one that is named. */
export const explain = Effect.fn("Policies.explain")(function* (
  profile: Pick<CompleteProfile, "tools">,
  toolId?: string,
): Effect.fn.Return<ReadonlyArray<Explanation>, Fatal, DocumentStore | Tools> {
  const { tools } = yield* (yield* Tools).catalogue;
  const layers = yield* layersFor(profile);
  const asked = tools.filter(({ descriptor }) => toolId === undefined || descriptor.id === toolId);
  if (asked.length === 0)
    return yield* fatal(
      "usage.invalid",
      `There is no tool "${toolId}". There are: ${tools.map(({ descriptor }) => descriptor.id).join(", ")}.`,
    );
  return asked.map((tool) => ({ tool: tool.descriptor, decision: decideOn(layers, tool) }));
});

const layersUnder = (platform: Policy.Policy, profile: Pick<CompleteProfile, "tools">) =>
  Effect.map(read("user"), (user): PolicyLayers => ({
    platform: platform.rules,
    user: user.policy.rules,
    profile: profile.tools,
  }));

const decoded = (input: unknown, owner: PolicyOwner, what: string): Effect.Effect<Policy.Policy, Fatal> =>
  Effect.fromResult(Policy.decode(input, owner)).pipe(Effect.mapError((issues) => refusal(issues, what)));

const refusal = (issues: ReadonlyArray<Policy.PolicyIssue>, what: string): Fatal => {
  const [first, ...others] = issues;
  if (first === undefined) return fatal("policy.contract_invalid", `${what}.`);
  const place = first.path === "" ? "" : ` (${first.path})`;
  const more = others.length === 0 ? "" : ` ${others.length} more: ${others.map(({ code }) => code).join(", ")}.`;
  return fatal(first.code, `${what}: ${first.message}${place}${more}`, {
    details: { issues: issues.map(({ code, path, message }) => ({ code, path, message })) },
  });
};
