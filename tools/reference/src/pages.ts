/**
 * Every page that is generated from the code, from what the code itself says.
 *
 * Owns which data a page is made of. Does not own writing files: `tools/generate` does.
 */
import * as fs from "node:fs";
import { chatCodes } from "@cahier/domain/failure/codes/chatCodes";
import { connectionCodes } from "@cahier/domain/failure/codes/connectionCodes";
import { extensionCodes } from "@cahier/domain/failure/codes/extensionCodes";
import { mcpCodes } from "@cahier/domain/failure/codes/mcpCodes";
import { modelCodes } from "@cahier/domain/failure/codes/modelCodes";
import { persistCodes } from "@cahier/domain/failure/codes/persistCodes";
import { policyCodes } from "@cahier/domain/failure/codes/policyCodes";
import { profileCodes } from "@cahier/domain/failure/codes/profileCodes";
import { runCodes } from "@cahier/domain/failure/codes/runCodes";
import { skillCodes } from "@cahier/domain/failure/codes/skillCodes";
import { storageCodes } from "@cahier/domain/failure/codes/storageCodes";
import { toolCodes } from "@cahier/domain/failure/codes/toolCodes";
import { failureCodes } from "@cahier/domain/failure/FailureCode";
import { Payload } from "@cahier/domain/payload/Payload";
import { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { definitions } from "@cahier/domain/run/RunEvent";
import { RunStatus } from "@cahier/domain/run/RunStatus";
import { builtin } from "@cahier/host/composition/Tools";
import { mcpCommands } from "@cahier/host/cli/commands/mcpCommands";
import { profileCommands } from "@cahier/host/cli/commands/profileCommands";
import { runCommands } from "@cahier/host/cli/commands/runCommands";
import { settingCommands } from "@cahier/host/cli/commands/settingCommands";
import { skillCommands } from "@cahier/host/cli/commands/skillCommands";
import { storageCommands } from "@cahier/host/cli/commands/storageCommands";
import * as Effect from "effect/Effect";
import * as Docblocks from "./Docblocks.ts";
import { commandsPage } from "./commandsPage.ts";
import { errorCodesPage } from "./errorCodesPage.ts";
import { type EventEntry, eventsPage } from "./eventsPage.ts";
import type { Page } from "./Page.ts";
import { toolsPage } from "./toolsPage.ts";

/** The pages as they should be. Fails when a code or an event belongs to no section. */
export const pages = async (): Promise<ReadonlyArray<Page>> => [
  await commandsPage([
    { title: "Runs", commands: runCommands },
    { title: "Profiles", commands: profileCommands },
    { title: "Skills", commands: skillCommands },
    { title: "Tools, policies and connections", commands: settingCommands },
    { title: "MCP servers", commands: mcpCommands },
    { title: "Storage", commands: storageCommands },
  ]),
  await toolsPage(await Effect.runPromise(builtin)),
  await errorCodesPage(codeGroups()),
  await eventsPage(StoredEvent, eventGroups(), [
    { name: "content", about: docblocksOf("payload/Payload").exports.get("Payload") ?? "", schema: Payload },
    { name: "run status", about: "", schema: RunStatus },
  ]),
];

const registry = {
  runCodes,
  toolCodes,
  extensionCodes,
  mcpCodes,
  policyCodes,
  modelCodes,
  connectionCodes,
  chatCodes,
  storageCodes,
  persistCodes,
  profileCodes,
  skillCodes,
};

const codeGroups = () => {
  const listed = new Set(Object.values(registry).flatMap((codes) => Object.keys(codes)));
  const missing = Object.keys(failureCodes).filter((code) => !listed.has(code));
  if (missing.length > 0)
    throw new Error(`Add the part of the registry that has ${missing.join(", ")} to tools/reference/src/pages.ts.`);
  return Object.entries(registry).map(([name, codes]) => ({
    title: titleOf(docblocksOf(`failure/codes/${name}`).module.replace(/^Codes about /u, "")),
    codes,
  }));
};

const eventGroups = () => {
  const references = Docblocks.references("RunEvent.ts", sourceOf("run/RunEvent"), "definitions");
  const entries = Object.entries(definitions).map(([type, definition]) => {
    const reference = references.get(type);
    if (reference === undefined) throw new Error(`The definition of ${type} names no schema.`);
    const about = withoutModules(docblocksOf(`run/event/${reference.module}`).exports.get(reference.name) ?? "");
    const event: EventEntry = { type, v: definition.v, level: definition.level, payload: definition.payload, about };
    return { module: reference.module, event };
  });
  return [...new Set(entries.map(({ module }) => module))].map((module) => ({
    title: titleOf(docblocksOf(`run/event/${module}`).module.replace(/^Payloads of the (?=events)/u, "")),
    events: entries.filter((entry) => entry.module === module).map(({ event }) => event),
  }));
};

/** What a file begins with, up to the first pause: what comes after it is for whoever works on the code. */
const titleOf = (text: string): string => {
  const [sentence = ""] = text.split(/[.:](?:\s|$)/u);
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
};

/** Hints at modules lead a reader of the page nowhere. */
const withoutModules = (text: string): string => text.replaceAll(/ \(`[a-z]+\/\w+`\)|: see `[a-z]+\/\w+`/gu, "");

const sourceOf = (module: string): string =>
  fs.readFileSync(new URL(`../../../packages/domain/src/${module}.ts`, import.meta.url), "utf8");

const docblocksOf = (module: string): Docblocks.Docblocks => Docblocks.read(`${module}.ts`, sourceOf(module));
