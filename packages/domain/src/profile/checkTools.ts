/**
 * The rules about the tools of a profile.
 */
import * as Predicate from "effect/Predicate";
import type { KnownTool } from "./CheckContext.ts";
import { isPattern } from "../policy/pattern.ts";
import { type CompleteProfile, visibleTools } from "./CompleteProfile.ts";
import type { ProfileCode } from "./ProfileCode.ts";
import { issue, type ProfileIssue } from "./ProfileIssue.ts";

/** All issues of the `tools` section. Without a catalogue only the form of tool ids is checked. */
export function* checkTools(
  profile: CompleteProfile,
  catalogue: ReadonlyArray<KnownTool> | undefined,
): Generator<ProfileIssue> {
  const { tools } = profile;
  const known = catalogue === undefined ? undefined : new Map(catalogue.map((tool) => [tool.id, tool]));
  const visible = new Set(visibleTools(profile));
  if (visible.size === 0) {
    yield issue("agent.profile_tools_empty", ["tools", "allow"], "The profile has no tool; allow at least one.");
  }
  for (const key of ["allow", "deny"] as const) {
    for (const [index, tool] of tools[key].entries()) yield* checkTool(tool, ["tools", key, index], known);
  }
  for (const [index, rule] of tools.policy.entries()) {
    if (rule.tools.length > 0 && rule.tools.every(isPattern)) continue;
    yield issue(
      "agent.profile_tool_policy_invalid",
      ["tools", "policy", index, "tools"],
      "A rule names tools by id or pattern, such as builtin:workspace.* or mcp/*.",
    );
  }
  yield* checkLimits(profile, visible);
  for (const [tool, texts] of Object.entries(tools.toolDescriptions)) {
    yield* checkDescription(tool, texts, visible, known?.get(tool));
  }
}

function* checkTool(
  tool: string,
  path: ReadonlyArray<string | number>,
  known: ReadonlyMap<string, KnownTool> | undefined,
): Generator<ProfileIssue> {
  if (tool === "builtin:task.return") {
    if (path[1] !== "allow") return;
    yield issue(
      "agent.profile_task_return_runtime_only",
      path,
      "builtin:task.return is added by the runtime where it is needed; remove it.",
    );
    return;
  }
  if (!toolId.test(tool)) {
    const advice = /^[\w.-]+$/.test(tool)
      ? `write builtin:${tool}`
      : "write builtin:NAME, mcp/ID:NAME or extension/ID:NAME";
    yield issue("agent.profile_unknown_tool", path, `${JSON.stringify(tool)} is not a tool id; ${advice}.`);
    return;
  }
  // A server or extension may be away when a profile is written; only built-in tools are always there. A denial of one that is
  // not there (any more, or yet) stays a denial.
  const isDenial = path[1] === "deny";
  if (known === undefined || isDenial || known.has(tool) || !tool.startsWith("builtin:")) return;
  yield issue("agent.profile_unknown_tool", path, `There is no tool ${JSON.stringify(tool)}.`);
}

const toolId = /^(?:builtin|mcp\/[^:/\s]+|extension\/[^:\s]+):\S(?:.*\S)?$/s;

function* checkLimits({ tools }: CompleteProfile, visible: ReadonlySet<string>): Generator<ProfileIssue> {
  if (!isCount(tools.maxRounds)) {
    yield issue("agent.profile_max_rounds_invalid", ["tools", "maxRounds"], `maxRounds is required. ${fromOne}`);
  }
  if (!isCount(tools.maxCallsPerRun)) {
    yield issue("agent.profile_max_calls_invalid", ["tools", "maxCallsPerRun"], fromOne);
  }
  if (!isCount(tools.externalResultInlineCharLimit)) {
    yield issue(
      "agent.profile_mcp_result_inline_char_limit_invalid",
      ["tools", "externalResultInlineCharLimit"],
      fromOne,
    );
  }
  yield* checkPerTool("maxCallsPerTool", "agent.profile_tool_budget_invalid", tools.maxCallsPerTool, visible);
  yield* checkPerTool("timeoutMs", "agent.profile_tool_timeout_invalid", tools.timeoutMs, visible);
}

function* checkPerTool(
  field: string,
  code: ProfileCode,
  limits: { readonly [tool: string]: number },
  visible: ReadonlySet<string>,
): Generator<ProfileIssue> {
  for (const [tool, limit] of Object.entries(limits)) {
    const path = ["tools", field, tool];
    if (!visible.has(tool)) {
      yield issue("agent.profile_tool_budget_invisible", path, `The profile does not allow ${JSON.stringify(tool)}.`);
    }
    if (!isCount(limit)) yield issue(code, path, fromOne);
  }
}

function* checkDescription(
  tool: string,
  texts: CompleteProfile["tools"]["toolDescriptions"][string],
  visible: ReadonlySet<string>,
  known: KnownTool | undefined,
): Generator<ProfileIssue> {
  const path = ["tools", "toolDescriptions", tool];
  if (!visible.has(tool)) {
    yield issue(
      "agent.profile_tool_description_invisible",
      path,
      `The profile does not allow ${JSON.stringify(tool)}.`,
    );
  }
  if (texts.description?.trim() === "") {
    yield issue("agent.profile_tool_description_empty", [...path, "description"], "The description is blank.");
  }
  if (texts.properties === undefined) return;
  const properties = Object.entries(texts.properties);
  const schemas = known?.inputSchema["properties"];
  const hasSchemas = known === undefined || Predicate.isObject(schemas);
  if (properties.length === 0 || !hasSchemas) {
    const reason = hasSchemas ? "properties names no property." : "The tool has no properties to describe.";
    yield issue("agent.profile_tool_properties_invalid", [...path, "properties"], reason);
    return;
  }
  for (const [property, text] of properties) {
    const place = [...path, "properties", property];
    if (text.trim() === "") {
      yield issue("agent.profile_tool_property_description_empty", place, "The description is blank.");
    }
    if (!Predicate.isObject(schemas)) continue;
    const schema = Object.entries(schemas).find(([name]) => name === property);
    if (schema === undefined) {
      yield issue("agent.profile_unknown_tool_property", place, `${tool} has no property ${JSON.stringify(property)}.`);
    } else if (!Predicate.isObject(schema[1]) || Array.isArray(schema[1])) {
      yield issue(
        "agent.profile_tool_property_schema_invalid",
        place,
        "The property's schema cannot carry a description.",
      );
    }
  }
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;

const fromOne = "This must be a whole number of at least 1.";
