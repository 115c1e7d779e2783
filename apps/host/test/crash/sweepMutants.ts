/**
 * Everything that the sweep must notice: the broken ports of the testkit, tools that resume wrongly, and results of tasks that
 * are told twice or never.
 */
import { randomUUID } from "node:crypto";
import { type CrashMutant, mutants, type StruckPorts } from "@cahier/testkit/crash/CrashMutants";
import { deliveryMutants } from "./deliveryMutants.ts";
import type { StoryName } from "./stories.ts";
import type { Reaching } from "./SweepStory.ts";

/** `story` is what the runs do in which it must be noticed. */
export interface SweepMutant {
  readonly name: string;
  readonly title: string;
  readonly story: StoryName;
  readonly ports: (ports: StruckPorts) => StruckPorts;
  readonly reaching: (given: Reaching) => Reaching;
}

/** All mutants, by the names that a worker is told. */
export const sweepMutants: ReadonlyArray<SweepMutant> = [
  ...mutants.map(of("solo")),
  ...deliveryMutants.map(of("team")),
  {
    name: "repeated-call",
    title: "a resume that makes irreversible calls again",
    story: "solo",
    ports: unchanged,
    reaching: (given) => (given.effectClass === "irreversible" ? { ...given, effectClass: "idempotent" } : given),
  },
  {
    name: "fresh-key",
    title: "a call that is made again under another key",
    story: "solo",
    ports: unchanged,
    reaching: (given) => (given.key === undefined ? given : { ...given, key: randomUUID() }),
  },
];

/** What is not broken. */
export const sound: Pick<SweepMutant, "ports" | "reaching"> = { ports: unchanged, reaching: unchanged };

function unchanged<Value>(given: Value): Value {
  return given;
}

function of(story: StoryName) {
  return ({ breaks, name, title }: CrashMutant): SweepMutant => ({
    name,
    title,
    story,
    ports: breaks,
    reaching: unchanged,
  });
}
