/**
 * The identity of a tool: `provider:native`, split at the first `:`.
 *
 * `builtin:<name>`, `mcp/<registration-id>:<name>`, `extension/<extensionId>:<name>`. Journal, profile and policy
 * use these only; the model sees aliases.
 */
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import type { FailureCode } from "../failure/FailureCode.ts";

export const ToolId = Schema.String.check(Schema.isPattern(/^[^:]+:.+$/s)).pipe(Schema.brand("ToolId"));
export type ToolId = typeof ToolId.Type;

/** The id of a built-in tool. */
export const builtin = (name: string): ToolId => ToolId.make(`builtin:${name}`);

/** Splits an id into provider and native name, or says which rule it breaks. */
export const parse = (
  text: string,
): Result.Result<{ readonly provider: string; readonly native: string }, { code: FailureCode; message: string }> => {
  const colon = text.indexOf(":");
  if (colon < 0)
    return Result.fail({
      code: "tool.id_invalid",
      message: `"${text}" is not a tool id; write provider:name, such as builtin:${text}.`,
    });
  if (colon === 0)
    return Result.fail({ code: "tool.provider_id_empty", message: `"${text}" has no provider before the colon.` });
  if (colon === text.length - 1)
    return Result.fail({ code: "tool.native_name_empty", message: `"${text}" has no name after the colon.` });
  return Result.succeed({ provider: text.slice(0, colon), native: text.slice(colon + 1) });
};
