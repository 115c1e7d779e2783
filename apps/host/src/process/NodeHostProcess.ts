/**
 * HostProcess on Node: who this process is, whether another one lives, and when it is asked to stop.
 *
 * A process is told from a later one with the same pid by the boot and the moment that it was started in.
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { OwnerId } from "@cahier/domain/identity/Identity";
import type { RunOwner } from "@cahier/domain/run/event/lifecycle";
import { HostProcess } from "@cahier/ports/HostProcess";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";

/** The signals that ask a process to stop. */
const stopSignals = ["SIGINT", "SIGTERM"] as const;

/** This process. While the scope is open a stop signal is taken as a request and does not end the process by itself. */
export const make = Effect.gen(function* () {
  const self = identity();
  const asked = yield* Deferred.make<void>();
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const ask = (): void => {
        Deferred.doneUnsafe(asked, Effect.void);
      };
      for (const signal of stopSignals) process.on(signal, ask);
      return ask;
    }),
    (ask) =>
      Effect.sync(() => {
        for (const signal of stopSignals) process.off(signal, ask);
      }),
  );
  return HostProcess.of({
    self,
    liveness: (owner) =>
      Effect.sync(() => {
        if (owner.machine !== self.machine) return "elsewhere";
        return startOf(owner.pid) === owner.startedAt ? "running" : "gone";
      }),
    stopRequested: Deferred.await(asked),
  });
});

export const layer: Layer.Layer<HostProcess> = Layer.effect(HostProcess, make);

const known: { identity?: RunOwner } = {};

/** Asked for once in the life of the process, so that every view of it is the same owner. */
const identity = (): RunOwner =>
  (known.identity ??= {
    ownerId: OwnerId.make(`owner_${randomUUID().replaceAll("-", "")}`),
    machine: `${hostname()} ${processSpace()}`.trim(),
    pid: process.pid,
    startedAt: startOf(process.pid) ?? new Date(performance.timeOrigin).toISOString(),
  });

/** Process ids mean something only within one machine, and there within one container. */
const processSpace = (): string => {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
};

/** When a living process was started, in whatever form this system has it; undefined when there is none. */
const startOf = (pid: number): string | undefined => {
  if (process.platform === "linux" && seesItsOwnProcesses()) return startOnLinux(pid);
  if (process.platform === "linux" || process.platform === "win32") return pid === process.pid ? "self" : isThere(pid);
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || undefined;
  } catch {
    return undefined;
  }
};

/** A process namespace may come with the `/proc` of another one, whose numbers are those of strangers. */
const seesItsOwnProcesses = (): boolean => {
  try {
    return readlinkSync("/proc/self") === String(process.pid);
  } catch {
    return false;
  }
};

/** The boot's id and the process's start in clock ticks since then (field 22 of `/proc/PID/stat`, see proc(5)). */
const startOnLinux = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const dead = fields[0] === "Z" || fields[0] === "X";
    return dead ? undefined : `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}:${fields[19]}`;
  } catch {
    return undefined;
  }
};

const isThere = (pid: number): string | undefined => {
  try {
    process.kill(pid, 0);
    return "self";
  } catch {
    return undefined;
  }
};
