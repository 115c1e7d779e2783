/**
 * Whether a fork may use another model than the run that it comes from.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import { ResolvedProfile } from "@cahier/domain/profile/resolveProfile";
import type { RunState } from "@cahier/domain/run/RunState";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type { Payloads } from "../payload/Payloads.ts";
import * as Policies from "../policy/Policies.ts";
import { requireCountable } from "../run/startRun.ts";

const decodeProfile = Schema.decodeUnknownEffect(Schema.fromJsonString(ResolvedProfile));

/** Succeeds when the policy of the platform, as it stands now, and the run's profile allow the model. */
export const admitOtherModel = Effect.fn("Fork.admitOtherModel")(function* (
  { resolvedProfile }: RunState,
  payloads: Payloads,
  model: ModelBinding,
): Effect.fn.Return<void, Fatal, DocumentStore> {
  if (resolvedProfile === null)
    return yield* fatal("journal.corrupt", "The journal does not say which profile the run has.");
  const profile = yield* decodeProfile(yield* payloads.read(resolvedProfile)).pipe(
    Effect.mapError((cause) =>
      fatal("journal.corrupt", `${resolvedProfile.path} does not have the form that it was stored in.`, { cause }),
    ),
  );
  yield* requireCountable({ profile }, model);
  yield* Policies.layersForRun(profile, model);
});
