/**
 * What a fork does otherwise than the run that it comes from: another model, another profile.
 *
 * Chosen and checked before anything is made, recorded behind the shared events. What is not changed stays as it was
 * frozen; the prompt is shared and never changes.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { type InvocationId, ProfileId, rootInvocation } from "@cahier/domain/identity/Identity";
import { ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { Payload } from "@cahier/domain/payload/Payload";
import { ResolvedProfile } from "@cahier/domain/profile/resolveProfile";
import { draft, type PayloadOf } from "@cahier/domain/run/RunEvent";
import type { RunState } from "@cahier/domain/run/RunState";
import { profileOf } from "@cahier/domain/run/tasks";
import { type InvocationToolSnapshot, trust } from "@cahier/domain/tool/ToolSnapshot";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { type AskedModel, bindAsked, bindProfile, type BoundModel, originOf } from "../connection/chooseModel.ts";
import * as Identifiers from "../identity/Identifiers.ts";
import type { Payloads } from "../payload/Payloads.ts";
import * as Policies from "../policy/Policies.ts";
import { findProfile, type FoundProfile, type ProfileChoice } from "../profile/findProfile.ts";
import { foregroundLimits } from "../profile/limitsOf.ts";
import * as paths from "../run/paths.ts";
import type { RunWriter } from "../run/RunWriter.ts";
import { requireCommit, requireCountable } from "../run/startChecks.ts";
import * as AgentSkills from "../skill/AgentSkills.ts";
import { ambientOf, type ResolvedSkills, resolveSkills, scopesResolved } from "../skill/resolveSkills.ts";
import { prepareSnapshot } from "../tool/prepareSnapshot.ts";
import { Tools } from "../tool/Tools.ts";
import type { Prefix } from "./readPrefix.ts";

/** What is asked for; both are optional. */
export interface AskedChanges {
  readonly profile?: ProfileChoice;
  readonly model?: AskedModel;
}

/** Another profile, the tools that it gives, and the id by which the run has it. */
export interface ProfileChange {
  readonly found: FoundProfile;
  readonly profileId: ProfileId;
  readonly snapshot: InvocationToolSnapshot;
  readonly skills: ResolvedSkills;
}

/** What changes. */
export interface Changes {
  readonly model?: BoundModel;
  readonly profile?: ProfileChange;
}

const decodeBinding = Schema.decodeUnknownEffect(Schema.fromJsonString(ModelBinding));
const decodeProfile = Schema.decodeUnknownEffect(Schema.fromJsonString(ResolvedProfile));

/** The changes that are asked for. What policy as it stands now, or this runtime, does not allow is refused as at a start. */
export const choose = Effect.fn("Fork.chooseChanges")(function* (
  { state }: Prefix,
  payloads: Payloads,
  { model: askedModel, profile: asked }: AskedChanges,
): Effect.fn.Return<Changes, Fatal, DocumentStore | Tools> {
  if (asked === undefined) {
    if (askedModel === undefined) return {};
    const model = yield* bindAsked(askedModel);
    const profile = yield* read(payloads, profileOf(state, state.foreground ?? rootInvocation), decodeProfile);
    yield* requireCountable({ profile }, model.binding);
    yield* Policies.layersForRun(profile, model.binding);
    return { model };
  }
  const found = yield* findProfile(asked);
  const invocation = state.invocations[state.foreground ?? rootInvocation];
  const model = askedModel === undefined ? yield* bindProfile(found.profile) : yield* bindAsked(askedModel);
  const used = model?.binding ?? (yield* read(payloads, invocation?.binding ?? null, decodeBinding));
  yield* requireCountable(found, used);
  const profileId = yield* Effect.fromOption(ProfileId.makeOption(found.profile.id)).pipe(
    Effect.mapError(() => fatal("agent.profile_id_invalid", `"${found.profile.id}" cannot be the id of a profile.`)),
  );
  const earlier = yield* toolsOf(payloads, invocation?.context?.toolSnapshot ?? null);
  const snapshot = yield* prepared(found, used, earlier);
  yield* requireCommit({ found, snapshot });
  const { preset } = (yield* AgentSkills.read(payloads, invocation?.context?.skills)).ambient;
  const ambient = state.target === null ? {} : ambientOf(state.target.chatRef, preset);
  const skills = yield* resolveSkills(found.profile, ambient);
  return { ...(model === undefined ? {} : { model }), profile: { found, profileId, snapshot, skills } };
});

/** Records the changes behind the fork. */
export const record = Effect.fnUntraced(function* (
  writer: RunWriter,
  invocationId: InvocationId,
  payloads: Payloads,
  { events }: Prefix,
  { model, profile }: Changes,
): Effect.fn.Return<void, Fatal> {
  if (model !== undefined)
    writer.record(
      draft("agent_model_binding_resolved", invocationId, {
        invocationId,
        ...originOf(model),
        binding: yield* payloads.store(paths.modelBinding(invocationId), JSON.stringify(model.binding)),
        source: model.binding.source,
        format: model.binding.format,
        modelId: model.binding.modelId,
      }),
    );
  if (profile === undefined) return;
  const { found, profileId, skills, snapshot } = profile;
  // Each agent of the run has one of its own.
  const assembled = events
    .filter(({ type }) => type === "context_assembled")
    .map(({ payload }) => payload as unknown as PayloadOf<"context_assembled">)
    .findLast((payload) => payload.invocationId === invocationId);
  if (assembled === undefined)
    return yield* fatal("journal.corrupt", "The journal does not say what the run was started with.");
  const { skills: _skills, ...before } = assembled;
  writer.record(
    draft("profile_resolved", invocationId, {
      profileId,
      source: found.profile.sourceTrace.profileSource,
      resolvedProfile: yield* payloads.store(paths.resolvedProfile, JSON.stringify(found.profile)),
      diagnostics: found.diagnostics,
    }),
    ...(skills.isRecorded ? [scopesResolved(invocationId, profileId, skills)] : []),
    draft("context_assembled", invocationId, {
      ...before,
      request: {
        ...before.request,
        ...(model === undefined ? {} : requestOf(model.binding)),
        toolCount: snapshot.bindings.length,
      },
      tools: snapshot.bindings.map(({ descriptor }) => descriptor.id),
      limits: foregroundLimits(found.profile),
      toolSnapshot: yield* payloads.store(paths.toolSnapshot(invocationId), JSON.stringify(snapshot)),
      ...(skills.isRecorded
        ? { skills: yield* payloads.store(paths.frozenSkills(invocationId), JSON.stringify(skills.frozen)) }
        : {}),
    }),
  );
});

const requestOf = ({ format, modelId, source }: ModelBinding) => ({ source, format, model: modelId });

/** The tools of the new profile; one that the run has had keeps its name. */
const prepared = Effect.fnUntraced(function* (
  { profile }: FoundProfile,
  model: ModelBinding,
  earlier: InvocationToolSnapshot,
): Effect.fn.Return<InvocationToolSnapshot, Fatal, DocumentStore | Tools> {
  const { tools: catalog } = yield* (yield* Tools).catalogue;
  const { next } = yield* Identifiers.Identifiers;
  const request = {
    id: `tools_${next()}`,
    catalog,
    scene: "chat" as const,
    profile,
    layers: yield* Policies.layersForRun(profile, model),
    earlierAliases: new Map(
      earlier.bindings.map(({ descriptor, modelAlias }) => [descriptor.id as string, modelAlias]),
    ),
  };
  return yield* Effect.fromResult(
    Result.mapError(prepareSnapshot(request), ({ code, message }) => fatal(code, message)),
  );
});

const toolsOf = Effect.fnUntraced(function* (
  payloads: Payloads,
  payload: Payload | null,
): Effect.fn.Return<InvocationToolSnapshot, Fatal> {
  const found = payload === null ? undefined : trust(yield* payloads.read(payload));
  if (found === undefined) return yield* unreadable(payload);
  return yield* Effect.fromResult(Result.mapError(found, ({ code, message }) => fatal(code, message)));
});

const read = <A>(
  payloads: Payloads,
  payload: RunState["resolvedProfile"],
  decode: (json: unknown) => Effect.Effect<A, Schema.SchemaError>,
): Effect.Effect<A, Fatal> =>
  payload === null
    ? Effect.fail(unreadable(payload))
    : Effect.flatMap(payloads.read(payload), (json) =>
        Effect.mapError(decode(json), (cause) => unreadable(payload, cause)),
      );

const unreadable = (payload: Payload | null, cause?: unknown): Fatal =>
  payload === null
    ? fatal("journal.corrupt", "The journal does not say what the run was started with.")
    : fatal("journal.corrupt", `${payload.path} does not have the form that it was stored in.`, { cause });
