/**
 * A child that runs commands, seen from the process that starts it.
 *
 * Owns its life: how it is started, that it is ready, that it is killed when it does not answer, that it takes its scratch
 * folder with it. Does not own which child runs what.
 */
import * as Shell from "@cahier/ports/Shell";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as nodePath from "node:path";
import { Duplex } from "node:stream";
import * as url from "node:url";
import { type Answer, type Order, type Outcome, stopPath } from "./Message.ts";
import { readableBy } from "./readable.ts";
import * as Wire from "./Wire.ts";

export interface Options {
  /** The module that a child runs; null: the one of this package. */
  readonly entry: URL | null;
  /** The most that a child's heap may hold; it dies of more. */
  readonly heapBytes: number;
  /** How long a child may take until it is ready. */
  readonly startMs: number;
  /** The most bytes that one answer may have; a child that gives a longer one is killed. */
  readonly mostAnswerBytes: number;
}

/** How large the heap of a child is before it is looked through for what nobody needs, at most. */
const initialBytes = 256 * 1024 * 1024;

/**
 * A child looks through its heap by itself: the threads that V8 would do it with take the other processors from runs and from other
 * commands, of which several at once got on no faster than with one processor each. What is young has room, so that it is seldom.
 */
const oneProcessor: ReadonlyArray<string> = [
  "--no-parallel-scavenge",
  "--no-concurrent-marking",
  "--min-semi-space-size=32",
  "--max-semi-space-size=32",
];

/** How a child answered, or that it will not. */
export type Reply =
  | { readonly kind: "done"; readonly outcome: Outcome }
  | { readonly kind: "failed"; readonly detail: string }
  | { readonly kind: "gone" }
  | { readonly kind: "late" }
  | { readonly kind: "stopped" };

export interface Child {
  readonly isAlive: () => boolean;
  readonly kill: Effect.Effect<void>;
  /**
   * Asks it to run one command, of which it has `graceMs` more than the command's time to answer; it is killed when it is late
   * or its answer is not waited for any more. When `stop` completes it is told so, and killed if it does not answer soon. One at a
   * time.
   */
  readonly run: (request: Shell.ShellRequest, graceMs: number, stop: Effect.Effect<void>) => Effect.Effect<Reply>;
}

/** A child that is ready. It is killed with the scope. */
export const start = Effect.fn("ChildProcess.start")(function* (
  options: Options,
): Effect.fn.Return<Child, Shell.ShellFault, Scope.Scope> {
  const scratch = yield* Effect.acquireRelease(makeScratch, removeScratch);
  const started = yield* Effect.acquireRelease(fork(options, scratch), end);
  yield* ready(started).pipe(
    Effect.timeoutOrElse({
      duration: options.startMs,
      orElse: () => Effect.fail(unavailable(`The shell was not ready within ${options.startMs} ms.`)),
    }),
  );
  return childOf(started, scratch);
});

const makeScratch = Effect.try({
  // Node knows by its real path what may be read and written.
  try: () => fs.realpathSync(fs.mkdtempSync(nodePath.join(os.tmpdir(), "cahier-command-"))),
  catch: (cause) => unavailable("The shell could not make a folder for its files.", cause),
});

/** A folder that cannot be removed is the operating system's to remove: it is one of its temporary ones. */
const removeScratch = (path: string): Effect.Effect<void> =>
  Effect.ignore(
    Effect.try({
      try: () => fs.rmSync(path, { recursive: true, force: true }),
      catch: (cause) => unavailable("The shell could not remove the folder of its files.", cause),
    }),
  );

/** A process and what it says, which is heard by whoever listens at the moment. */
interface Started {
  readonly process: childProcess.ChildProcess;
  readonly channel: Duplex;
  readonly listeners: Set<(answer: Answer) => void>;
}

/**
 * The child has nothing of this process's environment, and of the machine no more than reading the modules that it is made of: Node
 * itself refuses it other programs, threads and files outside those and its scratch folder. Once it has loaded its modules it takes
 * network, native code and signals from itself, which is `child/lockIn`'s.
 */
const fork = (
  { entry, heapBytes, mostAnswerBytes }: Options,
  scratch: string,
): Effect.Effect<Started, Shell.ShellFault> =>
  Effect.try({
    try: () => {
      const program = url.fileURLToPath(entry ?? ownEntry);
      const started = childProcess.spawn(
        process.execPath,
        [
          `--max-old-space-size=${Math.ceil(heapBytes / 1024 / 1024)}`,
          // What a command leaves behind goes with the child's next rest, not in the middle of the commands after it.
          `--initial-old-space-size=${Math.ceil(Math.min(heapBytes / 2, initialBytes) / 1024 / 1024)}`,
          ...oneProcessor,
          "--permission",
          ...[...readableBy(program), scratch].map((path) => `--allow-fs-read=${path}`),
          `--allow-fs-write=${scratch}`,
          "--allow-addons",
          "--no-warnings",
          "--conditions=@cahier/source",
          program,
          scratch,
        ],
        {
          stdio: ["ignore", "ignore", "ignore", "pipe"],
          env: {},
          // In a group of its own, so that Ctrl-C reaches this process alone, which then decides what becomes of the command.
          detached: process.platform !== "win32",
        },
      );
      yieldTo(started);
      const channel = started.stdio[3];
      if (!(channel instanceof Duplex)) throw new Error("The process has no channel.");
      const listeners = new Set<(answer: Answer) => void>();
      const kill = (): void => void started.kill("SIGKILL");
      Wire.receive(channel, {
        mostBytes: mostAnswerBytes,
        onBroken: kill,
        onValue: (value) => {
          for (const listener of listeners) listener(value as Answer);
        },
      });
      // Writing to a child that has just died is an error; that it died is heard by its exit.
      channel.on("error", () => undefined);
      started.on("error", () => undefined);
      return { process: started, channel, listeners };
    },
    catch: (cause) => unavailable("The shell could not be started.", cause),
  });

/** The steps of runs go before what commands calculate. A child that has just died has no priority, and on some machines nobody may say. */
const yieldTo = ({ pid }: childProcess.ChildProcess): void => {
  try {
    if (pid !== undefined) os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    return;
  }
};

/** Beside this module, in the language that this module is in. */
const ownEntry = new URL(`child/main${nodePath.extname(url.fileURLToPath(import.meta.url))}`, import.meta.url);

/** Completes when the process is gone. */
const end = ({ process: child }: Started): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (isOver(child)) return resume(Effect.void);
    child.once("exit", () => resume(Effect.void));
    child.kill("SIGKILL");
  });

/** A process that never started has no pid. */
const isOver = (child: childProcess.ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

/** The first answer that is wanted, or null when the process ends before it. */
const hear = <A>(started: Started, wanted: (answer: Answer) => A | undefined): Effect.Effect<A | null> =>
  Effect.callback<A | null>((resume) => {
    if (isOver(started.process)) return resume(Effect.succeed(null));
    const forget = (): void => {
      started.listeners.delete(listener);
      started.process.off("exit", onExit);
    };
    const settle = (value: A | null): void => {
      forget();
      resume(Effect.succeed(value));
    };
    const listener = (answer: Answer): void => {
      const value = wanted(answer);
      if (value !== undefined) settle(value);
    };
    const onExit = (): void => settle(null);
    started.listeners.add(listener);
    started.process.on("exit", onExit);
    return Effect.sync(forget);
  });

const ready = (started: Started): Effect.Effect<void, Shell.ShellFault> =>
  Effect.flatMap(
    hear(started, (answer) => (answer.kind === "ready" ? true : undefined)),
    (isReady) =>
      isReady === true ? Effect.void : Effect.fail(unavailable("The shell ended while it was being started.")),
  );

const childOf = (started: Started, scratch: string): Child => {
  const last = { id: 0 };
  const kill = end(started);
  return {
    isAlive: () => !isOver(started.process),
    kill,
    run: (request, graceMs, stop) => {
      const order: Order = { id: (last.id += 1), request };
      const file = stopPath(scratch, order.id);
      return ask(started, order).pipe(
        Effect.timeoutOrElse({
          duration: request.limits.timeoutMs + graceMs,
          orElse: () => Effect.as(kill, { kind: "late" } as const),
        }),
        Effect.raceFirst(
          stop.pipe(
            Effect.andThen(takeBack(file)),
            Effect.andThen(Effect.sleep(stoppingMs)),
            Effect.as({ kind: "stopped" } as const),
          ),
        ),
        // Only once nobody listens to it any more: that it ends would be heard as a crash.
        Effect.tap(({ kind }) => (kind === "stopped" ? kill : Effect.void)),
        Effect.onInterrupt(() => kill),
        Effect.ensuring(Effect.sync(() => fs.rmSync(file, { force: true }))),
      );
    },
  };
};

/** How long a command may take to say what it has done by the time that it is stopped, in milliseconds. */
const stoppingMs = 600;

/** A child whose folder takes no file is killed like one that does not look. A link that stands there already leads nowhere. */
const takeBack = (file: string): Effect.Effect<void> =>
  Effect.ignore(
    Effect.try({
      try: () => fs.writeFileSync(file, "", { flag: "wx" }),
      catch: (cause) => unavailable("The command could not be told to stop.", cause),
    }),
  );

const ask = (started: Started, order: Order): Effect.Effect<Reply> =>
  Effect.andThen(
    Effect.sync(() => Wire.send(started.channel, order)),
    Effect.map(
      hear(started, (answer) => (answer.kind !== "ready" && answer.id === order.id ? answer : undefined)),
      (answer): Reply => {
        if (answer === null) return { kind: "gone" };
        return answer.kind === "failed" ? answer : { kind: "done", outcome: ownBytes(answer.outcome) };
      },
    ),
  );

/** Bytes that do not keep the whole message alive. */
const ownBytes = (outcome: Outcome): Outcome => ({
  ...outcome,
  changes: outcome.changes.map(({ bytes, path }) => ({ path, bytes: bytes === null ? null : Uint8Array.from(bytes) })),
});

const unavailable = (detail: string, cause?: unknown): Shell.ShellFault =>
  new Shell.ShellFault({ kind: "unavailable", detail, ...(cause === undefined ? {} : { cause }) });
