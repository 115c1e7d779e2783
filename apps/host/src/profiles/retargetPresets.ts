/**
 * Profiles that name a preset, after that preset has got another name.
 */
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import * as Predicate from "effect/Predicate";
import type { PresetRef } from "@cahier/domain/profile/ProfileParts";
import type * as Schema from "effect/Schema";
import { type PresetState } from "./Diagnosis.ts";

/** The codes under which a retargeting is refused. */
export const retargetCodes = {
  fromApi: "agent.profile_preset_retarget_from_api_required",
  fromName: "agent.profile_preset_retarget_from_name_required",
  toApi: "agent.profile_preset_retarget_to_api_required",
  toName: "agent.profile_preset_retarget_to_name_required",
  sameRef: "agent.profile_preset_retarget_same_ref",
  apiMismatch: "agent.profile_preset_retarget_api_mismatch",
  targetMissing: "agent.profile_preset_retarget_target_missing",
} as const satisfies Record<string, FailureCode>;

/** Why nothing is retargeted. */
export interface RetargetRefusal {
  readonly code: (typeof retargetCodes)[keyof typeof retargetCodes];
  readonly message: string;
}

/** From which preset to which one. */
export interface Retargeting {
  readonly from: PresetRef;
  readonly to: PresetRef;
}

/** What the two words `API/NAME` ask for, or what is wrong with them. Whether the target is there is asked by `requireTarget`. */
export const readRetargeting = (from: string, to: string): Retargeting | RetargetRefusal => {
  const [one, other] = [refOf(from), refOf(to)];
  if (one.apiId === "") return refusal("fromApi", `"${from}" names no API. Name the old preset as openai/NAME.`);
  if (one.name === "") return refusal("fromName", `"${from}" names no preset. Name the old preset as openai/NAME.`);
  if (other.apiId === "") return refusal("toApi", `"${to}" names no API. Name the new preset as openai/NAME.`);
  if (other.name === "") return refusal("toName", `"${to}" names no preset. Name the new preset as openai/NAME.`);
  if (one.apiId !== other.apiId)
    return refusal("apiMismatch", `${from} and ${to} are of two APIs. A preset keeps its API when it is renamed.`);
  if (one.name === other.name) return refusal("sameRef", `${from} and ${to} are the same preset.`);
  return { from: one, to: other };
};

/** Refuses a target that is known not to be there. */
export const requireTarget = ({ to }: Retargeting, state: PresetState): RetargetRefusal | undefined =>
  typeof state === "string"
    ? undefined
    : refusal("targetMissing", `The preset "${to.name}" cannot be used. ${state.missing}`);

/** The document with the new preset in the old one's place; undefined where it does not name the old one. */
export const retargeted = (value: unknown, { from, to }: Retargeting): Schema.Json | undefined => {
  const document = objectOf(value);
  const preset = objectOf(document?.["preset"]);
  const ref = objectOf(preset?.["ref"]);
  if (document === undefined || preset === undefined || ref === undefined) return undefined;
  return ref["apiId"] === from.apiId && ref["name"] === from.name
    ? { ...document, preset: { ...preset, ref: { ...ref, ...to } } }
    : undefined;
};

const refusal = (why: keyof typeof retargetCodes, message: string): RetargetRefusal => ({
  code: retargetCodes[why],
  message,
});

/** Without a slash the word is a name. */
const refOf = (stated: string): PresetRef => {
  const slash = stated.indexOf("/");
  return { apiId: stated.slice(0, Math.max(0, slash)).trim(), name: stated.slice(slash + 1).trim() };
};

type JsonObject = { readonly [key: string]: Schema.Json };

const objectOf = (value: unknown): JsonObject | undefined =>
  Predicate.isObject(value) && !Array.isArray(value) ? (value as JsonObject) : undefined;
