/**
 * The presets of a SillyTavern user folder, by the names that SillyTavern lists them under.
 */
import { basename, join } from "node:path";
import type { PresetRef } from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import * as MaterialFile from "./MaterialFile.ts";
import { MaterialFault } from "./MaterialFault.ts";
import type { Preset } from "./Preset.ts";

/**
 * Finds presets below a user folder, such as `data/default-user`; each is read anew. Fails with `Missing` for a name that no
 * file there has and for a kind of preset that no prompt is made by, else as `MaterialFile.readPreset` does.
 */
export const lookup =
  (userFolder: string) =>
  ({ apiId, name }: PresetRef): Effect.Effect<Preset, MaterialFault> => {
    if (apiId !== "openai") return missing(`Prompts are made by presets for openai, not for ${apiId}.`);
    if (name === "" || name !== basename(name) || name.includes("\\")) {
      return missing("A preset's name has no folder in it. Choose a preset by the name that SillyTavern shows.");
    }
    return MaterialFile.readPreset(join(userFolder, "OpenAI Settings", `${name}.json`));
  };

const missing = (detail: string): Effect.Effect<never, MaterialFault> =>
  Effect.fail(new MaterialFault({ reason: { _tag: "Missing" }, detail }));
