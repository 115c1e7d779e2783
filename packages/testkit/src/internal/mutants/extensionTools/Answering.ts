/**
 * Registries that get wrong what becomes of a call.
 */
import { ExtensionFault, type ExtensionFunction, type ExtensionTools } from "@cahier/ports/ExtensionTools";
import type { SourceOutcome } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import type { ExtensionToolsHarness } from "../../../laws/ExtensionToolsLaws.ts";
import type { Mutant } from "../../../Mutant.ts";
import * as Change from "../../../mutants/Change.ts";

type Tools = ExtensionTools["Service"];

const change = Change.of<Tools, ExtensionToolsHarness>();

const outcomes = (of: (outcome: SourceOutcome) => SourceOutcome) =>
  change((tools) => ({
    source: { ...tools.source, call: (call) => Effect.map(tools.source.call(call), of) },
  }));

/** Registers another function than the one that is given. */
const functions = (of: (run: ExtensionFunction) => ExtensionFunction) =>
  change((tools) => ({ register: (tool, run) => tools.register(tool, of(run)) }));

export const answering: ReadonlyArray<Mutant<ExtensionToolsHarness>> = [
  {
    kills: "EXT-10",
    title: "a registry that puts texts into quotes",
    breaks: functions(
      (run) => (given, call) =>
        Effect.map(run(given, call), (value) => (typeof value === "string" ? JSON.stringify(value) : value)),
    ),
  },
  {
    kills: "EXT-10",
    title: "a registry that takes undefined for nothing said",
    breaks: functions((run) => (given, call) => Effect.map(run(given, call), (value) => value ?? "")),
  },
  {
    kills: "EXT-11",
    title: "a registry that takes each run for one of a chat",
    breaks: functions((run) => (given, call) => run(given, { ...call, target: "chat" })),
  },
  {
    kills: "EXT-11",
    title: "a registry that keeps the arguments to itself",
    breaks: functions((run) => (_, call) => run({}, call)),
  },
  {
    kills: "EXT-12",
    title: "a registry that dies with its tools",
    breaks: change((tools) => ({
      source: {
        ...tools.source,
        call: (call) =>
          Effect.flatMap(tools.source.call(call), (outcome) =>
            outcome._tag === "Answered" && outcome.errorCode !== undefined
              ? Effect.die("no ink")
              : Effect.succeed(outcome),
          ),
      },
    })),
  },
  {
    kills: "EXT-12",
    title: "a registry that takes what is no JSON for null",
    breaks: functions((run) => (given, call) => Effect.map(run(given, call), orNull)),
  },
  {
    kills: "EXT-12",
    title: "a registry that loses what a failing tool says",
    breaks: outcomes((outcome) => (outcome._tag === "Answered" ? { ...outcome, content: "It failed." } : outcome)),
  },
  {
    kills: "EXT-13",
    title: "a registry that says of a lost call that it was not sent",
    breaks: outcomes((outcome) =>
      outcome._tag === "Unknown" ? { ...outcome, _tag: "NotSent", code: "extension.tool_unavailable" } : outcome,
    ),
  },
  {
    kills: "EXT-13",
    title: "a registry that takes a tool that was not reached for one that failed",
    breaks: functions((run) => (given, call) => Effect.mapError(run(given, call), asFailed)),
  },
];

const asFailed = (fault: ExtensionFault): ExtensionFault =>
  new ExtensionFault({ kind: "failed", detail: fault.detail });

const orNull = (value: Schema.Json | undefined): Schema.Json | undefined =>
  typeof value === "object" || typeof value === "string" ? value : null;
