/**
 * Profile files: those of this runtime, and those of the original in its schema versions 1 to 4.
 *
 * Owns what each field of the original is here, and what a portable profile leaves out. Does not own the shape and the rules of
 * a profile (`@cahier/domain/profile`), nor storing one. Nothing is granted that the file does not grant.
 */
import type { CheckContext } from "@cahier/domain/profile/CheckContext";
import { checkProfile } from "@cahier/domain/profile/checkProfile";
import { decode, type Profile } from "@cahier/domain/profile/Profile";
import { issue, type ProfileIssue } from "@cahier/domain/profile/ProfileIssue";
import { profileKind, profileSchemaVersion } from "@cahier/domain/profile/ProfileParts";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import * as Result from "effect/Result";
import { isArray, isObject, type JsonObject } from "../chat/internal/json.ts";
import * as fieldsOf from "../internal/fields.ts";
import * as foreignTools from "./foreignTools.ts";
import { type Converted, line, type Place, type ReportLine } from "./ProfileReport.ts";

/**
 * `report` tells of every field of the file, except those of a file of this runtime that are kept as they are. `issues` are
 * the rules that the profile breaks as it is: it can be saved when there are none.
 */
export interface ReadProfile {
  readonly profile: Profile;
  readonly report: ReadonlyArray<ReportLine>;
  readonly issues: ReadonlyArray<ProfileIssue>;
}

/** What a profile file of the original says it is. */
export const foreignKind = "tauritavern.agentProfile";

/**
 * `keepsConnection` is for files whose connection is known to be the reader's own, such as a copy that was kept; without it the
 * model is left open.
 */
export interface ReadContext extends CheckContext {
  readonly keepsConnection?: boolean;
}

/**
 * The profile in a file's parsed JSON. Built-in tools that a given catalogue does not have are left out, unless they are denied:
 * a denial stays. A connection of the same name is another one here, so the model is to be chosen again. Fails with
 * `agent.profile_contract_invalid`, `agent.profile_kind_invalid` or `agent.profile_schema_unsupported`.
 */
export const read = (
  json: unknown,
  context: ReadContext = {},
): Result.Result<ReadProfile, ReadonlyArray<ProfileIssue>> => {
  const isForeign = isObject(json) && json["kind"] === foreignKind;
  if (isForeign && !foreignVersions.has(json["schemaVersion"])) {
    return Result.fail([
      issue(
        "agent.profile_schema_unsupported",
        ["schemaVersion"],
        "Profiles of the original are read in its schema versions 1 to 4. Export the profile again in one of them.",
      ),
    ]);
  }
  const { fields, lines } = isForeign ? converted(json, context) : { fields: json, lines: [] };
  return Result.map(decode(fields), (found) => {
    const profile = context.keepsConnection === true ? found : portable(found);
    const leftOpen = profile === found ? [] : lost(found);
    const others = lines.filter(({ path }) => !leftOpen.some((other) => other.path === path));
    return {
      profile,
      report: [...others, ...leftOpen, ...hintsOn(profile)],
      issues: checkProfile(withDefaults(profile), context),
    };
  });
};

/** The profile as another installation can have it: a connection is named by nobody else, so a model is to be chosen again. */
export const portable = (profile: Profile): Profile => {
  const { model } = profile;
  const isNamed = model?.mode === "connectionRef" || model?.connectionRef !== undefined || model?.modelId !== undefined;
  return isNamed ? { ...profile, model: { mode: "requiresConfiguration" } } : profile;
};

/** The text of a portable profile's file. */
export const write = (profile: Profile): string => `${JSON.stringify(portable(profile), null, 2)}\n`;

/** What is told of a model that was left open. */
const lost = ({ model }: Profile): ReadonlyArray<ReportLine> => [
  line(["model", "mode"], "changed", "The model is to be chosen here."),
  ...(["connectionRef", "modelId"] as const).flatMap((key) =>
    model?.[key] === undefined ? [] : [line(["model", key], "dropped", `It was ${JSON.stringify(model[key])}.`)],
  ),
];

const foreignVersions: ReadonlySet<unknown> = new Set([1, 2, 3, 4]);

type Rule = (value: unknown, place: Place, here: foreignTools.Surroundings) => Converted;

const converted = (file: JsonObject, { catalogue }: CheckContext) => {
  const delegation = fieldsOf.object(file, "delegation");
  const callsAgents = fieldsOf.flag(delegation, "canDelegate") || fieldsOf.flag(delegation, "canHandoff");
  const here = { catalogue, callsAgents };
  const fields: Record<string, unknown> = { kind: profileKind, schemaVersion: profileSchemaVersion };
  const lines: Array<ReportLine> = [
    line(["kind"], "changed", `A profile has the kind ${profileKind} here.`),
    line(["schemaVersion"], "changed", `It is ${profileSchemaVersion} here.`),
  ];
  for (const [name, value] of Object.entries(file)) {
    if (name === "kind" || name === "schemaVersion") continue;
    const section = sections.get(name);
    if (section === undefined || !isObject(value)) {
      const isKnown = section !== undefined || texts.has(name);
      const { fields: own, lines: told } = plain(isKnown)(value, [name], here);
      Object.assign(fields, own);
      lines.push(...told);
      continue;
    }
    const parts = Object.entries(value).map(([key, said]) => {
      const place = [name, key];
      const present = olderNames.get(`${name}.${key}`);
      if (said !== null && present !== undefined) return renamed(said, place, present, value);
      const rule = said === null ? plain(true) : (rules.get(`${name}.${key}`) ?? plain(section.includes(key)));
      return rule(said, place, here);
    });
    fields[name] = Object.assign({}, ...parts.map((part) => part.fields));
    lines.push(...parts.flatMap((part) => part.lines));
  }
  return { fields, lines };
};

/** Fields by the names that older versions gave them. */
const olderNames: ReadonlyMap<string, string> = new Map([
  ["tools.mcpResultInlineCharLimit", "externalResultInlineCharLimit"],
]);

const renamed = (value: unknown, place: Place, present: string, section: JsonObject): Converted =>
  Object.hasOwn(section, present)
    ? { fields: {}, lines: [line(place, "dropped", `It is stated as ${place[0]}.${present} too.`)] }
    : { fields: { [present]: value }, lines: [line(place, "renamed", `It is called ${place[0]}.${present} here.`)] };

/** A field that is taken as it is where this runtime has it. */
const plain =
  (isKnown: boolean): Rule =>
  (value, place) => {
    const key = String(place.at(-1));
    if (value === null) return { fields: {}, lines: [line(place, "dropped", "It is empty.")] };
    if (!isKnown) return { fields: {}, lines: [line(place, "dropped", "There is no such field here.")] };
    return { fields: { [key]: value }, lines: [line(place, "kept")] };
  };

const texts = new Set(["id", "displayName", "description"]);

/** The sections and their fields that are the same here. */
const sections: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.entries({
    preset: ["mode", "ref", "required", "reasoningEffort"],
    model: ["mode", "connectionRef", "modelId"],
    run: ["presentation", "directRunnable", "stream", "modelRetry"],
    context: ["initialChatHistoryMessages", "includeActivatedWorldInfo"],
    delegation: [
      "canDelegate",
      "canHandoff",
      "callable",
      "allowAsSubagent",
      "allowAsHandoffTarget",
      "allowNestedDelegation",
      "allowedCallers",
      "descriptionForAgents",
      "maxConcurrentInvocations",
      "maxInvocationsPerRun",
      "resultBudgetTokens",
      "maxHandoffDepth",
    ],
    instructions: ["agentSystemPrompt"],
    tools: [
      "allow",
      "deny",
      "toolDescriptions",
      "maxRounds",
      "maxCallsPerRun",
      "maxCallsPerTool",
      "externalResultInlineCharLimit",
    ],
    skills: ["visible", "deny", "maxReadCharsPerCall", "maxReadCharsPerRun"],
    workspace: ["visibleRoots", "writableRoots"],
    plan: ["mode", "nodes", "beta"],
    output: ["artifacts"],
  }),
);

const asItIs = (place: Place, value: unknown, note: string): Converted => ({
  fields: { [String(place.at(-1))]: value },
  lines: [line(place, "kept", note)],
});

const rules: ReadonlyMap<string, Rule> = new Map(
  Object.entries<Rule>({
    "model.connectionRef": (value, place) =>
      asItIs(place, value, "Check that the connection of this name is the one that you mean."),
    "context.initialChatHistoryMessages": (value, place) =>
      typeof value === "number" && value < -1
        ? { fields: { initialChatHistoryMessages: -1 }, lines: [line(place, "changed", "-1 is the whole history.")] }
        : asItIs(place, value, ""),
    "delegation.allowNestedDelegation": (value, place) =>
      value === true
        ? {
            fields: { allowNestedDelegation: false },
            lines: [
              line(
                place,
                "changed",
                "It did nothing before; here it would let an agent with a task give tasks on. Set it to true if that is meant.",
              ),
            ],
          }
        : asItIs(place, value, ""),
    "tools.allow": foreignTools.allowed,
    "tools.deny": foreignTools.denied,
    "tools.maxCallsPerTool": (value, place, here) =>
      foreignTools.toolRecord(value, place, here, (limit) => ({ value: limit, lines: [] })),
    "tools.toolDescriptions": (value, place, here) =>
      foreignTools.toolRecord(value, place, here, (said, id, at) =>
        foreignTools.description(said, id, at, here.catalogue),
      ),
    "output.artifacts": (value, place) => {
      if (!isArray(value)) return asItIs(place, value, "");
      const lines = [line(place, "kept")];
      const artifacts = value.map((artifact, index) => {
        if (!isObject(artifact)) return artifact;
        const added = {
          ...(artifact["required"] === undefined ? { required: artifact["target"] === "messageBody" } : {}),
          ...(artifact["assemblyOrder"] === undefined ? { assemblyOrder: index } : {}),
        };
        const names = Object.keys(added);
        if (names.length > 0) lines.push(line([...place, index], "changed", `It has ${names.join(" and ")} added.`));
        return { ...artifact, ...added };
      });
      return { fields: { artifacts }, lines };
    },
  }),
);

/** What a person should know of a profile that came from elsewhere. */
const hintsOn = ({ run, tools }: Profile): ReadonlyArray<ReportLine> => {
  const allow = tools?.allow ?? [];
  const silent = (tools?.policy ?? []).flatMap(({ permission, tools: named }, index) =>
    permission === "always" ? [line(["tools", "policy", index], "kept", `It allows ${named.join(", ")} unasked.`)] : [],
  );
  const endless =
    run?.directRunnable !== false && !allow.includes("builtin:workspace.finish")
      ? [
          line(
            ["tools", "allow"],
            "kept",
            "builtin:workspace.finish is not allowed, and a run that is started with this profile needs it. Allow it before.",
          ),
        ]
      : [];
  return [...silent, ...endless];
};
