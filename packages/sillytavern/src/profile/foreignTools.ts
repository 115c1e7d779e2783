/**
 * Tools as the original's profiles name them, in the names of this runtime.
 *
 * Owns renamed ids and parameters, and which tools there are no longer. Grants nothing: an id stands for one tool or is left out.
 */
import type { CheckContext } from "@cahier/domain/profile/CheckContext";
import * as Predicate from "effect/Predicate";
import { isArray, isObject } from "../chat/internal/json.ts";
import { type Converted, line, type Place, type ReportLine } from "./ProfileReport.ts";

/** A tool by its id; without one it is left out, and `note` says why. */
export type ForeignTool =
  | { readonly id: string; readonly note: string }
  | { readonly id: undefined; readonly note: string };

/** What there is for the profile here. `callsAgents` is whether it may give tasks to other agents or hand over to them. */
export interface Surroundings {
  readonly catalogue: CheckContext["catalogue"];
  readonly callsAgents: boolean;
}

/** A tool that a profile allows or says something of. */
export const toolOf = (name: string, here: Surroundings): ForeignTool => {
  const id = idOf(name);
  const reason = absenceOf(id, here) ?? (id === agentList && !here.callsAgents ? listsNobody : undefined);
  return reason === undefined ? { id, note: renamed(name, id) } : { id: undefined, note: reason };
};

/** `tools.allow`, whose order stays. */
export const allowed = (value: unknown, place: Place, here: Surroundings): Converted =>
  toolList(value, place, (name) => toolOf(name, here));

/** `tools.deny`, whose order stays. What is not here today stays denied, since it may be here tomorrow. */
export const denied = (value: unknown, place: Place, here: Surroundings): Converted =>
  toolList(value, place, (name) => {
    const id = idOf(name);
    const absence = absenceOf(id, here) === undefined ? "" : "There is no such tool; it stays denied.";
    return { id, note: [renamed(name, id), absence].filter((note) => note !== "").join(" ") };
  });

const toolList = (value: unknown, place: Place, read: (name: string) => ForeignTool): Converted => {
  const key = String(place.at(-1));
  if (!isArray(value)) return { fields: { [key]: value }, lines: [line(place, "kept")] };
  const lines: Array<ReportLine> = [line(place, "kept")];
  const kept = value.flatMap((name, index) => {
    if (typeof name !== "string") return [name];
    const { id, note } = read(name);
    if (note !== "") lines.push(line([...place, index], actionOn(name, id), note));
    return id === undefined ? [] : [id];
  });
  return { fields: { [key]: kept }, lines };
};

/** `tools.maxCallsPerTool` and `tools.toolDescriptions`. What is said of a tool that is left out goes with it. */
export const toolRecord = (
  value: unknown,
  place: Place,
  here: Surroundings,
  convert: (
    value: unknown,
    id: string,
    place: Place,
  ) => { readonly value: unknown; readonly lines: ReadonlyArray<ReportLine> },
): Converted => {
  const key = String(place.at(-1));
  if (!isObject(value)) return { fields: { [key]: value }, lines: [line(place, "kept")] };
  const lines: Array<ReportLine> = [line(place, "kept")];
  const kept = Object.entries(value).flatMap(([name, said]) => {
    const { id, note } = toolOf(name, here);
    const at = [...place, name];
    if (note !== "") lines.push(line(at, actionOn(name, id), note));
    if (id === undefined) return [];
    const converted = convert(said, id, at);
    lines.push(...converted.lines);
    return [[id, converted.value] as const];
  });
  return { fields: { [key]: Object.fromEntries(kept) }, lines };
};

/** A tool's description with the parameters' names of this runtime. */
export const description = (
  value: unknown,
  id: string,
  place: Place,
  catalogue: CheckContext["catalogue"],
): { readonly value: unknown; readonly lines: ReadonlyArray<ReportLine> } => {
  if (!isObject(value)) return { value, lines: [] };
  const lines: Array<ReportLine> = [];
  const present = Object.entries(value).filter(([key, said]) => {
    if (said === null) lines.push(line([...place, key], "dropped", "It is empty."));
    return said !== null;
  });
  const { properties, ...others } = Object.fromEntries(present);
  if (!isObject(properties)) return { value: Object.fromEntries(present), lines };
  const known = catalogue?.find((tool) => tool.id === id)?.inputSchema["properties"];
  const kept = new Map<string, unknown>();
  for (const [name, text] of Object.entries(properties)) {
    const at = [...place, "properties", name];
    const target = parameterOf(id, name);
    if (target === null || (Predicate.isObject(known) && !Object.hasOwn(known, target))) {
      lines.push(line(at, "dropped", `The tool ${id} has no such parameter here.`));
    } else if (target !== name && Object.hasOwn(properties, target)) {
      lines.push(line(at, "dropped", `The parameter is called ${target} here, and that is described already.`));
    } else {
      if (target !== name) lines.push(line(at, "renamed", `The parameter is called ${target} here.`));
      kept.set(target, text);
    }
  }
  const described = kept.size === 0 ? others : { ...others, properties: Object.fromEntries(kept) };
  return { value: described, lines };
};

/** Ids without a provider are those of built-in tools before there were others. */
const idOf = (name: string): string => (name.includes(":") ? name : `builtin:${name}`);

const renamed = (name: string, id: string): string => (id === name ? "" : `The tool ${name} is called ${id} here.`);

const actionOn = (name: string, id: string | undefined): ReportLine["action"] => {
  if (id === undefined) return "dropped";
  return id === name ? "kept" : "renamed";
};

/** Why there is no such tool, or undefined where there is, or may be. */
const absenceOf = (id: string, { catalogue }: Surroundings): string | undefined => {
  const isMissing = id.startsWith("builtin:") && catalogue?.some((tool) => tool.id === id) === false;
  return retired.get(id) ?? (isMissing ? `There is no tool ${id} here.` : undefined);
};

const agentList = "builtin:agent.list";
const listsNobody = "The profile can call no other agent, so that there is none to list.";

const retired: ReadonlyMap<string, string> = new Map([
  ["builtin:skill.run_script", "Skills are never executed here."],
  ["builtin:task.return", "The runtime adds this tool where a task is to be returned; a profile does not name it."],
]);

/** The name of a parameter here, or null where it means something else or nothing. */
const parameterOf = (id: string, name: string): string | null => {
  const present = parameters.get(id)?.get(name);
  return present === undefined ? name : present;
};

const parameters: ReadonlyMap<string, ReadonlyMap<string, string | null>> = new Map([
  [
    "builtin:workspace.read_file",
    new Map([
      ["file_path", "path"],
      ["offset", "start_line"],
      ["limit", "line_count"],
    ]),
  ],
  ["builtin:workspace.write_file", new Map([["file_path", "path"]])],
  ["builtin:workspace.apply_patch", new Map([["file_path", "path"]])],
  ["builtin:workspace.search_files", new Map<string, string | null>([["pattern", null]])],
  [
    "builtin:workspace.commit",
    new Map([
      ["file_path", "path"],
      ["finish", null],
    ]),
  ],
  [
    "builtin:chat.search",
    new Map([
      ["start_floor", "start_message"],
      ["end_floor", "end_message"],
    ]),
  ],
  ["builtin:chat.read_messages", new Map([["floors", "messages"]])],
]);
