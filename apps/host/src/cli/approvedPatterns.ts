/**
 * Which tools a command line allows without asking: what `--approve` names.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { isPattern, matches } from "@cahier/domain/policy/pattern";
import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import * as Effect from "effect/Effect";
import { invalid, type ParsedCommand, valuesOf } from "./parse.ts";
import { printable } from "./printable.ts";

/** What `--approve` names; a pattern that could never fit a tool is a mistake, and would leave the run waiting. */
export const approvedPatterns = (command: ParsedCommand): Effect.Effect<ReadonlyArray<string>, Fatal> => {
  const patterns = valuesOf(command, "approve");
  const wrong = patterns.find((pattern) => !isPattern(pattern) || isMisspelt(pattern));
  return wrong === undefined
    ? Effect.succeed(patterns)
    : Effect.fail(
        invalid(
          `--approve takes a tool id or a pattern, such as mcp/* or builtin:workspace.*; "${printable(wrong)}" names no tool.`,
        ),
      );
};

/** A name of a built-in tool that there is not. */
const isMisspelt = (pattern: string): boolean =>
  pattern.startsWith("builtin:") && !builtinTools.some(({ descriptor }) => matches(pattern, descriptor.id));
