/**
 * The laws of Shell.
 *
 * They use only what every shell has; a language beside it is asked for where the shell names it. What only one shell can do
 * stands in that adapter's own tests.
 */
import type { Shell } from "@cahier/ports/Shell";
import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { containing } from "../internal/laws/shell/Containing.ts";
import { ending } from "../internal/laws/shell/Ending.ts";
import { working } from "../internal/laws/shell/Working.ts";
import type * as Law from "../Law.ts";

/** What a command must not come by: it is there on the machine for as long as the scope. */
export interface ShellBait {
  /** The absolute path of a file of the host with `secret` in it. */
  readonly path: string;
  readonly secret: string;
  /** A variable of the environment of this process; its value is `secret`. */
  readonly variable: string;
  /** A port of the loopback interface on which something listens, and how often somebody came. */
  readonly port: number;
  readonly visits: Effect.Effect<number>;
}

export interface ShellHarness {
  readonly open: Effect.Effect<Shell["Service"], unknown, Scope.Scope>;
  readonly bait: Effect.Effect<ShellBait, unknown, Scope.Scope>;
}

export const laws: ReadonlyArray<Law.Law<ShellHarness>> = [...working, ...ending, ...containing];
