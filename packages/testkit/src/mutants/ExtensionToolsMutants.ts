/**
 * Broken registries of extension tools: at least one for each law of ExtensionTools.
 */
import { answering } from "../internal/mutants/extensionTools/Answering.ts";
import { registering } from "../internal/mutants/extensionTools/Registering.ts";
import type { ExtensionToolsHarness } from "../laws/ExtensionToolsLaws.ts";
import type { Mutant } from "../Mutant.ts";

export const mutants: ReadonlyArray<Mutant<ExtensionToolsHarness>> = [...registering, ...answering];
