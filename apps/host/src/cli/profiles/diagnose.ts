/**
 * `cahier profiles diagnose`: what stored profiles can be used for here, and what keeps them from more.
 */
import * as Connections from "@cahier/application/connection/Connections";
import { classifyStorage } from "@cahier/application/failure/classifyStorage";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { PresetRef } from "@cahier/domain/profile/ProfileParts";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import { ExtensionTools } from "@cahier/ports/ExtensionTools";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import {
  type ConnectionState,
  type Diagnosis,
  type Diagnostic,
  diagnose as diagnosisOf,
  type PresetState,
  type RepairAction,
  unreadable,
  wanted,
} from "../../profiles/Diagnosis.ts";
import { lookAtTools } from "../lookAtTools.ts";
import * as Output from "../Output.ts";
import { has, type ParsedCommand } from "../parse.ts";
import { type PresetLookup, presetLookup } from "../presetFolder.ts";
import { printable } from "../printable.ts";
import { all, catalogue, look, notFound, placed } from "./store.ts";

/** Tells of every stored profile, or of one. What it finds is its result and no failure. */
export const diagnose = Effect.fn("cli.profiles.diagnose")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [id] = command.positionals;
  const presets = yield* presetLookup(command);
  const work = Effect.gen(function* () {
    const found = id === undefined ? yield* every(presets) : [yield* one(id, presets)];
    if (has(command, "json")) yield* Output.json({ profiles: found });
    else if (found.length === 0) yield* Output.line("No profile is stored.");
    else for (const line of found.flatMap(linesOf)) yield* Output.line(line);
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** Whether a profile's connection is stored and can be used. */
export const connectionState = Effect.fnUntraced(function* (
  id: string,
): Effect.fn.Return<ConnectionState, Fatal, DocumentStore> {
  const found = yield* Effect.result(Connections.get(id));
  if (Result.isSuccess(found)) return "there";
  const { message, reason } = found.failure;
  if (reason.code === "llm_connection.not_found") return "missing";
  if (reason._tag === "storage") return yield* found.failure;
  return { invalid: message };
});

/** Whether a preset can be used, as far as there is a folder to look in. */
export const presetState = (presets: PresetLookup | undefined, ref: PresetRef): Effect.Effect<PresetState> =>
  presets === undefined
    ? Effect.succeed("unknown")
    : Effect.match(presets(ref), {
        onSuccess: (): PresetState => "there",
        onFailure: ({ detail }): PresetState => ({ missing: detail }),
      });

const every = Effect.fnUntraced(function* (presets: PresetLookup | undefined) {
  const { damaged, documents } = yield* all();
  const read = yield* Effect.forEach(documents, ({ id, value }) => examined(id, value, presets));
  return [
    ...read,
    ...damaged.map((fault) =>
      unreadable(fault.id.slice(fault.id.lastIndexOf("/") + 1), reasonOf(classifyStorage(fault))),
    ),
  ];
});

const one = Effect.fnUntraced(function* (id: string, presets: PresetLookup | undefined) {
  const found = yield* look(id);
  if (found === undefined) return yield* notFound(id);
  return "_tag" in found ? unreadable(id, reasonOf(classifyStorage(found))) : yield* examined(id, found.value, presets);
});

const examined = Effect.fnUntraced(function* (id: string, value: unknown, presets: PresetLookup | undefined) {
  const { connection, preset } = wanted(value);
  return diagnosisOf(id, value, {
    catalogue: yield* catalogue,
    extensionTools: yield* (yield* ExtensionTools).list,
    preset: preset === undefined ? "unknown" : yield* presetState(presets, preset),
    connection: connection === undefined ? "missing" : yield* connectionState(connection),
  });
});

const reasonOf = ({ message, reason }: Fatal) => ({ code: reason.code, message });

const linesOf = (found: Diagnosis): ReadonlyArray<string> => [
  printable(`${found.id}: ${usesOf(found)}`),
  ...found.diagnostics.map((each) => `  ${printable(textOf(found.id, each))}`),
];

const usesOf = ({ directRunAvailable, promptAssemblyAvailable, subAgentAvailable }: Diagnosis): string => {
  const uses = [...(directRunAvailable ? ["can be run"] : []), ...(subAgentAvailable ? ["can be given tasks"] : [])];
  if (uses.length > 0) return uses.join(", ");
  return promptAssemblyAvailable ? "cannot be used here, only its prompt be made" : "cannot be used";
};

const textOf = (id: string, { blocks, code, message, path, repairActions }: Diagnostic): string => {
  const kept =
    blocks.length === 0 || blocks.length === 4 ? "" : ` Not for: ${blocks.map((use) => words[use]).join(", ")}.`;
  const advice = repairActions.map((action) => remedies[action](id)).join(", or ");
  return `${placed({ message, path })} [${code}]${kept}${advice === "" ? "" : ` To repair it, ${advice}.`}`;
};

const words = {
  preview: "a look at its prompt",
  promptAssembly: "its prompt",
  directRun: "runs",
  subAgent: "tasks",
} as const;

const remedies: { readonly [Action in RepairAction]: (id: string) => string } = {
  selectPreset: () => "name a preset that is there",
  selectModel: () => "name a stored connection and a model",
  setModelRequiresConfiguration: (id) =>
    `have its model left open: cahier profiles repair ${id} --require-configuration`,
  openJsonEditor: () => "correct its JSON and save it",
  normalizeIdentity: (id) => `give it that id: cahier profiles repair ${id} --normalize-identity`,
  delete: (id) => `delete it: cahier profiles delete ${id}`,
};
