/**
 * What a journal adds to a bare write that is as durable: throughput of appends.
 */
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.
import { RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { randomBytes } from "node:crypto";
import * as BareWriter from "./bare/BareWriter.ts";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { pairs } from "./measure/pairs.ts";
import { print, type Row, spreadOf } from "./measure/Table.ts";
import { type Batch, batchesOf } from "./runtime/batches.ts";
import * as Workshop from "./runtime/Workshop.ts";
import { eachStorage, lacking } from "./storage/eachStorage.ts";
import type { StorageKind } from "./storage/Storage.ts";

const appends = isShort ? { warmUps: 20, measured: 40 } : { warmUps: 60, measured: 300 };

/** How many appends one measurement takes: few, so that what else the disk does meets both sides. */
const pieceLength = 20;

/** A row in a database brings more to stand beside than a line in a file does. */
const limits = { files: 0.8, SQLite: 0.7, PostgreSQL: 0.7 } as const satisfies Record<StorageKind["name"], number>;

interface Content {
  readonly what: string;
  readonly batches: ReadonlyArray<Batch>;
}

const throughput = async (kind: StorageKind, { batches, what }: Content): Promise<Row> => {
  await using workshop = await Workshop.open("append", kind);
  await using bare = BareWriter.open(kind, workshop.folder);
  const { effects } = workshop;
  const runId = RunId.make(`run_${randomBytes(16).toString("hex")}`);
  const journal = await effects.runPromise(RunJournal.useSync((service) => service));
  const createdAt = new Date().toISOString();
  await effects.runPromise(
    journal.create({ runId, workspaceId: WorkspaceId.make("chat_0123456789abcdef"), createdAt }),
  );
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
      theirs: (repetition) => bare.write(pieceOf(repetition).map(({ text }) => text)),
    },
    appends.warmUps,
    appends.measured,
  );
  const { lastSeq } = await effects.runPromise(journal.read(runId, { limit: 1 }));
  if (lastSeq !== (await bare.lines())) throw new Error("the sides did not write the same events");
  const ratios = found.map((pair) => pair.theirs.wall / pair.ours.wall);
  const perAppend = (walls: ReadonlyArray<number>): string => `${(median(walls) / pieceLength).toFixed(3)} ms/append`;
  return {
    what: `${kind.name}, ${what}`,
    ours: perAppend(found.map((pair) => pair.ours.wall)),
    theirs: perAppend(found.map((pair) => pair.theirs.wall)),
    value: median(ratios),
    limit: limits[kind.name],
    least: true,
    spread: spreadOf(ratios),
  };
};

const contents: ReadonlyArray<Content> = [
  { what: "small steps", batches: await batchesOf("echo", pieceLength * 5) },
  { what: "steps with 4 KiB of new text", batches: await batchesOf("create", pieceLength * 5) },
];
const rows: Array<Row> = [];
for (const kind of eachStorage()) for (const content of contents) rows.push(await throughput(kind, content));
print(
  "Append: throughput of durable appends",
  `ours: RunJournal; beside: the same bytes in the same pieces with nothing else. Files: ${BareWriter.doing.files}. SQLite: ${BareWriter.doing.SQLite}. PostgreSQL: ${BareWriter.doing.PostgreSQL}. Wall time: it is the disk's.`,
  [...rows, ...lacking],
);
