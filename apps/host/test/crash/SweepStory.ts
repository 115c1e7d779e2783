/**
 * The run that the sweep strikes: effects of every class, an approval, files too large for their events, two commits, and a
 * memory that is published in the end.
 *
 * Owns the script, its profile and the tools, and by which names their effects are counted. An effect of the workspace or
 * the chat is a mark in the text: what is done twice stands there twice.
 */
import type { Tool, ToolContext } from "@cahier/application/tool/Tool";
import { recoverable } from "@cahier/domain/failure/Failure";
import type { EffectClass } from "@cahier/domain/tool/ToolDescriptor";
import { ToolId } from "@cahier/domain/tool/ToolId";
import type * as Gate from "@cahier/testkit/crash/Gate";
import type { Applied } from "@cahier/testkit/crash/Ending";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";

/** The tools that reach outside, by the class of their effect. `reconciled` is irreversible and can be asked about. */
const classes = {
  idempotent: "idempotent",
  keyed: "keyed",
  irreversible: "irreversible",
  reconciled: "irreversible",
} as const satisfies Record<string, EffectClass>;
type ToolName = keyof typeof classes;

/** The outside did not answer. */
export class OutsideSilent extends Schema.TaggedError<OutsideSilent>()("OutsideSilent", {
  cause: Schema.Defect(),
}) {}

/** Who asks the outside: a run under one owner. */
export interface Asker {
  readonly run: string;
  readonly epoch: number;
}

/**
 * Where effects are counted: asked to do one, and asked whether one was done. After that question it does nothing more for
 * an owner before the one that asked, which may still live.
 */
export interface Outside {
  readonly apply: (asker: Asker, effect: Applied) => Effect.Effect<void, OutsideSilent>;
  readonly wasApplied: (asker: Asker, name: string) => Effect.Effect<boolean, OutsideSilent>;
  /** A model was called. */
  readonly called: (run: string) => Effect.Effect<void>;
}

/** The effects that a text shows: what an effect of the chat or the workspace looks like there. */
export const marksIn = (text: string): ReadonlyArray<Applied> =>
  [...text.matchAll(/\[\[[a-z0-9 ]+\]\]/gu)].map(([name]) => ({ name }));

const main = "output/main.md";

/** More than 8 KiB, so that the response, the file and what reads it are blobs. */
const long = "*The wind leans on the glass.* Größe is no comfort. ".repeat(180);

const workspace = (name: string, args: object) => ({ name: `workspace_${name}`, arguments: args });
const outside = (name: ToolName, id: string) => ({ name, id, arguments: { what: id } });
const append = (content: string) => workspace("write_file", { path: main, content, mode: "append" });

const remember = (content: string) => workspace("write_file", { path: "persist/notes.md", content, mode: "append" });

/** Ids of calls that reach outside are the names of their effects. */
const turns = [
  { text: "A beginning.", toolCalls: [append("[[line 1]]\n"), outside("idempotent", "idempotent-1")] },
  { toolCalls: [outside("irreversible", "irreversible-1")] },
  {
    toolCalls: [append(`[[line 2]]\n${long}`), outside("keyed", "keyed-1"), outside("irreversible", "irreversible-2")],
  },
  { error: { status: 503, body: "busy" } },
  { toolCalls: [workspace("commit", { reason: "the draft stands" })] },
  { toolCalls: [workspace("read_file", { path: main }), outside("reconciled", "reconciled-1")] },
  { toolCalls: [append("[[line 3]]\n"), remember("[[memory 1]]\n"), outside("keyed", "keyed-2")] },
  { toolCalls: [workspace("commit", { mode: "append" }), outside("irreversible", "irreversible-3")] },
  { toolCalls: [workspace("finish", {})] },
];

/** The connection of the runs. */
export const binding = {
  source: "scripted",
  format: "scripted",
  modelId: "script",
  script: JSON.stringify({ format: "cahier.script/1", turns }),
} as const;

const idOf = (name: ToolName): ToolId => ToolId.make(`extension/outside:${name}`);
const names: ReadonlyArray<ToolName> = ["idempotent", "keyed", "irreversible", "reconciled"];

/** Asks about the keyed tool, so that runs also wait for people. */
export const profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "swept-writer",
  displayName: "Swept writer",
  run: { presentation: "foreground", modelRetry: { maxRetries: 3, intervalMs: 1 } },
  tools: {
    maxRounds: 40,
    allow: [
      ...names.map(idOf),
      ...["read_file", "write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
    ],
    policy: names.filter((name) => name !== "keyed").map((name) => ({ tools: [idOf(name)], permission: "always" })),
  },
};

/** How one tool reaches outside: the class that it declares, and the key that it asks under. */
export interface Reaching {
  readonly effectClass: EffectClass;
  readonly key: string | undefined;
}

/**
 * The tools over an outside. What a gate holds back is the outside's answer. `reaching` may change how a tool reaches
 * outside, as a broken one does.
 */
export const tools = (
  at: Outside,
  gate: Gate.Gate,
  reaching: (given: Reaching) => Reaching = (given) => given,
): ReadonlyArray<Tool> =>
  names.map((name) => {
    const { effectClass } = reaching({ effectClass: classes[name], key: undefined });
    return {
      descriptor: {
        id: idOf(name),
        title: name,
        description: `Does something outside whose effect is ${name}.`,
        inputSchema: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
        annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true, cost: "none" },
        effectClass,
        source: "extension",
        visibility: "model",
        permission: "always",
        budget: { timeoutMs: 600_000 },
      },
      run: (_, context) => {
        const repeatable = classes[name] !== "irreversible";
        const { key } = reaching({ effectClass, key: repeatable ? context.key : undefined });
        const effect = { name: String(context.call.callId), ...(key === undefined ? {} : { key }) };
        const asker = askerOf(context);
        return gate.answering(asker.run, at.apply(asker, effect)).pipe(Effect.as(done), Effect.mapError(unreachable));
      },
      ...(name === "reconciled"
        ? {
            reconcile: (_: object, context: ToolContext) =>
              at.wasApplied(askerOf(context), String(context.call.callId)).pipe(
                Effect.map((was) =>
                  was ? ({ _tag: "Known", outcome: done } as const) : ({ _tag: "NeverHappened" } as const),
                ),
                Effect.mapError(unreachable),
              ),
          }
        : {}),
    } satisfies Tool;
  });

const done = { _tag: "Done", content: "It is done." } as const;

const askerOf = ({ state }: ToolContext): Asker => ({ run: state.runId ?? "", epoch: state.epoch });

const unreachable = (cause: OutsideSilent) =>
  recoverable("extension.tool_error", "The outside does not answer.", { cause });
