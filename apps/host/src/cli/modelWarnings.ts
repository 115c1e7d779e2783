/**
 * What the model gateway warned of in a run: what a format could not carry, and what had to be done anew.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { isKnown, trust } from "@cahier/domain/run/RunEvent";
import { readEvents } from "@cahier/application/run/RunReader";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { printable } from "./printable.ts";

/** A warning of the answer at event `seq`. */
export interface ModelWarning {
  readonly seq: number;
  readonly invocationId: string;
  readonly round: number;
  readonly text: string;
}

/** The warnings of a run up to its event `lastSeq`, in their order. */
export const warningsOf = Effect.fnUntraced(function* (
  runId: RunId,
  lastSeq: number,
): Effect.fn.Return<ReadonlyArray<ModelWarning>, Fatal, RunJournal> {
  const found: Array<ModelWarning> = [];
  for (let after = 0; after < lastSeq;) {
    const { events } = yield* readEvents(runId, { afterSeq: after, limit: pageSize });
    const last = events.at(-1);
    if (last === undefined) break;
    after = last.seq;
    for (const event of events.map(trust)) {
      if (!isKnown(event) || event.type !== "model_completed") continue;
      const { invocationId, round, warnings = [] } = event.payload;
      for (const text of warnings) found.push({ seq: event.seq, invocationId, round, text });
    }
  }
  return found;
});

/** The same for a person: the last ones, and how many came before. */
export const linesOfWarnings = (warnings: ReadonlyArray<ModelWarning>): ReadonlyArray<string> => {
  const more = warnings.length - mostShown;
  return [
    ...(more > 0 ? [`warning    and ${more} earlier; "runs events" tells them all`] : []),
    ...warnings.slice(-mostShown).map(({ round, text }) => `warning    round ${round}: ${printable(text)}`),
  ];
};

const pageSize = 500;

const mostShown = 20;
