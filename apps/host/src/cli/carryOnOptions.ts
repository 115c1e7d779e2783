/**
 * How a command line carries runs on: what it allows without asking, whether somebody is there who answers, and who is
 * told how far a tool is.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { CarryOnOptions } from "@cahier/application/run/Runs";
import * as Effect from "effect/Effect";
import { showProgress } from "../timeline/showProgress.ts";
import { approvedPatterns } from "./approvedPatterns.ts";
import { has, type ParsedCommand } from "./parse.ts";

/** `--approve` and `--attended`; a terminal at both ends is attended by itself. */
export const carryOnOptions = (command: ParsedCommand): Effect.Effect<CarryOnOptions, Fatal> =>
  Effect.map(approvedPatterns(command), (approve) => ({
    approve,
    isAttended: hasTerminal(command) || has(command, "attended"),
    ...(has(command, "json") || has(command, "quiet")
      ? {}
      : { onProgress: showProgress((line) => void process.stdout.write(`${line}\n`), Date.now) }),
  }));

/** Somebody sits at the terminal and can be asked. */
export const hasTerminal = (command: ParsedCommand): boolean =>
  process.stdin.isTTY && process.stdout.isTTY && !has(command, "json");
