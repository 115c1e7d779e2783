/**
 * What a macro's name means.
 */
import type { MacroScene } from "./MacroScene.ts";

/** `source` is the macro between its braces with inner macros replaced; `at` counts the macros of its text before it. */
export interface MacroCall {
  readonly scene: MacroScene;
  readonly source: string;
  readonly at: number;
}

/** A call with fewer or more arguments than it takes stays as it is written. */
export interface MacroDefinition {
  readonly least: number;
  readonly most: number;
  readonly run: (args: ReadonlyArray<string>, call: MacroCall) => string;
}

/** By lower-case name. */
export type MacroTable = Readonly<Record<string, MacroDefinition>>;

/** A macro without arguments. */
export const value = (run: (scene: MacroScene) => string): MacroDefinition => ({
  least: 0,
  most: 0,
  run: (_, { scene }) => run(scene),
});

/** A macro with arguments. */
export const takes = (least: number, most: number, run: MacroDefinition["run"]): MacroDefinition => ({
  least,
  most,
  run,
});

/** The argument at a place, or the empty text. */
export const argument = (args: ReadonlyArray<string>, at: number): string => args[at] ?? "";
