/**
 * What is stored for new content: everything that each storage keeps, beside the content alone.
 */
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.
import { isShort } from "./measure/isShort.ts";
import { print, type Row } from "./measure/Table.ts";
import { contentBytes, type ConversationKind } from "./model/replies.ts";
import * as Workshop from "./runtime/Workshop.ts";
import { eachStorage, lacking } from "./storage/eachStorage.ts";
import type { StorageKind } from "./storage/Storage.ts";

interface Way {
  readonly kind: ConversationKind;
  readonly what: string;
}

const ways: ReadonlyArray<Way> = [
  { kind: "create", what: "a new file each step" },
  { kind: "replace", what: "the whole of one of two files" },
  { kind: "append", what: "at the end of one file" },
];

const counts = isShort ? [200] : [200, 1000];

const size = async (storage: StorageKind, { kind, what }: Way, steps: number): Promise<Row> => {
  await using workshop = await Workshop.open("bytes", storage);
  await workshop.run(kind, steps);
  await workshop.effects.dispose();
  const content = steps * contentBytes;
  const total = workshop.storage.bytes();
  return {
    what: `${storage.name}, ${what}, ${steps} steps`,
    ours: `${(total / 1024).toFixed(0)} KiB`,
    theirs: `${(content / 1024).toFixed(0)} KiB`,
    value: total / content,
    limit: 3,
  };
};

const kinds: Iterable<StorageKind> = isShort ? [{ name: "files" }, { name: "SQLite" }] : eachStorage();
const rows: Array<Row> = [];
for (const storage of kinds)
  for (const way of ways) for (const steps of counts) rows.push(await size(storage, way, steps));
print(
  "Bytes: everything stored for 4 KiB of new text a step",
  "ours: the data folder without its readable mirror, the database's file, the tables with their indexes, each after the program has closed it; beside: the new text alone.",
  [...rows, ...(isShort ? [] : lacking)],
);
