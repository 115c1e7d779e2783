/**
 * Fills a small disk at every write of a run, on files and SQLite, and shows that the run stops with storage.full, the chat
 * stays whole, and a resume completes the run once there is room.
 *
 * The disk is a file system in memory with a limit, mounted below the temporary folder: that takes Linux and root. The chat
 * lies on it too, unless `--chat-apart` puts it elsewhere. Room is taken away page by page, until a run fits. Where nothing
 * can be mounted, files are tried on a disk that refuses, at each single write, and SQLite is left out. `--storage file,sqlite`
 * chooses, `--step N` tries every n-th place. Prints a table; ends with code 1 when something was violated.
 */
/* oxlint-disable eslint/no-await-in-loop -- each run has the disk for itself */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as FileStorage from "@cahier/storage-file/FileStorage";
import * as NodeDisk from "@cahier/storage-file/NodeDisk";
import type { Ending } from "@cahier/testkit/crash/Ending";
import * as FaultyDisk from "@cahier/testkit/doubles/FaultyDisk";
import * as Effect from "effect/Effect";
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Storage from "../../src/composition/Storage.ts";
import { type FullResult, makePlace, meetFullDisk, type Room } from "../crash/DiskFull.ts";

const { values } = parseArgs({
  options: {
    storage: { type: "string", default: "file,sqlite" },
    step: { type: "string", default: "1" },
    "chat-apart": { type: "boolean", default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), "cahier-disk-full-"));
const mounted = join(folder, "small");

/** More than a run needs, so that a run that fits nowhere is noticed. */
const diskBytes = 16 * 1024 * 1024;

const run = (program: string, ...args: ReadonlyArray<string>): void => {
  execFileSync(program, args, { stdio: "ignore" });
};

const mount = (): boolean => {
  mkdirSync(mounted);
  try {
    run("mount", "-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", mounted);
    return true;
  } catch {
    return false;
  }
};

/** One run's storage in a folder that is removed after it. */
interface Tried {
  readonly room: Room<Fatal>;
  readonly chatPath: string;
  readonly remove: () => void;
}

/** Room on the small disk is counted in its pages; a filler takes the rest. */
const onSmallDisk = (kind: string): Tried => {
  const { chatPath, place } = makePlace(mounted);
  const apart = makePlace(folder);
  const filler = join(mounted, "filler");
  const storage = kind === "file" ? `file:${join(place, "data")}` : `sqlite:${join(place, "cahier.sqlite")}`;
  return {
    chatPath: values["chat-apart"] ? apart.chatPath : chatPath,
    room: {
      storage: Storage.layer(Storage.choose({ storage }, {})),
      leave: (pages) => {
        const { bavail, bsize } = statfsSync(mounted);
        writeFileSync(filler, new Uint8Array(Math.max(0, bavail - pages) * bsize));
      },
      free: () => rmSync(filler, { force: true }),
    },
    remove: () => {
      for (const made of [place, apart.place, filler]) rmSync(made, { recursive: true, force: true });
    },
  };
};

/** Room on a disk that refuses is counted in single writes. */
const onRefusingDisk = (): Tried => {
  const { chatPath, place } = makePlace(folder);
  const faulty = FaultyDisk.make(NodeDisk.make());
  return {
    chatPath,
    room: {
      storage: FileStorage.layer({ directory: join(place, "data"), disk: faulty.disk }),
      leave: (writes) => faulty.set({ _tag: "Full", at: writes + 1 }),
      free: () => faulty.set(null),
    },
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
};

const tryOne = async (make: () => Tried, units: number, uninterrupted?: Ending): Promise<FullResult> => {
  const { chatPath, remove, room } = make();
  const result = await Effect.runPromise(Effect.scoped(meetFullDisk(room, chatPath, units, uninterrupted)));
  remove();
  return result;
};

/** Fits when three amounts of room in a row were enough: a database may come by with less once and not again. */
const inARow = 3;

const tryAll = async (name: string, make: () => Tried): Promise<boolean> => {
  const { ending } = await tryOne(make, 1_000_000);
  if (ending?.standing !== "completed") throw new Error(`a run with room enough ends as ${JSON.stringify(ending)}`);
  const found: Array<FullResult> = [];
  let fitting = 0;
  for (let units = 0; fitting < inARow; units += Number(values.step)) {
    const result = await tryOne(make, units, ending);
    found.push(result);
    fitting = result.stoppedBy === null ? fitting + 1 : 0;
    for (const violation of result.violations)
      process.stdout.write(`VIOLATED ${name}, room for ${units}: ${violation}\n`);
  }
  const stopped = found.filter(({ stoppedBy }) => stoppedBy !== null);
  const resumed = stopped.filter(({ begun }) => begun).length;
  const violated = found.filter(({ violations }) => violations.length > 0).length;
  process.stdout.write(
    `${name.padEnd(24)} places ${String(found.length).padStart(4)}  stopped ${String(stopped.length).padStart(4)}  before there was a run ${String(stopped.length - resumed).padStart(4)}  resumed ${String(resumed).padStart(4)}  violated ${violated}\n`,
  );
  return violated === 0 && resumed > 0;
};

const outcomes: Array<boolean> = [];
const isMounted = mount();
if (!isMounted)
  process.stdout.write("Nothing can be mounted here: SQLite is left out, files are tried on a disk that refuses.\n");
try {
  for (const kind of values.storage.split(",")) {
    if (isMounted) outcomes.push(await tryAll(`${kind}, small disk`, () => onSmallDisk(kind)));
    if (kind === "file") outcomes.push(await tryAll("file, refusing disk", onRefusingDisk));
  }
} finally {
  if (isMounted) run("umount", mounted);
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`result: ${outcomes.filter((whole) => whole).length} of ${outcomes.length} disks whole\n`);
process.exitCode = outcomes.every((whole) => whole) ? 0 : 1;
