/**
 * Broken shells: at least one for each law of Shell.
 */
import type { ShellHarness } from "../laws/ShellLaws.ts";
import { containing } from "../internal/mutants/shell/Containing.ts";
import { ending } from "../internal/mutants/shell/Ending.ts";
import { working } from "../internal/mutants/shell/Working.ts";
import type { Mutant } from "../Mutant.ts";

export const mutants: ReadonlyArray<Mutant<ShellHarness>> = [...working, ...ending, ...containing];
