/**
 * What the journal of a run says of its models: which one each agent has, and what the gateway warned of: what a format could
 * not carry, and what had to be done anew.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { isKnown, trust } from "@cahier/domain/run/RunEvent";
import { readEvents } from "@cahier/application/run/RunReader";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { printable } from "./printable.ts";
import { isForPeople } from "../timeline/warningsForPeople.ts";

/** A warning of the answer at event `seq`. */
export interface ModelWarning {
  readonly seq: number;
  readonly invocationId: string;
  readonly round: number;
  readonly text: string;
}

/** The model of an invocation; `connection` is the id of the stored one by which it is called. */
export interface InvocationModel {
  readonly source: string;
  readonly modelId: string;
  readonly connection?: string;
}

/** `models` are by the invocations that have them, `warnings` in their order. */
export interface ModelFacts {
  readonly models: ReadonlyMap<string, InvocationModel>;
  readonly warnings: ReadonlyArray<ModelWarning>;
}

/** What a run says of its models up to its event `lastSeq`. */
export const modelFactsOf = Effect.fnUntraced(function* (
  runId: RunId,
  lastSeq: number,
): Effect.fn.Return<ModelFacts, Fatal, RunJournal> {
  const models = new Map<string, InvocationModel>();
  const warnings: Array<ModelWarning> = [];
  for (let after = 0; after < lastSeq;) {
    const { events } = yield* readEvents(runId, { afterSeq: after, limit: pageSize });
    const last = events.at(-1);
    if (last === undefined) break;
    after = last.seq;
    for (const event of events.map(trust)) {
      if (!isKnown(event)) continue;
      if (event.type === "agent_model_binding_resolved") {
        const { connection, invocationId, modelId, source } = event.payload;
        models.set(invocationId, {
          source,
          modelId,
          ...(connection === undefined ? {} : { connection: connection.id }),
        });
      } else if (event.type === "model_completed") {
        const { invocationId, round } = event.payload;
        for (const text of event.payload.warnings ?? []) warnings.push({ seq: event.seq, invocationId, round, text });
      }
    }
  }
  return { models, warnings };
});

/** A model for a person. */
export const wordsOfModel = ({ connection, modelId, source }: InvocationModel): string =>
  source === "scripted"
    ? "a script: no model is called"
    : `${printable(modelId)} (${[source, ...(connection === undefined ? [] : [`connection ${connection}`])].join(", ")})`;

/** The warnings for a person: the last ones, and how many came before. */
export const linesOfWarnings = (all: ReadonlyArray<ModelWarning>): ReadonlyArray<string> => {
  const warnings = all.filter(({ text }) => isForPeople(text));
  const more = warnings.length - mostShown;
  return [
    ...(more > 0 ? [`warning    and ${more} earlier; "runs events" tells them all`] : []),
    ...warnings.slice(-mostShown).map(({ round, text }) => `warning    round ${round}: ${printable(text)}`),
  ];
};

const pageSize = 500;

const mostShown = 20;
