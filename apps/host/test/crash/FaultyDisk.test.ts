import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, describe, it } from "@effect/vitest";
import * as FileStorage from "@cahier/storage-file/FileStorage";
import * as NodeDisk from "@cahier/storage-file/NodeDisk";
import * as FaultyDisk from "@cahier/testkit/doubles/FaultyDisk";
import * as Effect from "effect/Effect";
import * as DiskFull from "./DiskFull.ts";
import { fastFolder } from "../support/fastFolder.ts";

const folder = mkdtempSync(join(fastFolder, "cahier-faulty-disk-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A data folder on a disk with a fault that comes after so many operations. */
const fresh = (fault: (at: number) => FaultyDisk.Fault) => {
  const { chatPath, place } = DiskFull.makePlace(folder);
  const faulty = FaultyDisk.make(NodeDisk.make());
  const room: DiskFull.Room<never> = {
    storage: FileStorage.layer({ directory: join(place, "data"), disk: faulty.disk }),
    leave: (operations) => faulty.set(fault(operations + 1)),
    free: () => faulty.set(null),
  };
  return { room, chatPath, counts: faulty.counts };
};

/** Most writes are of the readable tree, of which a run needs nothing; each sync is of something that it needs. */
const faults = [
  { what: "tears one write", of: "writes" as const, fault: (at: number): FaultyDisk.Fault => ({ _tag: "Torn", at }) },
  {
    what: "fails one sync",
    of: "syncs" as const,
    fault: (at: number): FaultyDisk.Fault => ({ _tag: "SyncFails", at }),
  },
];

/** Not each operation is tried, so that the test is short. */
const step = 9;

describe("a disk that fails once", () => {
  it.live.each(faults)(
    "and $what stops the run or takes nothing from it; a resume completes it, and nothing is lost or done twice",
    ({ fault, of }) =>
      Effect.gen(function* () {
        const whole = fresh(fault);
        const { ending } = yield* DiskFull.meetFullDisk(whole.room, whole.chatPath, 1_000_000);
        assert.strictEqual(ending?.standing, "completed");
        const all = whole.counts()[of];
        const stopped: Array<boolean> = [];
        for (let operations = 3; operations < all; operations += step) {
          const { chatPath, room } = fresh(fault);
          const result = yield* DiskFull.meetFullDisk(room, chatPath, operations, ending, "storage.failed");
          assert.deepStrictEqual(result.violations, [], `after ${operations} of ${all} ${of}`);
          if (result.stoppedBy !== null) stopped.push(result.begun);
        }
        assert.isAbove(stopped.filter((begun) => begun).length, 1);
      }),
  );
});
