/**
 * What a storage fact means for a run: one total function.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { AlreadyExists, Conflict, Corrupt, Fenced, NotFound, Unavailable } from "@cahier/ports/StorageFault";

export type StorageFact = AlreadyExists | Conflict | Corrupt | Fenced | NotFound | Unavailable;

/** Every storage fact is fatal to the run that meets it: without its journal a run does nothing. */
export const classifyStorage = (fact: StorageFact): Fatal => {
  switch (fact._tag) {
    case "AlreadyExists":
      return fatal("journal.conflict", `The ${fact.entity} ${fact.id} exists already.`, { cause: fact });
    case "Conflict":
      return fatal(
        "journal.conflict",
        `Another writer changed the ${fact.entity} ${fact.id} (expected ${fact.expected}, found ${fact.actual}). Nothing was written; look at the run again.`,
        { cause: fact },
      );
    case "Fenced":
      return fatal(
        "journal.fenced",
        `Another process has taken over ${fact.id} (epoch ${fact.currentEpoch}, ours was ${fact.epoch}). This one stops and touches nothing else.`,
        { cause: fact },
      );
    case "Corrupt":
      return corrupt(fact);
    case "NotFound":
      return fact.entity === "run"
        ? fatal(
            "agent.run_not_found",
            `There is no run ${fact.id} in this storage; "cahier runs list" shows those there are.`,
            {
              cause: fact,
            },
          )
        : fatal("blob.missing", `The stored ${fact.entity} ${fact.id} is gone; the run cannot be read on from here.`, {
            cause: fact,
          });
    case "Unavailable":
      return unavailable(fact);
    default:
      return fact satisfies never;
  }
};

const corrupt = (fact: Corrupt): Fatal => {
  if (fact.entity === "blob")
    return fatal("blob.hash_mismatch", `Stored content is damaged: ${fact.detail}`, { cause: fact });
  const where = [
    ...(fact.line === undefined ? [] : [`line ${fact.line}`]),
    ...(fact.seq === undefined ? [] : [`event ${fact.seq}`]),
  ].join(", ");
  return fatal(
    "journal.corrupt",
    `The ${fact.entity} ${fact.id} is damaged${where === "" ? "" : ` at ${where}`}: ${fact.detail}. Everything before stays readable; restore the rest from a backup.`,
    {
      cause: fact,
      details: {
        ...(fact.line === undefined ? {} : { line: fact.line }),
        ...(fact.seq === undefined ? {} : { seq: fact.seq }),
      },
    },
  );
};

const unavailable = (fact: Unavailable): Fatal => {
  switch (fact.kind) {
    case "full":
      return fatal("storage.full", `The storage has no room (${fact.operation}: ${fact.detail}). Make some room.`, {
        cause: fact,
      });
    case "readOnly":
    case "denied":
      return fatal(
        "storage.read_only",
        `The storage cannot be written (${fact.operation}: ${fact.detail}). Choose another data folder or make it writable.`,
        { cause: fact },
      );
    case "symlink":
      return fatal(
        "storage.failed",
        `A symbolic link is in the way (${fact.operation}: ${fact.detail}). Cahier follows none: put a real folder there.`,
        { cause: fact },
      );
    case "invalid":
    case "other":
      return fatal(
        "storage.failed",
        `The storage failed (${fact.operation}: ${fact.detail}). Check the data folder, or choose another one.`,
        { cause: fact },
      );
    default:
      return fact.kind satisfies never;
  }
};
