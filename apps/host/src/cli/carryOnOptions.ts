/**
 * How a command line carries runs on: what it allows without asking, and whether somebody is there who answers.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { CarryOnOptions } from "@cahier/application/run/Runs";
import * as Effect from "effect/Effect";
import { approvedPatterns } from "./approvedPatterns.ts";
import { has, type ParsedCommand } from "./parse.ts";

/** `--approve` and `--attended`; a terminal at both ends is attended by itself. */
export const carryOnOptions = (command: ParsedCommand): Effect.Effect<CarryOnOptions, Fatal> =>
  Effect.map(approvedPatterns(command), (approve) => ({
    approve,
    isAttended: hasTerminal(command) || has(command, "attended"),
  }));

/** Somebody sits at the terminal and can be asked. */
export const hasTerminal = (command: ParsedCommand): boolean =>
  process.stdin.isTTY && process.stdout.isTTY && !has(command, "json");
