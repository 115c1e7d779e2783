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
import * as url from "node:url";
import type { Answer, Order, Outcome } from "./Message.ts";

export interface Options {
  /** The module that a child runs; null: the one of this package. */
  readonly entry: URL | null;
  /** The most that a child's heap may hold; it dies of more. */
  readonly heapBytes: number;
  /** How long a child may take until it is ready. */
  readonly startMs: number;
}

/** How a child answered, or that it will not. */
export type Reply =
  | { readonly kind: "done"; readonly outcome: Outcome }
  | { readonly kind: "failed"; readonly detail: string }
  | { readonly kind: "gone" }
  | { readonly kind: "late" };

export interface Child {
  readonly pid: number;
  readonly isAlive: () => boolean;
  readonly kill: Effect.Effect<void>;
  /**
   * Asks it to run one command, of which it has `graceMs` more than the command's time to answer; it is killed when it is late
   * or its answer is not waited for any more. One at a time.
   */
  readonly run: (request: Shell.ShellRequest, graceMs: number) => Effect.Effect<Reply>;
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
  return childOf(started);
});

const makeScratch = Effect.try({
  try: () => fs.mkdtempSync(nodePath.join(os.tmpdir(), "cahier-shell-")),
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

/**
 * The child has nothing of this process's environment, and of the machine no more than reading modules: Node itself refuses it
 * other programs, threads and files outside its scratch folder.
 */
const fork = (
  { entry, heapBytes }: Options,
  scratch: string,
): Effect.Effect<childProcess.ChildProcess, Shell.ShellFault> =>
  Effect.try({
    try: () =>
      childProcess.fork(entry ?? ownEntry, [scratch], {
        serialization: "advanced",
        stdio: ["ignore", "ignore", "ignore", "ipc"],
        env: {},
        execArgv: [
          `--max-old-space-size=${Math.ceil(heapBytes / 1024 / 1024)}`,
          "--permission",
          "--allow-fs-read=*",
          `--allow-fs-write=${scratch}`,
          "--allow-addons",
          "--no-warnings",
          "--conditions=@cahier/source",
        ],
      }),
    catch: (cause) => unavailable("The shell could not be started.", cause),
  });

/** Beside this module, in the language that this module is in. */
const ownEntry = new URL(`child/main${nodePath.extname(url.fileURLToPath(import.meta.url))}`, import.meta.url);

/** Completes when the process is gone. */
const end = (child: childProcess.ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (isOver(child)) return resume(Effect.void);
    child.once("exit", () => resume(Effect.void));
    child.kill("SIGKILL");
  });

const isOver = (child: childProcess.ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

const ready = (child: childProcess.ChildProcess): Effect.Effect<void, Shell.ShellFault> =>
  Effect.callback((resume) => {
    const settle = (result: Effect.Effect<void, Shell.ShellFault>): void => {
      child.off("message", onMessage).off("exit", onExit).off("error", onError);
      resume(result);
    };
    const onMessage = (answer: Answer): void => {
      if (answer.kind === "ready") settle(Effect.void);
    };
    const onExit = (): void => settle(Effect.fail(unavailable("The shell ended while it was being started.")));
    const onError = (cause: Error): void => settle(Effect.fail(unavailable("The shell could not be started.", cause)));
    child.on("message", onMessage).on("exit", onExit).on("error", onError);
    return Effect.sync(() => child.off("message", onMessage).off("exit", onExit).off("error", onError));
  });

const childOf = (child: childProcess.ChildProcess): Child => {
  const last = { id: 0 };
  // A message to a child that has just died comes back as an error; that it died is heard by its exit.
  child.on("error", () => undefined);
  const kill = end(child);
  return {
    pid: child.pid ?? -1,
    isAlive: () => !isOver(child) && child.connected,
    kill,
    run: (request, graceMs) =>
      ask(child, { id: (last.id += 1), request }).pipe(
        Effect.timeoutOrElse({
          duration: request.limits.timeoutMs + graceMs,
          orElse: () => Effect.as(kill, { kind: "late" } as const),
        }),
        Effect.onInterrupt(() => kill),
      ),
  };
};

const ask = (child: childProcess.ChildProcess, order: Order): Effect.Effect<Reply> =>
  Effect.callback<Reply>((resume) => {
    const settle = (reply: Reply): void => {
      child.off("message", onMessage).off("exit", onExit);
      resume(Effect.succeed(reply));
    };
    const onExit = (): void => settle({ kind: "gone" });
    const onMessage = (answer: Answer): void => {
      if (answer.kind !== "ready" && answer.id === order.id) settle(answer);
    };
    if (isOver(child)) return resume(Effect.succeed({ kind: "gone" }));
    child.on("message", onMessage).on("exit", onExit);
    child.send(order, () => undefined);
    return Effect.sync(() => child.off("message", onMessage).off("exit", onExit));
  });

const unavailable = (detail: string, cause?: unknown): Shell.ShellFault =>
  new Shell.ShellFault({ kind: "unavailable", detail, ...(cause === undefined ? {} : { cause }) });
