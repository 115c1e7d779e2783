/**
 * The parts that a profile has both as a person writes it and with all defaults applied.
 *
 * Owns the closed vocabularies and the small objects of a profile. Does not own defaults (`withDefaults`) nor rules
 * (`checkProfile`): numbers and names are plain here so that every broken rule can be reported under its own code.
 */
import * as Schema from "effect/Schema";
import { Permission } from "../tool/ToolDescriptor.ts";

/** What a profile document says it is. */
export const profileKind = "cahier.agentProfile";

/** The version of the schema that this runtime reads and writes. */
export const profileSchemaVersion = 1;

/** A struct whose unknown fields are reported in the words of a profile. */
export const closed = <const Fields extends Schema.Struct.Fields>(fields: Fields): Schema.Struct<Fields> =>
  Schema.Struct(fields).annotate({
    messageUnexpectedKey: "This is not a field of a profile; remove it or correct its name.",
  });

/** Where the prompt comes from: the snapshot of the moment, a stored preset, or no preset at all. */
export const PresetMode = Schema.Literals(["currentPromptSnapshot", "ref", "none"]);

export const PresetRef = closed({ apiId: Schema.String, name: Schema.String });
export type PresetRef = typeof PresetRef.Type;

/** Which model: that of the snapshot, a named connection, or none until somebody chooses one. */
export const ModelMode = Schema.Literals(["currentPromptSnapshot", "connectionRef", "requiresConfiguration"]);

/** `foreground` publishes to the chat, `background` does not. */
export const Presentation = Schema.Literals(["foreground", "background"]);
export type Presentation = typeof Presentation.Type;

/** Whether an interrupted run goes on by itself. */
export const ResumeMode = Schema.Literals(["auto", "manual"]);

/** Most tokens, money and time of a run; a missing limit is none. */
export const RunBudget = closed({
  tokens: Schema.optionalKey(Schema.Finite),
  cost: Schema.optionalKey(Schema.Finite),
  wallMs: Schema.optionalKey(Schema.Finite),
});

/** Whether earlier tool results stay in the context whole or as a summary. */
export const ToolResultForm = Schema.Literals(["full", "summary"]);

/** In which order tool results are kept when their budget does not hold all. */
export const ToolResultOrder = Schema.Literals(["oldestFirst", "newestFirst"]);

/** What becomes of a call that the profile does not allow, or that policy denies. */
export const CallRefusal = Schema.Literals(["return", "fail"]);

/** The language of generated instructions. */
export const Language = Schema.Literals(["en", "zh"]);

/** Replaces what the model reads about a tool; permissions and execution stay as they are. */
export const ToolDescription = closed({
  description: Schema.optionalKey(Schema.String),
  properties: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
});
export type ToolDescription = typeof ToolDescription.Type;

/** A permission for tools named by id or by pattern, such as `mcp/*` or `builtin:workspace.*`. */
export const ToolPolicy = closed({
  tools: Schema.Array(Schema.String),
  permission: Permission,
  reason: Schema.optionalKey(Schema.String),
});
export type ToolPolicy = typeof ToolPolicy.Type;

/**
 * A file that the run is to produce. `messageBody` is the one that becomes the chat's message, a `hiddenRunArtifact`
 * stays in the run.
 */
export const Artifact = closed({
  id: Schema.String,
  path: Schema.String,
  kind: Schema.String,
  target: Schema.Literals(["messageBody", "hiddenRunArtifact"]),
  required: Schema.Boolean,
  assemblyOrder: Schema.Int,
});
export type Artifact = typeof Artifact.Type;
