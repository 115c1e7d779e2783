/**
 * Broken sources of tools: at least one for each law of ToolSource.
 */
import { ToolId } from "@cahier/domain/tool/ToolId";
import type { SourceCall, SourceCatalogue, SourceOutcome, SourceTool, ToolSource } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Semaphore from "effect/Semaphore";
import type { ToolSourceHarness } from "../laws/ToolSourceLaws.ts";
import type { Mutant } from "../Mutant.ts";
import * as Change from "./Change.ts";

const change = Change.of<ToolSource, ToolSourceHarness>();

const outcomes = (of: (outcome: SourceOutcome) => SourceOutcome) =>
  change((source) => ({ call: (call) => Effect.map(source.call(call), of) }));

/** Changed once for each catalogue, so that only what is changed is wrong with it. */
const catalogues = (of: (catalogue: SourceCatalogue) => SourceCatalogue) =>
  change((source) => {
    const changed = new WeakMap<SourceCatalogue, SourceCatalogue>();
    const once = (catalogue: SourceCatalogue) => {
      const known = changed.get(catalogue) ?? of(catalogue);
      changed.set(catalogue, known);
      return known;
    };
    return { catalogue: Effect.map(source.catalogue, once) };
  });

const tools = (of: (tool: SourceTool) => SourceTool) =>
  catalogues((catalogue) => ({ ...catalogue, tools: catalogue.tools.map(of) }));

export const mutants: ReadonlyArray<Mutant<ToolSourceHarness>> = [
  {
    kills: "SRC-01",
    title: "a catalogue that is made anew each time",
    breaks: change((source) => ({ catalogue: Effect.map(source.catalogue, (catalogue) => ({ ...catalogue })) })),
  },
  {
    kills: "SRC-01",
    title: "a catalogue that is remembered for ever",
    breaks: change((source) => {
      const remembered: Array<SourceCatalogue> = [];
      return {
        catalogue: Effect.map(source.catalogue, (catalogue) => {
          remembered.push(catalogue);
          return remembered[0] ?? catalogue;
        }),
      };
    }),
  },
  {
    kills: "SRC-02",
    title: "a tool that stands in the catalogue twice",
    breaks: catalogues((catalogue) => ({ ...catalogue, tools: [...catalogue.tools, ...catalogue.tools.slice(0, 1)] })),
  },
  {
    kills: "SRC-02",
    title: "tools that call themselves built-in",
    breaks: tools((tool) => ({
      ...tool,
      descriptor: { ...tool.descriptor, id: ToolId.make(`builtin:${tool.descriptor.id}`) },
    })),
  },
  {
    kills: "SRC-03",
    title: "descriptors of another source",
    breaks: tools((tool) => ({ ...tool, descriptor: { ...tool.descriptor, source: "builtin" } })),
  },
  {
    kills: "SRC-03",
    title: "arguments of any type",
    breaks: tools((tool) => ({ ...tool, descriptor: { ...tool.descriptor, inputSchema: {} } })),
  },
  {
    kills: "SRC-03",
    title: "a budget that is no number",
    breaks: tools((tool) => ({ ...tool, descriptor: { ...tool.descriptor, budget: { timeoutMs: Number.NaN } } })),
  },
  {
    kills: "SRC-04",
    title: "a source that says of a tool that has gone that nobody knows",
    breaks: outcomes((outcome) => (outcome._tag === "NotSent" ? { ...outcome, _tag: "Unknown" } : outcome)),
  },
  {
    kills: "SRC-05",
    title: "a source that puts texts into quotes",
    breaks: outcomes((outcome) =>
      outcome._tag === "Answered" && typeof outcome.content === "string"
        ? { ...outcome, content: JSON.stringify(outcome.content) }
        : withoutContent(outcome),
    ),
  },
  {
    kills: "SRC-05",
    title: "a source that takes each answer for an error",
    breaks: outcomes((outcome) =>
      outcome._tag === "Answered" ? { ...outcome, errorCode: "extension.tool_error" } : outcome,
    ),
  },
  {
    kills: "SRC-06",
    title: "a source that loses data",
    breaks: outcomes(withoutContent),
  },
  {
    kills: "SRC-07",
    title: "a source that loses that a tool has failed",
    breaks: outcomes((outcome) => {
      if (outcome._tag !== "Answered") return outcome;
      const { errorCode: _, ...rest } = outcome;
      return rest;
    }),
  },
  {
    kills: "SRC-08",
    title: "a call that goes on when nobody waits",
    breaks: change((source) => ({
      call: (call) => Effect.flatMap(Effect.forkDetach(source.call(call)), (fiber) => Fiber.join(fiber)),
    })),
  },
  {
    kills: "SRC-09",
    title: "a source that makes one call after the other",
    breaks: change((source) => {
      const turn = Semaphore.makeUnsafe(1);
      return { call: (call) => turn.withPermits(1)(source.call(call)) };
    }),
  },
  {
    kills: "SRC-09",
    title: "a source that answers a call with what it gave to the one before",
    breaks: change((source) => {
      const given: Array<SourceOutcome> = [];
      return {
        call: (call) =>
          Effect.map(source.call(call), (outcome) => {
            given.push(outcome);
            return given.at(-2) ?? outcome;
          }),
      };
    }),
  },
  {
    kills: "SRC-10",
    title: "a source that passes on what it cannot tell",
    breaks: change((source) => ({
      call: (call) =>
        Effect.map(source.call(call), (outcome) =>
          Object.keys(call.arguments).length === 0 ? garbled(outcome) : outcome,
        ),
    })),
  },
  {
    kills: "SRC-10",
    title: "a source that dies of what it cannot tell",
    breaks: change((source) => ({
      call: (call) =>
        Effect.flatMap(source.call(call), (outcome) =>
          Object.keys(call.arguments).length === 0 ? Effect.die("garbage") : Effect.succeed(outcome),
        ),
    })),
  },
  {
    kills: "SRC-11",
    title: "a source that makes a call again which has failed",
    breaks: change((source) => ({
      call: (call) =>
        Effect.flatMap(source.call(call), (outcome) =>
          outcome._tag === "Answered" && outcome.errorCode !== undefined ? source.call(call) : Effect.succeed(outcome),
        ),
    })),
  },
  {
    kills: "SRC-12",
    title: "a source that says of a lost call that it was not sent",
    breaks: outcomes((outcome) => (outcome._tag === "Unknown" ? { ...outcome, _tag: "NotSent" } : outcome)),
  },
  {
    kills: "SRC-13",
    title: "a source that finds out by making the call",
    breaks: change((source) => ({ reconcile: (call: SourceCall) => source.call(call) })),
  },
];

function withoutContent(outcome: SourceOutcome): SourceOutcome {
  if (outcome._tag !== "Answered") return outcome;
  const { structured: _, ...rest } = outcome;
  return { ...rest, content: "" };
}

/** A part of a kind that there is not, which no type lets pass. */
const garbled = (outcome: SourceOutcome): SourceOutcome =>
  outcome._tag === "Answered"
    ? { ...outcome, content: JSON.parse('[{"type":"hologram"}]') }
    : { ...outcome, message: "" };
