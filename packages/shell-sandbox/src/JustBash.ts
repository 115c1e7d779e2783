/**
 * A shell without a machine behind it: the interpreter just-bash in a small pool of processes.
 *
 * Owns which process runs which command, and what becomes of a process that a command has ruined. Does not own the language of
 * commands, which the child has, nor the process itself.
 */
import * as Shell from "@cahier/ports/Shell";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Pool from "effect/Pool";
import type * as Scope from "effect/Scope";
import { admit } from "./internal/admit.ts";
import * as ChildProcess from "./internal/ChildProcess.ts";

export interface Options {
  /** How many processes there are, each ready before it is needed. Default 2. */
  readonly processes?: number;
  /** The most that the heap of one process may hold, in bytes; a command that makes it hold more crashes. Default 512 MiB. */
  readonly heapBytes?: number;
  /** The module that a process runs, for a program that is bundled and so has lost the one of this package. */
  readonly entry?: URL;
}

/** What the shell is called and which languages it has, without a process of it. */
export const description: Pick<Shell.Shell["Service"], "name" | "languages"> = {
  name: "just-bash",
  languages: ["jq", "python", "js"],
};

/** More than any files that a host allows; a process that answers with more is out of its mind. */
const mostAnswerBytes = 1024 * 1024 * 1024;

/** How long after the end of its time a command may take to say what it changed, in milliseconds. */
const graceMs = 200;

/** The processes end with the scope. They are started at once and not waited for; one that cannot start is told by `run`. */
export const make = Effect.fn("JustBash.make")(function* ({
  entry,
  heapBytes = 512 * 1024 * 1024,
  processes = 2,
}: Options = {}): Effect.fn.Return<Shell.Shell["Service"], never, Scope.Scope> {
  const pool = yield* Pool.make({
    acquire: ChildProcess.start({ entry: entry ?? null, heapBytes, startMs: 30_000, mostAnswerBytes }),
    size: processes,
  });
  return {
    ...description,
    run: Effect.fn("JustBash.run")(function* (request, stop = Effect.never) {
      yield* admit(request);
      return yield* Effect.scoped(runOn(pool, request, stop));
    }),
  };
});

/** The shell as a layer. */
export const layer = (options: Options = {}): Layer.Layer<Shell.Shell> => Layer.effect(Shell.Shell, make(options));

type Processes = Pool.Pool<ChildProcess.Child, Shell.ShellFault>;

const runOn = Effect.fnUntraced(function* (
  pool: Processes,
  request: Shell.ShellRequest,
  stop: Effect.Effect<void>,
): Effect.fn.Return<Shell.ShellResult, Shell.ShellFault, Scope.Scope> {
  const child = yield* Effect.raceFirst(living(pool), Effect.as(stop, undefined));
  if (child === undefined) return { ...lost("unbegun", request), elapsedMs: 0 };
  const [elapsed, reply] = yield* Effect.timed(child.run(request, graceMs, stop)).pipe(
    Effect.ensuring(Effect.suspend(() => (child.isAlive() ? Effect.void : Pool.invalidate(pool, child)))),
  );
  const elapsedMs = Math.round(Duration.toMillis(elapsed));
  if (reply.kind === "done") return { ...reply.outcome, elapsedMs };
  if (reply.kind === "failed") return yield* new Shell.ShellFault({ kind: "internal", detail: reply.detail });
  return { ...lost(reply.kind, request), elapsedMs };
});

/** A process that has died while nothing ran on it is replaced. */
const living = (pool: Processes): Effect.Effect<ChildProcess.Child, Shell.ShellFault, Scope.Scope> =>
  Effect.flatMap(Pool.get(pool), (child) =>
    child.isAlive() ? Effect.succeed(child) : Effect.andThen(Pool.invalidate(pool, child), living(pool)),
  );

/** What is known of a command that had no process, or whose process is gone: its output and its changes went with it. */
const lost = (kind: Loss, { limits }: Shell.ShellRequest): Omit<Shell.ShellResult, "elapsedMs"> => ({
  ended: ends[kind],
  exitCode: null,
  output: { text: "", truncated: false },
  errorOutput: { text: "", truncated: false },
  changes: [],
  notes: [lossNote(kind, limits)],
});

type Loss = "gone" | "late" | "stopped" | "unbegun";

const ends = { gone: "crashed", late: "timeout", stopped: "stopped", unbegun: "stopped" } as const satisfies Record<
  Loss,
  Shell.ShellResult["ended"]
>;

const lossNote = (kind: Loss, { timeoutMs }: Shell.ShellLimits): string => {
  switch (kind) {
    case "gone":
      return "The shell died of the command, probably for want of memory. Its output is lost, and no file has changed.";
    case "late":
      return `The command was stopped because its time of ${timeoutMs / 1000} seconds was up. ${silent}`;
    case "unbegun":
      return "The command was not begun because its work was given up.";
    case "stopped":
      return `The command was stopped because its work was given up. ${silent}`;
    default:
      return kind satisfies never;
  }
};

const silent = "It could not be asked what it had done: its output is lost, and no file has changed.";
