/**
 * Everything that the sweep must notice: the broken ports of the testkit, and tools that resume wrongly.
 */
import { randomUUID } from "node:crypto";
import { type CrashMutant, mutants, type StruckPorts } from "@cahier/testkit/crash/CrashMutants";
import type { Reaching } from "./SweepStory.ts";

export interface SweepMutant {
  readonly name: string;
  readonly title: string;
  readonly ports: (ports: StruckPorts) => StruckPorts;
  readonly reaching: (given: Reaching) => Reaching;
}

/** All mutants, by the names that a worker is told. */
export const sweepMutants: ReadonlyArray<SweepMutant> = [
  ...mutants.map(({ breaks, name, title }: CrashMutant) => ({ name, title, ports: breaks, reaching: unchanged })),
  {
    name: "repeated-call",
    title: "a resume that makes irreversible calls again",
    ports: unchanged,
    reaching: (given) => (given.effectClass === "irreversible" ? { ...given, effectClass: "idempotent" } : given),
  },
  {
    name: "fresh-key",
    title: "a call that is made again under another key",
    ports: unchanged,
    reaching: (given) => (given.key === undefined ? given : { ...given, key: randomUUID() }),
  },
];

/** What is not broken. */
export const sound: Pick<SweepMutant, "ports" | "reaching"> = { ports: unchanged, reaching: unchanged };

function unchanged<Value>(given: Value): Value {
  return given;
}
