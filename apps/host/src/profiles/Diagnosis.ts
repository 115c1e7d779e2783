/**
 * What a stored profile can be used for here, what keeps it from more, and how that is repaired.
 *
 * Owns what blocks what. Does not own the rules of a profile (`domain/profile`) nor looking anything up: presets and
 * connections are looked up before, as `wanted` says.
 */
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import type { KnownTool } from "@cahier/domain/profile/CheckContext";
import { checkProfile } from "@cahier/domain/profile/checkProfile";
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";
import * as Profile from "@cahier/domain/profile/Profile";
import type { ProfileIssue } from "@cahier/domain/profile/ProfileIssue";
import type { PresetRef } from "@cahier/domain/profile/ProfileParts";
import { checkReadiness } from "@cahier/domain/profile/resolveProfile";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import type { RegisteredTool } from "@cahier/ports/ExtensionTools";
import * as Result from "effect/Result";
import { type MissingTool, missingExtensionTools } from "./missingExtensionTools.ts";

/** What a profile may be wanted for. */
export type Use = "preview" | "promptAssembly" | "directRun" | "subAgent";

/** What a person, or a program for them, can do about a diagnostic. */
export type RepairAction =
  | "selectPreset"
  | "selectModel"
  | "setModelRequiresConfiguration"
  | "openJsonEditor"
  | "normalizeIdentity"
  | "delete";

/** The codes that only a diagnosis gives. */
export const diagnosisCodes = {
  apiUnsupported: "agent.profile_preset_api_unsupported",
  connectionMissing: "agent.profile_model_connection_missing",
  connectionInvalid: "agent.profile_model_connection_invalid",
} as const satisfies Record<string, FailureCode>;

export type DiagnosticCode = FailureCode;

/** One thing to know. `blocks` is empty where nothing is kept from being done; `path` is a place in the document. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly path: string;
  readonly message: string;
  readonly blocks: ReadonlyArray<Use>;
  readonly repairActions: ReadonlyArray<RepairAction>;
}

/** What is wrong with the document itself; null when it is a profile that is kept under its own id. */
export type StorageIssue = "invalidJson" | "invalidFileIdentity" | "invalidProfile" | null;

export interface Diagnosis {
  readonly id: string;
  readonly previewAvailable: boolean;
  readonly promptAssemblyAvailable: boolean;
  readonly directRunAvailable: boolean;
  readonly subAgentAvailable: boolean;
  readonly storageIssue: StorageIssue;
  readonly diagnostics: ReadonlyArray<Diagnostic>;
}

/** Whether a preset is there. `unknown`: there is no folder to look in. A text says why it cannot be used. */
export type PresetState = "there" | "unknown" | { readonly missing: string };

/** Whether a connection is stored. A text says why it cannot be used. */
export type ConnectionState = "there" | "missing" | { readonly invalid: string };

/** What was found out for a profile; a state counts only where the profile names such a thing. */
export interface Surroundings {
  readonly catalogue: ReadonlyArray<KnownTool>;
  readonly preset: PresetState;
  readonly connection: ConnectionState;
  readonly extensionTools: ReadonlyArray<Pick<RegisteredTool, "enabled" | "toolId">>;
}

/** The preset and the connection that a stored document names, to be looked up; none where it is no profile. */
export const wanted = (value: unknown): { readonly preset?: PresetRef; readonly connection?: string } => {
  const decoded = Profile.decode(value);
  if (Result.isFailure(decoded)) return {};
  const { model, preset } = decoded.success;
  const connection = model?.mode === "connectionRef" ? model.connectionRef : undefined;
  return {
    ...(preset?.mode === "ref" && preset.ref !== undefined ? { preset: preset.ref } : {}),
    ...(connection === undefined || connection.trim() === "" ? {} : { connection }),
  };
};

/** The diagnosis of the document that is kept under an id. */
export const diagnose = (id: string, value: unknown, surroundings: Surroundings): Diagnosis => {
  const decoded = Profile.decode(value);
  if (Result.isFailure(decoded)) return unusable(id, "invalidProfile", decoded.failure.map(blocking));
  const profile = withDefaults(decoded.success);
  const isOwn = profile.id === id;
  const diagnostics = [
    ...(isOwn ? [] : [misplaced(profile.id, id)]),
    ...checkProfile(profile, { catalogue: surroundings.catalogue }).map(blocking),
    ...missingExtensionTools(profile.tools.allow, surroundings.extensionTools).map(missing),
    ...presetDiagnostics(profile, surroundings.preset),
    ...connectionDiagnostics(profile, surroundings.connection),
    ...readiness(profile),
  ];
  const isFree = (use: Use): boolean => !diagnostics.some(({ blocks }) => blocks.includes(use));
  return {
    id,
    previewAvailable: isFree("preview"),
    promptAssemblyAvailable: isFree("promptAssembly"),
    directRunAvailable: isFree("directRun") && profile.run.directRunnable,
    subAgentAvailable: isFree("subAgent") && profile.delegation.callable && profile.delegation.allowAsSubagent,
    storageIssue: isOwn ? null : "invalidFileIdentity",
    diagnostics,
  };
};

/** The diagnosis of a document that cannot be read at all. */
export const unreadable = (id: string, { code, message }: { readonly code: FailureCode; readonly message: string }) =>
  unusable(id, "invalidJson", [diagnostic(code, "", message, every, ["delete"])]);

const every: ReadonlyArray<Use> = ["preview", "promptAssembly", "directRun", "subAgent"];
const runs: ReadonlyArray<Use> = ["directRun", "subAgent"];

const unusable = (id: string, storageIssue: StorageIssue, diagnostics: ReadonlyArray<Diagnostic>): Diagnosis => ({
  id,
  previewAvailable: false,
  promptAssemblyAvailable: false,
  directRunAvailable: false,
  subAgentAvailable: false,
  storageIssue,
  diagnostics,
});

const diagnostic = (
  code: DiagnosticCode,
  path: string,
  message: string,
  blocks: ReadonlyArray<Use>,
  repairActions: ReadonlyArray<RepairAction>,
): Diagnostic => ({ code, path, message, blocks, repairActions });

const blocking = ({ code, message, path }: ProfileIssue): Diagnostic =>
  diagnostic(code, path, message, every, ["openJsonEditor"]);

const misplaced = (own: string, id: string): Diagnostic =>
  diagnostic(
    "agent.profile_contract_invalid",
    "id",
    `It is kept as ${id} and says that it is ${own === "" ? "nobody" : own}.`,
    every,
    ["normalizeIdentity"],
  );

/** Extensions come and go, so a tool of one keeps its place; runs do without it meanwhile. */
const missing = ({ index, toolId }: MissingTool): Diagnostic =>
  diagnostic(
    "extension.tool_unavailable",
    `tools.allow[${index}]`,
    `No extension offers "${toolId}" here now; a run does without it until one does.`,
    [],
    [],
  );

/** A preset that is not there keeps nothing from being done unless the profile requires it: the prompt is made without. */
const presetDiagnostics = ({ preset }: CompleteProfile, state: PresetState): ReadonlyArray<Diagnostic> => {
  const { mode, ref, required } = preset;
  if (mode !== "ref" || ref === undefined || ref.apiId === "" || ref.name.trim() === "") return [];
  const blocks = required ? every : [];
  const without = required ? "" : " Without it the prompt is made in the order of SillyTavern's default preset.";
  if (ref.apiId !== "openai") {
    const message = `Prompts are made by presets for openai, not for ${ref.apiId}.${without}`;
    return [diagnostic(diagnosisCodes.apiUnsupported, "preset.ref.apiId", message, blocks, ["selectPreset"])];
  }
  if (state === "there") return [];
  if (state === "unknown") {
    const message = `Whether there is a preset "${ref.name}" is not known here. Name SillyTavern's user folder.`;
    return [diagnostic("agent.profile_preset_missing", "preset.ref", message, [], [])];
  }
  const message = `The preset "${ref.name}" cannot be used. ${state.missing}${without}`;
  return [diagnostic("agent.profile_preset_missing", "preset.ref", message, blocks, ["selectPreset"])];
};

const connectionDiagnostics = ({ model }: CompleteProfile, state: ConnectionState): ReadonlyArray<Diagnostic> => {
  const { connectionRef = "", mode } = model;
  if (mode !== "connectionRef" || connectionRef.trim() === "" || state === "there") return [];
  const actions = ["selectModel", "setModelRequiresConfiguration"] as const;
  return state === "missing"
    ? [
        diagnostic(
          diagnosisCodes.connectionMissing,
          "model.connectionRef",
          `No connection "${connectionRef}" is stored.`,
          runs,
          actions,
        ),
      ]
    : [diagnostic(diagnosisCodes.connectionInvalid, "model.connectionRef", state.invalid, runs, actions)];
};

/** A profile that only others call needs no more than that. */
const readiness = (profile: CompleteProfile): ReadonlyArray<Diagnostic> =>
  Array.from(checkReadiness(profile, profile.run.directRunnable ? "direct" : "subagent"), ({ code, message, path }) =>
    code === "agent.profile_model_requires_configuration"
      ? diagnostic(code, path, message, runs, ["selectModel"])
      : diagnostic(code, path, message, ["directRun"], ["openJsonEditor"]),
  );
