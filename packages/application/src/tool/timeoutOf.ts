/**
 * How long a call may take.
 */
import type { ToolBinding } from "@cahier/domain/tool/ToolSnapshot";
import { defaultTimeoutMs } from "./defineTool.ts";

/** What policy made of it when the invocation was given the tool, else what the tool says, in milliseconds. */
export const timeoutOf = (binding: ToolBinding | undefined): number =>
  binding?.policy?.budget.timeoutMs ?? binding?.descriptor.budget.timeoutMs ?? defaultTimeoutMs;
