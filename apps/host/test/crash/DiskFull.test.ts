import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, describe, it } from "@effect/vitest";
import * as FileStorage from "@cahier/storage-file/FileStorage";
import * as NodeDisk from "@cahier/storage-file/NodeDisk";
import * as FaultyDisk from "@cahier/testkit/doubles/FaultyDisk";
import * as Effect from "effect/Effect";
import * as DiskFull from "./DiskFull.ts";

const folder = mkdtempSync(join(tmpdir(), "cahier-disk-full-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A data folder on a disk that takes so many writes and no more. */
const fresh = () => {
  const { chatPath, place } = DiskFull.makePlace(folder);
  const faulty = FaultyDisk.make(NodeDisk.make());
  const room: DiskFull.Room<never> = {
    storage: FileStorage.layer({ directory: join(place, "data"), disk: faulty.disk }),
    leave: (writes) => faulty.set({ _tag: "Full", at: writes + 1 }),
    free: () => faulty.set(null),
  };
  return { room, chatPath, writes: () => faulty.counts().writes };
};

describe("a disk that is full at some write of a run", () => {
  it.live("stops the run with storage.full and leaves the chat whole; with room again a resume completes it", () =>
    Effect.gen(function* () {
      const whole = fresh();
      const { ending, stoppedBy } = yield* DiskFull.meetFullDisk(whole.room, whole.chatPath, 1_000_000);
      assert.isNull(stoppedBy);
      const all = whole.writes();
      assert.isAbove(all, 50);
      // Some of the writes: the program diskFull tries each.
      const stopped: Array<boolean> = [];
      for (let writes = 0; writes < all; writes += 23) {
        const { chatPath, room } = fresh();
        const result = yield* DiskFull.meetFullDisk(room, chatPath, writes, ending);
        assert.deepStrictEqual(result.violations, [], `full after ${writes} of ${all} writes`);
        if (result.stoppedBy !== null) stopped.push(result.begun);
      }
      assert.isAbove(stopped.filter((begun) => begun).length, 5);
    }),
  );
});
