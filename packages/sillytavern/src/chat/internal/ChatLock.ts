/**
 * One writer of a chat at a time, over all processes of the machine: a file beside the chat names the holder.
 *
 * Owns waiting, and taking over the lock of a process that has ended. Does not own what is written. SillyTavern does not
 * know the lock; the check of the bytes right before a write guards against it.
 *
 * Taking over must not let two waiting processes both remove the dead holder's file. Whoever takes over first creates
 * `<lock>.<nonce of the dead holder>` exclusively, sees the dead holder still in the lock file, and renames its own file
 * over it. The same rule holds for one that dies while taking over.
 */
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync, readlinkSync, renameSync, statSync, unlinkSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { ChatFault } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import * as Disk from "./Disk.ts";
import { parseObject } from "./json.ts";

/**
 * Runs `use` while holding the chat's lock and gives the lock back afterwards, also when interrupted. Waits at most
 * `patienceMs` of real time, then fails with `Busy`.
 */
export const hold = <A, E>(
  path: string,
  patienceMs: number,
  use: Effect.Effect<A, E>,
): Effect.Effect<A, E | ChatFault> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.suspend(() => acquire(path, performance.now() + patienceMs, restore)),
      (lock) => Effect.ensuring(restore(use), Effect.ignore(Effect.try(() => release(lock)))),
    ),
  );

interface Holder {
  readonly nonce: string;
  readonly isAlive: boolean;
}

interface Lock {
  readonly path: string;
  readonly nonce: string;
}

const acquire = Effect.fnUntraced(function* (
  path: string,
  deadline: number,
  restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
) {
  const lock = { path: Disk.beside(path, "cahier-lock"), nonce: randomUUID() };
  while (true) {
    const isHeld = yield* Effect.try({ try: () => tryAcquire(lock), catch: (error) => Disk.faultOf(path, error) });
    if (isHeld) return lock;
    if (performance.now() >= deadline) {
      return yield* new ChatFault({
        reason: { _tag: "Busy" },
        detail: `Another program writes to the chat, and nothing was written. Try again when it has ended; if no Cahier runs any more, delete ${lock.path}.`,
      });
    }
    yield* restore(pause);
  }
});

/** Real time: the holder is another process, and no test clock moves it. */
const pause = Effect.callback<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), 10 + Math.random() * 20);
  return Effect.sync(() => clearTimeout(timer));
});

const tryAcquire = (lock: Lock): boolean => {
  if (create(lock.path, lock.nonce)) return true;
  const holder = read(lock.path);
  return holder !== null && !holder.isAlive && takeOver(lock, holder.nonce, [holder.nonce]);
};

/** `dead` are holders that have ended: the lock's, then those that died while taking over, each from the one before. */
const takeOver = (lock: Lock, seen: string, dead: ReadonlyArray<string>): boolean => {
  const claims = dead.map((nonce) => `${lock.path}.${nonce}`);
  const claim = claims.at(-1) ?? lock.path;
  if (!create(claim, lock.nonce)) {
    const claimant = read(claim);
    if (claimant === null || claimant.isAlive) return false;
    return takeOver(lock, seen, [...dead, claimant.nonce]);
  }
  if (read(lock.path)?.nonce !== seen) {
    discard(claim);
    return false;
  }
  renameSync(claim, lock.path);
  for (const left of claims.slice(0, -1)) discard(left);
  return true;
};

const release = (lock: Lock): void => {
  if (read(lock.path)?.nonce === lock.nonce) discard(lock.path);
};

const create = (path: string, nonce: string): boolean => {
  const file = exclusive(path);
  if (file === null) return false;
  try {
    writeSync(file, JSON.stringify({ pid: process.pid, start: startOf(process.pid), machine, nonce }));
    return true;
  } catch (error) {
    discard(path);
    throw error;
  } finally {
    closeSync(file);
  }
};

const exclusive = (path: string): number | null => {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if (Disk.codeOf(error) === "EEXIST") return null;
    throw error;
  }
};

/** The holder that a file names, or null if the file is gone. */
const read = (path: string): Holder | null => {
  try {
    const { ino, mtimeMs } = statSync(path);
    const named = parseObject(readFileSync(path, "utf8"));
    const [nonce, pid, start] = [named?.["nonce"], named?.["pid"], named?.["start"]];
    if (typeof nonce !== "string" || !/^[0-9a-f-]{1,64}$/.test(nonce) || typeof pid !== "number") {
      // A holder killed between creating and filling its file; a living one fills it at once.
      return { nonce: `${ino.toString(16)}-${Math.trunc(mtimeMs).toString(16)}`, isAlive: Date.now() - mtimeMs < 2000 };
    }
    return { nonce, isAlive: named?.["machine"] !== machine || isAlive(pid, start) };
  } catch (error) {
    if (Disk.codeOf(error) === "ENOENT") return null;
    throw error;
  }
};

/** Whether a process of this machine lives and is the one that began at `start`. */
const isAlive = (pid: number, start: unknown): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return Disk.codeOf(error) !== "ESRCH";
  }
  const found = startOf(pid);
  return found === null || start === null || found === start;
};

/** When a process began, in the system's own unit; null where the system does not say. A dead one not yet reaped has `ended`. */
const startOf = (pid: number): string | null => {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "ended" : (fields[19] ?? null);
  } catch {
    return null;
  }
};

const processSpace = (): string => {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
};

/** Process ids mean something only within one machine, and there within one container. */
const machine = `${hostname()} ${processSpace()}`.trim();

const discard = (path: string): void => {
  try {
    unlinkSync(path);
  } catch (error) {
    if (Disk.codeOf(error) !== "ENOENT") throw error;
  }
};
