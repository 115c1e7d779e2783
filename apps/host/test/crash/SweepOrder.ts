/**
 * What the sweep and its worker processes say to each other: an order on the command line, one JSON object a line after it.
 */
import type { Boundary, Counts } from "@cahier/testkit/crash/Boundary";
import type { Applied } from "@cahier/testkit/crash/Ending";
import type { Held } from "@cahier/testkit/crash/Gate";
import type { StoryName } from "./stories.ts";

/** What a worker is to do. `finish` carries every run to its end and reports on them. */
export interface SweepOrder {
  readonly task: "begin" | "carryOn" | "takeOver" | "finish";
  readonly boundaries: ReadonlyArray<Boundary | null>;
  readonly story: StoryName;
  /** As `--storage` names it. */
  readonly storage: string;
  readonly chats: ReadonlyArray<string>;
  /** Where effects are asked for. */
  readonly outside: string;
  /** The name of what is broken, for a sweep that must notice it. */
  readonly mutant?: string;
}

/** A run as its journal tells it in the end. `chat` is null for a run that was never admitted. */
export interface RunReport {
  readonly runId: string;
  readonly chat: string | null;
  readonly standing: "completed" | "neverBegun" | "stuck";
  readonly detail?: string;
  readonly unknown: ReadonlyArray<string>;
  readonly faults: ReadonlyArray<string>;
  readonly attempts: number;
  /** What the storage shows of the state that the run published. */
  readonly published: ReadonlyArray<Applied>;
  /** How the tasks of its agents ended, and that their results were told, as its journal has it. */
  readonly tasks: ReadonlyArray<Applied>;
}

/** What a worker says. Each run whose start returned is one `started`, each that is not carried on any more one `ended`. */
export type Said =
  | { readonly _tag: "begun" }
  | { readonly _tag: "started"; readonly chat: string }
  | { readonly _tag: "ended" }
  | { readonly _tag: "settled"; readonly held: ReadonlyArray<Held> }
  | { readonly _tag: "done"; readonly counts: ReadonlyArray<Counts> }
  | { readonly _tag: "reports"; readonly reports: ReadonlyArray<RunReport> };

/** What it is told on its standard input, a word a line. */
export type Told = "letGo" | "free";
