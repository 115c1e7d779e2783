/**
 * Which tools a command line allows without asking: what `--approve` names.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { isPattern, matches } from "@cahier/domain/policy/pattern";
import type { Tool } from "@cahier/application/tool/Tool";
import * as Effect from "effect/Effect";
import * as Tools from "../composition/Tools.ts";
import { invalid, type ParsedCommand, valuesOf } from "./parse.ts";
import { printable } from "./printable.ts";

/** What `--approve` names; a pattern that could never fit a tool is a mistake, and would leave the run waiting. */
export const approvedPatterns = Effect.fnUntraced(function* (
  command: ParsedCommand,
): Effect.fn.Return<ReadonlyArray<string>, Fatal> {
  const patterns = valuesOf(command, "approve");
  const builtin = yield* Tools.builtin;
  const wrong = patterns.find((pattern) => !isPattern(pattern) || isMisspelt(pattern, builtin));
  if (wrong === undefined) return patterns;
  return yield* invalid(
    `--approve takes a tool id or a pattern, such as mcp/* or builtin:workspace.*; "${printable(wrong)}" names no tool.`,
  );
});

/** A name of a built-in tool that there is not. */
const isMisspelt = (pattern: string, builtin: ReadonlyArray<Tool>): boolean =>
  pattern.startsWith("builtin:") && !builtin.some(({ descriptor }) => matches(pattern, descriptor.id));
