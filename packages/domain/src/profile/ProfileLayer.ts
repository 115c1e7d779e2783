/**
 * Profiles made of layers: what a preset, a character, a user and a start each say of one agent.
 *
 * Owns what a layer may say and how layers are put on top of one another. Does not own the rules that the whole must keep
 * (`checkProfile`) nor where layers come from.
 */
import * as Predicate from "effect/Predicate";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as Profile from "./Profile.ts";
import { issue, type ProfileIssue } from "./ProfileIssue.ts";
import { closed, profileKind, profileSchemaVersion } from "./ProfileParts.ts";
import { validator } from "./validator.ts";

/** The layers, lowest first. What a user has chosen takes the place of what is built in. */
export const LayerName = Schema.Literals(["builtIn", "preset", "character", "user", "run"]);
export type LayerName = typeof LayerName.Type;

/** Where one layer came from, in words of whoever brought it. */
export const LayerTrace = Schema.Struct({ layer: LayerName, source: Schema.String });
export type LayerTrace = typeof LayerTrace.Type;

const optional = Schema.optionalKey;

/** What a run takes from all of its agents, whatever their profiles say. */
export const Denials = Schema.Struct({ tools: Schema.Array(Schema.String), skills: Schema.Array(Schema.String) });
export type Denials = typeof Denials.Type;

/** A profile of which anything may be left out. What it is called and its header say nothing to the layers above and below. */
export const PartialProfile = closed({
  ...Profile.Profile.fields,
  kind: optional(Profile.Profile.fields.kind),
  schemaVersion: optional(Profile.Profile.fields.schemaVersion),
  id: optional(Profile.Profile.fields.id),
});
export type PartialProfile = typeof PartialProfile.Type;

/** The layer that `input` (parsed JSON) states, or everything that is wrong with its shape; each issue names the layer. */
export const decode = (
  input: unknown,
  trace: LayerTrace,
): Result.Result<PartialProfile, ReadonlyArray<ProfileIssue>> => {
  const where = ` It stands in what ${named[trace.layer]} says of the profile (${trace.source}).`;
  const inLayer = (found: ProfileIssue): ProfileIssue => ({ ...found, message: `${found.message}${where}` });
  const header = Profile.headerIssue(isRecord(input) ? { ...wholeHeader, ...input } : input);
  if (header !== undefined) return Result.fail([inLayer(header)]);
  return Result.mapError(validate(input), (found) =>
    found.map(({ path, message }) => inLayer(issue("agent.profile_contract_invalid", path, message))),
  );
};

/**
 * The profile `whole` among `layers`, lowest first, of which it is one. Fields of objects are taken from the highest layer that
 * states them and lists from there whole; a layer that states `model.mode` or `preset.mode` states all of that section. What
 * any layer denies stays denied: `tools.deny`, `skills.deny`, and rules of `tools.policy` that deny. The id is that of `whole`.
 */
export const merge = (
  whole: Profile.Profile,
  layers: ReadonlyArray<PartialProfile>,
): Result.Result<Profile.Profile, ReadonlyArray<ProfileIssue>> =>
  Profile.decode({
    ...layers.reduce<PartialProfile>(over, {}),
    kind: whole.kind,
    schemaVersion: whole.schemaVersion,
    id: whole.id,
  });

/** What layers deny that are not a profile of one agent's own: they speak of the whole run. */
export const denialsOf = (
  layers: ReadonlyArray<{ readonly layer: LayerName; readonly said: PartialProfile }>,
): Denials => {
  const ofRun = layers.filter(({ layer }) => layer !== "builtIn" && layer !== "user").map(({ said }) => said);
  return {
    tools: ofRun.reduce<ReadonlyArray<string>>((denied, { tools }) => union(denied, tools?.deny), []),
    skills: ofRun.reduce<ReadonlyArray<string>>((denied, { skills }) => union(denied, skills?.deny), []),
  };
};

const validate = validator(PartialProfile);

const wholeHeader = { kind: profileKind, schemaVersion: profileSchemaVersion };

const named: { readonly [Layer in LayerName]: string } = {
  builtIn: "the runtime",
  preset: "the preset",
  character: "the character",
  user: "the user",
  run: "the start",
};

const over = (lower: PartialProfile, upper: PartialProfile): PartialProfile => {
  const merged = deep(lower, upper) as PartialProfile;
  const { model, preset } = upper;
  const tools = merged.tools ?? {};
  const skills = merged.skills ?? {};
  const denied = union(lower.tools?.deny, upper.tools?.deny);
  const deniedSkills = union(lower.skills?.deny, upper.skills?.deny);
  const denials = (lower.tools?.policy ?? []).filter(({ permission }) => permission === "deny");
  const policy = tools.policy ?? [];
  const kept = denials.filter((denial) => !policy.some((rule) => JSON.stringify(rule) === JSON.stringify(denial)));
  return {
    ...merged,
    ...(model?.mode === undefined ? {} : { model }),
    ...(preset?.mode === undefined ? {} : { preset }),
    ...(denied.length === 0 && kept.length === 0
      ? {}
      : {
          tools: {
            ...tools,
            ...(denied.length === 0 ? {} : { deny: denied }),
            ...(kept.length === 0 ? {} : { policy: [...kept, ...policy] }),
          },
        }),
    ...(deniedSkills.length === 0 ? {} : { skills: { ...skills, deny: deniedSkills } }),
  };
};

/** Objects are put together field by field; of everything else the upper one stands. */
const deep = (lower: unknown, upper: unknown): unknown => {
  if (upper === undefined) return lower;
  if (!isRecord(lower) || !isRecord(upper)) return upper;
  const keys = [...new Set([...Object.keys(lower), ...Object.keys(upper)])];
  return Object.fromEntries(
    keys.map((key) => [key, Object.hasOwn(upper, key) ? deep(own(lower, key), upper[key]) : lower[key]]),
  );
};

const own = (record: { readonly [key: string]: unknown }, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined;

const union = (one: ReadonlyArray<string> = [], other: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  ...new Set([...one, ...other]),
];

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  Predicate.isObject(value) && !Array.isArray(value);
