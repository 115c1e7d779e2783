/**
 * The epoch of a run: the files `owners/<epoch>`, of which the highest counts.
 *
 * Owns that one epoch is taken once. Does not own the event that names the owner.
 */
import type { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as nodePath from "node:path";
import type * as Disk from "../Disk.ts";
import * as Fault from "./fault.ts";
import * as Files from "./Files.ts";

export interface Owners {
  /** The highest epoch that is taken, at least 1; throws what the disk throws. */
  readonly current: () => number;
  /** True when somebody has this epoch. Asking for the same one again and again is cheap. */
  readonly isTaken: (epoch: number) => boolean;
  /** Takes an epoch, durably; false when somebody has it already. */
  readonly take: (epoch: number) => Effect.Effect<boolean, Unavailable>;
}

/** `directory` is the run's `owners` folder. */
export const make = (disk: Disk.Disk, directory: string): Owners => {
  let known = 0;

  const pathOf = (epoch: number): string => nodePath.join(directory, String(epoch));
  const asked = { epoch: 0, path: "" };

  const isTaken = (epoch: number): boolean => {
    if (asked.epoch !== epoch) Object.assign(asked, { epoch, path: pathOf(epoch) });
    return disk.entry(asked.path) !== undefined;
  };

  const current = (): number => {
    // A run that was removed and made again begins anew.
    if (known === 0 || !isTaken(known)) known = highest(Fault.orAbsent(() => disk.names(directory), []));
    while (isTaken(known + 1)) known += 1;
    return known;
  };

  const take = Effect.fnUntraced(function* (epoch: number) {
    const operation = "journal.claim";
    const created = yield* Files.writeDurable(disk, pathOf(epoch), empty, operation).pipe(
      Effect.as(true),
      Effect.catchIf(Fault.isTaken, () => Effect.succeed(false)),
    );
    yield* Fault.attemptAsync(operation, (done) => disk.syncDirectory(directory, done));
    return created;
  });

  return { current, isTaken, take };
};

const empty = new Uint8Array(0);

const highest = (names: ReadonlyArray<string>): number =>
  names.reduce((most, name) => (/^[1-9][0-9]{0,14}$/.test(name) ? Math.max(most, Number(name)) : most), 1);
