/**
 * From a disk's errors to the facts that a storage port reports.
 *
 * Owns the table of error codes and the two ways to run a disk operation as an effect.
 */
import { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Disk from "../Disk.ts";

/** The fact behind an error that a disk operation threw. */
export const unavailable = (operation: string, cause: unknown): Unavailable => {
  const code = Disk.codeOf(cause);
  return new Unavailable({
    operation,
    kind: (code === undefined ? undefined : kinds[code]) ?? "other",
    detail: cause instanceof Error ? cause.message : "the disk reported no error object",
    cause,
  });
};

/** A value or name that these files cannot hold. */
export const invalid = (operation: string, detail: string): Unavailable =>
  new Unavailable({ operation, kind: "invalid", detail });

/** True when a name was already taken. */
export const isTaken = (fault: Unavailable): boolean => Disk.codeOf(fault.cause) === "EEXIST";

/** True when a file or a directory on the way to it is not there. */
export const isAbsent = (fault: Unavailable): boolean => Disk.codeOf(fault.cause) === "ENOENT";

/** Runs synchronous disk operations. */
export const attempt = <A>(operation: string, run: () => A): Effect.Effect<A, Unavailable> =>
  Effect.try({ try: run, catch: (cause) => unavailable(operation, cause) });

/** Runs one asynchronous disk operation. */
export const attemptAsync = (operation: string, run: (done: Disk.Done) => void): Effect.Effect<void, Unavailable> =>
  Effect.callback((resume) => {
    run((error) => resume(error === null ? Effect.void : Effect.fail(unavailable(operation, error))));
  });

/** Runs `run`, with `fallback` when the thing that it needs is not there. */
export const orAbsent = <A, B>(run: () => A, fallback: B): A | B => {
  try {
    return run();
  } catch (error) {
    if (Disk.codeOf(error) === "ENOENT") return fallback;
    throw error;
  }
};

/** Runs `run`; false when the name that it gives is taken. */
export const unlessTaken = (run: () => void): boolean => {
  try {
    run();
    return true;
  } catch (error) {
    if (Disk.codeOf(error) === "EEXIST") return false;
    throw error;
  }
};

const kinds: Readonly<Record<string, Unavailable["kind"]>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EFBIG: "full",
  EROFS: "readOnly",
  EACCES: "denied",
  EPERM: "denied",
  ELOOP: "symlink",
  ENAMETOOLONG: "invalid",
  ENOTDIR: "invalid",
  EISDIR: "invalid",
};
