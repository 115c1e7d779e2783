/**
 * What the journal adds to a bare write: throughput of appends, and bytes stored for new content.
 */
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.
import { RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { bytesBelow } from "./measure/folder.ts";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { pairs } from "./measure/pairs.ts";
import { print, type Row, spreadOf } from "./measure/Table.ts";
import { contentBytes, type ConversationKind } from "./model/replies.ts";
import * as Workshop from "./runtime/Workshop.ts";

/** One append of a run: its events, and the bytes that they became. */
interface Batch {
  readonly events: ReadonlyArray<NewEvent>;
  readonly bytes: Buffer;
}

const appends = isShort ? { warmUps: 40, measured: 60 } : { warmUps: 60, measured: 300 };

const stored: ReadonlyArray<{ readonly kind: ConversationKind; readonly what: string; readonly steps: number }> = [
  { kind: "create" as const, what: "a new file each step" },
  { kind: "replace" as const, what: "the whole of one of two files" },
  { kind: "append" as const, what: "at the end of one file" },
].flatMap((way) => (isShort ? [200] : [200, 1000]).map((steps) => ({ ...way, steps })));

const journalFiles = (data: string): ReadonlyArray<string> =>
  fs
    .readdirSync(data, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.name === "events.jsonl")
    .map((entry) => path.join(entry.parentPath, entry.name));

/** The appends of a run that the runtime has just made, as its journal has them. */
const batchesOf = async (kind: ConversationKind, rounds: number): Promise<ReadonlyArray<Batch>> => {
  await using workshop = await Workshop.open("batches");
  await workshop.run(kind, rounds);
  const [file] = journalFiles(workshop.data);
  if (file === undefined) throw new Error("the run has no journal");
  const batches: Array<{ events: Array<NewEvent>; lines: Array<string> }> = [];
  for (const line of fs.readFileSync(file, "utf8").split("\n").slice(0, -1)) {
    const { batch, crc: _crc, epoch: _epoch, runId: _runId, seq: _seq, ...event } = JSON.parse(line) as StoredLine;
    if (batch[0] === 0) batches.push({ events: [], lines: [] });
    batches.at(-1)?.events.push(event);
    batches.at(-1)?.lines.push(`${line}\n`);
  }
  return batches.map(({ events, lines }) => ({ events, bytes: Buffer.from(lines.join("")) }));
};

interface StoredLine extends NewEvent {
  readonly seq: number;
  readonly runId: string;
  readonly epoch: number;
  readonly batch: readonly [number, number];
  readonly crc: string;
}

/** How many appends one measurement takes: few, so that what else the disk does meets both sides. */
const pieceLength = 20;

const throughput = async (what: string, kind: ConversationKind): Promise<Row> => {
  const batches = await batchesOf(kind, pieceLength * 5);
  await using workshop = await Workshop.open("append");
  const { effects, folder } = workshop;
  const runId = RunId.make(`run_${randomBytes(16).toString("hex")}`);
  const journal = await effects.runPromise(RunJournal.useSync((service) => service));
  const createdAt = new Date().toISOString();
  await effects.runPromise(
    journal.create({ runId, workspaceId: WorkspaceId.make("chat_0123456789abcdef"), createdAt }),
  );
  const bareFile = path.join(folder, "bare");
  const descriptor = fs.openSync(bareFile, "a");
  const pieceOf = (repetition: number): ReadonlyArray<Batch> => {
    const start = (repetition * pieceLength) % (batches.length - pieceLength);
    return batches.slice(start, start + pieceLength);
  };
  let expectedSeq = 0;
  const appendAll = Effect.fnUntraced(function* (piece: ReadonlyArray<Batch>) {
    for (const { events } of piece) expectedSeq = yield* journal.append(runId, { epoch: 1, expectedSeq }, events);
  });
  const found = await pairs(
    {
      ours: (repetition) => effects.runPromise(appendAll(pieceOf(repetition))),
      theirs: (repetition) => writeAll(descriptor, pieceOf(repetition)),
    },
    appends.warmUps,
    appends.measured,
  );
  fs.closeSync(descriptor);
  requireSameEvents(workshop.data, bareFile);
  const ratios = found.map((pair) => pair.theirs.wall / pair.ours.wall);
  const perAppend = (walls: ReadonlyArray<number>): string => `${(median(walls) / pieceLength).toFixed(3)} ms/append`;
  return {
    what,
    ours: perAppend(found.map((pair) => pair.ours.wall)),
    theirs: perAppend(found.map((pair) => pair.theirs.wall)),
    value: median(ratios),
    limit: 0.8,
    least: true,
    spread: spreadOf(ratios),
  };
};

/** Both files have the same lines, apart from their numbers: a longer number makes a line longer. */
const requireSameEvents = (data: string, bareFile: string): void => {
  const lines = (file: string): number => fs.readFileSync(file, "utf8").split("\n").length;
  const [journalFile = ""] = journalFiles(data);
  if (lines(journalFile) !== lines(bareFile)) throw new Error("the sides did not write the same events");
};

/** The same bytes in the same pieces: one write and one data sync each, nothing else. */
const writeAll = async (descriptor: number, batches: ReadonlyArray<Batch>): Promise<void> => {
  for (const { bytes } of batches) {
    fs.writeSync(descriptor, bytes);
    await new Promise<void>((resolve, reject) => {
      fs.fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  }
};

const size = async ({ kind, steps, what }: (typeof stored)[number]): Promise<Row> => {
  await using workshop = await Workshop.open("bytes");
  await workshop.run(kind, steps);
  const content = steps * contentBytes;
  const total = bytesBelow(workshop.data);
  return {
    what: `${what}, ${steps} steps`,
    ours: `${(total / 1024).toFixed(0)} KiB`,
    theirs: `${(content / 1024).toFixed(0)} KiB`,
    value: total / content,
    limit: 3,
  };
};

const rates = [await throughput("small steps", "echo"), await throughput("steps with 4 KiB of new text", "create")];
print(
  "Append: throughput of durable appends",
  "ours: RunJournal on files; beside: writeSync and fdatasync of the same bytes in the same pieces. Wall time: it is the disk's.",
  rates,
);
const sizes: Array<Row> = [];
for (const way of stored) sizes.push(await size(way));
print(
  "Bytes: everything stored for 4 KiB of new text a step",
  "ours: all files of the data folder, whose readable mirror is left out; beside: the new text alone.",
  sizes,
);
