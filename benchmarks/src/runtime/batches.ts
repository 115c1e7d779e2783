/**
 * The appends of a run that the runtime has just made, as its journal has them.
 */
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import * as fs from "node:fs";
import * as path from "node:path";
import type { ConversationKind } from "../model/replies.ts";
import * as Workshop from "./Workshop.ts";

/** One append of a run: its events, and the lines that they became. */
export interface Batch {
  readonly events: ReadonlyArray<NewEvent>;
  readonly text: string;
}

/** The appends of a run of so many rounds, from its first. */
export const batchesOf = async (kind: ConversationKind, rounds: number): Promise<ReadonlyArray<Batch>> => {
  await using workshop = await Workshop.open("batches");
  await workshop.run(kind, rounds);
  const batches: Array<{ events: Array<NewEvent>; lines: Array<string> }> = [];
  for (const line of fs.readFileSync(journalFile(workshop.data), "utf8").split("\n").slice(0, -1)) {
    const { batch, crc: _crc, epoch: _epoch, runId: _runId, seq: _seq, ...event } = JSON.parse(line) as StoredLine;
    if (batch[0] === 0) batches.push({ events: [], lines: [] });
    batches.at(-1)?.events.push(event);
    batches.at(-1)?.lines.push(`${line}\n`);
  }
  return batches.map(({ events, lines }) => ({ events, text: lines.join("") }));
};

/** The journal of the one run below a data folder. */
export const journalFile = (data: string): string => {
  const entry = fs
    .readdirSync(data, { withFileTypes: true, recursive: true })
    .find((found) => found.name === "events.jsonl");
  if (entry === undefined) throw new Error("the run has no journal");
  return path.join(entry.parentPath, entry.name);
};

interface StoredLine extends NewEvent {
  readonly seq: number;
  readonly runId: string;
  readonly epoch: number;
  readonly batch: readonly [number, number];
  readonly crc: string;
}
