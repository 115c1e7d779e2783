/**
 * What the runs that the sweep strikes are made of.
 *
 * Owns the tools of every effect class and by which names effects are counted. An effect of the workspace or the chat is a
 * mark in the text: what is done twice stands there twice. Does not own the stories themselves (`stories`).
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

/** One call of a model: by which agent, at which place of its work, and the results of others that it was told. */
export interface ModelCall {
  readonly agent: string;
  readonly position: number;
  readonly told: ReadonlyArray<string>;
}

/**
 * Where effects are counted: asked to do one, and asked whether one was done. After that question it does nothing more for
 * an owner before the one that asked, which may still live.
 */
export interface Outside {
  readonly apply: (asker: Asker, effect: Applied) => Effect.Effect<void, OutsideSilent>;
  readonly wasApplied: (asker: Asker, name: string) => Effect.Effect<boolean, OutsideSilent>;
  /** A model was called. */
  readonly called: (run: string, call: ModelCall) => Effect.Effect<void>;
}

/** A tool call of a script. */
interface Call {
  readonly name: string;
  readonly id?: string;
  readonly arguments: object;
}

/** What runs do. `agents` are the turns and `profiles` the stored profiles of the others that work on a run. */
export interface SweepStory {
  readonly turns: ReadonlyArray<object>;
  readonly profile: object;
  readonly agents: { readonly [profileId: string]: ReadonlyArray<ReadonlyArray<object>> };
  readonly profiles: ReadonlyArray<{ readonly id: string }>;
}

/** The connection of the runs of a story. */
export const bindingOf = ({ agents, turns }: SweepStory) => ({
  source: "scripted",
  format: "scripted" as const,
  modelId: "script",
  script: JSON.stringify({
    format: "cahier.script/1",
    turns,
    agents: Object.fromEntries(Object.entries(agents).map(([id, all]) => [id, all.map((own) => ({ turns: own }))])),
  }),
});

/** The effects that a text shows: what an effect of the chat or the workspace looks like there. */
export const marksIn = (text: string): ReadonlyArray<Applied> =>
  [...text.matchAll(/\[\[[a-z0-9 ]+\]\]/gu)].map(([name]) => ({ name }));

/** The mark of a result that one agent returns to another. */
export const resultMark = (of: string): string => `[[result ${of}]]`;

/** The results that a text tells of, each as often as it does. */
export const resultsIn = (text: string): ReadonlyArray<string> =>
  marksIn(text).flatMap(({ name }) => (name.startsWith("[[result ") ? [name] : []));

/** The file that becomes the message. */
export const main = "output/main.md";

/** More than 8 KiB, so that the response, the file and what reads it are blobs. */
export const long = "*The wind leans on the glass.* Größe is no comfort. ".repeat(180);

/** A call of a tool of the workspace. */
export const workspace = (name: string, args: object): Call => ({ name: `workspace_${name}`, arguments: args });

/** A call that reaches outside. Its id is the name of its effect. */
export const outside = (name: ToolName, id: string): Call => ({ name, id, arguments: { what: id } });

/** A call that adds to the message. */
export const append = (content: string): Call => workspace("write_file", { path: main, content, mode: "append" });

/** A call that adds to what is remembered. */
export const remember = (content: string): Call =>
  workspace("write_file", { path: "persist/notes.md", content, mode: "append" });

/** Profile of an agent that may use every tool that reaches outside. It asks about the keyed one, so that runs also wait. */
export const profileOf = (id: string, allow: ReadonlyArray<string>, delegation: object = {}) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id,
  displayName: id,
  run: { presentation: "foreground", modelRetry: { maxRetries: 3, intervalMs: 1 } },
  delegation,
  tools: {
    maxRounds: 40,
    allow: [...names.map(idOf), ...allow.map((name) => `builtin:${name}`)],
    policy: names.filter((name) => name !== "keyed").map((name) => ({ tools: [idOf(name)], permission: "always" })),
  },
});

const idOf = (name: ToolName): ToolId => ToolId.make(`extension/outside:${name}`);
const names: ReadonlyArray<ToolName> = ["idempotent", "keyed", "irreversible", "reconciled"];

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
