/**
 * A shell with the real bash behind it, held in namespaces by bubblewrap. Linux only, and for hosts that ask for it: what a
 * command finds in `/usr` is what the machine has.
 *
 * Owns what the namespaces hold: the view, `/usr` to be read, a `/tmp` of its own in memory, no network, no other process, no user of
 * the host. Writable folders lie on the machine's disk and are looked at while the command runs: what it writes between two looks,
 * and into files that it has deleted, is only bounded by how large one file and how many open ones may be. Does not own copying the
 * view and finding what changed.
 */
import * as Shell from "@cahier/ports/Shell";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as nodePath from "node:path";
import { admit } from "./internal/admit.ts";
import * as Captured from "./internal/Captured.ts";
import * as FolderWatch from "./internal/FolderWatch.ts";
import * as ViewFolder from "./internal/ViewFolder.ts";

export interface Options {
  /** The program bubblewrap. Default `/usr/bin/bwrap`. */
  readonly bubblewrap?: string;
}

/** How many processes a command may have at once, and how many files each of them may have open. */
const mostProcesses = 128;
const mostOpen = 256;

/** Folders of the machine that a command sees; the view cannot have folders of these names. */
const system: ReadonlyArray<string> = ["usr", "proc", "dev", "tmp"];
const links: ReadonlyArray<string> = ["bin", "lib", "lib64"];

/** Whether this machine has the program. */
export const isThere = ({ bubblewrap = "/usr/bin/bwrap" }: Options = {}): boolean => fs.existsSync(bubblewrap);

/** `run` fails as `unavailable` where the program is not there or may not make namespaces. */
export const make = (options: Options = {}): Shell.Shell["Service"] => ({
  name: "bubblewrap",
  languages: fs.existsSync("/usr/bin/jq") ? ["jq"] : [],
  run: Effect.fn("Bubblewrap.run")(function* (request, stop = Effect.never) {
    yield* admit(request);
    if (!isThere(options)) return yield* fault("unavailable", "bubblewrap is not installed on this machine.");
    return yield* Effect.scoped(inFolder(options.bubblewrap ?? "/usr/bin/bwrap", request, stop));
  }),
});

/** The shell as a layer. */
export const layer = (options: Options = {}): Layer.Layer<Shell.Shell> => Layer.sync(Shell.Shell, () => make(options));

const inFolder = Effect.fnUntraced(function* (program: string, request: Shell.ShellRequest, stop: Effect.Effect<void>) {
  const folder = yield* Effect.acquireRelease(prepare(request), remove);
  const [elapsed, ending] = yield* Effect.timed(execute(program, folder, request, stop));
  const found = yield* attempt("The changes of the command could not be read.", () =>
    ViewFolder.read(viewOf(folder), request),
  );
  return resultOf(request, ending, found, Math.round(Duration.toMillis(elapsed)));
});

const prepare = (request: Shell.ShellRequest) =>
  attempt("The files of the command could not be written.", () => {
    const folder = fs.mkdtempSync(nodePath.join(os.tmpdir(), "cahier-command-"));
    const view = viewOf(folder);
    fs.mkdirSync(view);
    ViewFolder.write(view, request, owner);
    for (const name of system) fs.mkdirSync(nodePath.join(view, name), { recursive: true });
    for (const name of links) fs.symlinkSync(`usr/${name}`, nodePath.join(view, name));
    fs.writeFileSync(scriptOf(folder), request.command);
    for (const path of [folder, view]) if (owner !== null) fs.chownSync(path, owner.uid, owner.gid);
    return folder;
  });

const viewOf = (folder: string): string => nodePath.join(folder, "view");

const scriptOf = (folder: string): string => nodePath.join(folder, "script");

/** By a program: however deep a command has nested its folders, this process does nothing else for it. */
const remove = (path: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    childProcess.execFile("/usr/bin/rm", ["-rf", "--", path], () => resume(Effect.void));
  });

/** Root is exempt from the limit of processes, so a host that is root runs commands as nobody. */
const owner: ViewFolder.Owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;

const argumentsOf = (folder: string, { limits, workdir, writableRoots }: Shell.ShellRequest): ReadonlyArray<string> => {
  const view = viewOf(folder);
  // The heap of every process of the command; the size of any one file; how long one may calculate that nobody could end.
  const held = `ulimit -v ${Math.ceil(limits.memoryBytes / 1024)} -f ${Math.ceil(limits.bytes / 1024)} -u ${mostProcesses} -n ${mostOpen} -t ${2 * Math.ceil(limits.timeoutMs / 1000)} -c 0`;
  return [
    ...words("--unshare-all --die-with-parent --new-session --clearenv --hostname localhost --json-status-fd 4"),
    ...words("--setenv HOME / --setenv PATH /usr/bin:/bin --setenv LANG C.UTF-8 --setenv TZ UTC"),
    "--ro-bind",
    view,
    "/",
    ...words("--ro-bind /usr /usr --proc /proc --dev /dev --remount-ro /dev"),
    // What is in it is held in memory, beside the heaps.
    ...words(`--size ${limits.memoryBytes} --tmpfs /tmp`),
    ...writableRoots.flatMap((root) => ["--bind", nodePath.join(view, root), `/${root}`]),
    "--chdir",
    `/${workdir}`,
    ...words("-- /usr/bin/bash -c"),
    `${held}; exec /usr/bin/bash /dev/fd/3`,
  ];
};

const words = (text: string): ReadonlyArray<string> => text.split(" ");

type Stop = "timeout" | "stopped" | "limit";

/** How the program ended, and what its streams began with. `stopped`: why it was killed; null: it was not. */
interface Ending {
  readonly exitCode: number | null;
  readonly stopped: Stop | null;
  readonly output: Shell.ShellStream;
  readonly errorOutput: Shell.ShellStream;
}

const execute = (
  program: string,
  folder: string,
  request: Shell.ShellRequest,
  stop: Effect.Effect<void>,
): Effect.Effect<Ending, Shell.ShellFault> =>
  Effect.scoped(
    Effect.gen(function* () {
      const started = yield* Effect.acquireRelease(start(program, folder, request), ({ kill }) => kill);
      const stopped = yield* Effect.raceFirst(
        Effect.as(started.ended, null),
        Effect.raceFirst(
          Effect.as(FolderWatch.outgrown(viewOf(folder), request), "limit" as const),
          Effect.as(stop, "stopped" as const),
        ),
      ).pipe(
        Effect.timeoutOrElse({
          duration: request.limits.timeoutMs,
          orElse: () => Effect.succeed("timeout" as const),
        }),
      );
      if (stopped !== null) yield* started.kill;
      return {
        exitCode: started.exitCode(),
        stopped,
        output: started.output.stream(),
        errorOutput: started.errorOutput.stream(),
      };
    }),
  );

const start = (program: string, folder: string, request: Shell.ShellRequest) =>
  attempt("bubblewrap could not be started.", () => {
    const script = fs.openSync(scriptOf(folder), "r");
    const child = childProcess.spawn(program, argumentsOf(folder, request), {
      stdio: ["ignore", "pipe", "pipe", script, "pipe"],
      env: {},
      cwd: "/",
      ...owner,
    });
    fs.closeSync(script);
    const inner = firstProcessIn(child);
    const output = Captured.from(child.stdout, request.limits.outputBytes);
    const errorOutput = Captured.from(child.stderr, request.limits.outputBytes);
    const state: { readonly waiting: Array<() => void>; closed: boolean } = { waiting: [], closed: false };
    const close = (): void => {
      state.closed = true;
      for (const waiter of state.waiting.splice(0)) waiter();
    };
    // `close` comes when all that held the streams is gone: every process of the command.
    child.once("close", close).once("error", close);
    const ended = Effect.callback<void>((resume) => {
      if (state.closed) return resume(Effect.void);
      state.waiting.push(() => resume(Effect.void));
    });
    const kill = Effect.andThen(
      Effect.sync(() => inner.kill()),
      ended,
    );
    return { output, errorOutput, ended, kill, exitCode: () => child.exitCode };
  });

/**
 * The first process of the namespaces, with which all others of them end. bubblewrap says which it is; until then it is too early to
 * kill bubblewrap, for what it has begun might not hear that it is gone, and would go on without it.
 */
const firstProcessIn = (child: childProcess.ChildProcess): { readonly kill: () => void } => {
  const state = { said: "", isUnwanted: false };
  const kill = (): void => {
    const [, pid] = /"child-pid": ?(\d+)/.exec(state.said) ?? [];
    if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended by itself, and bubblewrap is about to.
    }
    child.kill("SIGKILL");
  };
  child.stdio[4]
    ?.on("error", () => undefined)
    .on("data", (part: Buffer) => {
      state.said += part.toString();
      if (state.isUnwanted) kill();
    });
  return {
    kill: () => {
      state.isUnwanted = true;
      kill();
    },
  };
};

const resultOf = (
  { limits }: Shell.ShellRequest,
  { errorOutput, exitCode, output, stopped }: Ending,
  found: ViewFolder.Found | ViewFolder.GaveUp,
  elapsedMs: number,
): Shell.ShellResult => {
  const gaveUp = typeof found === "string";
  const ended = stopped ?? (gaveUp ? "limit" : exitCode === null ? "crashed" : "exited");
  return {
    ended,
    exitCode: ended === "exited" ? exitCode : null,
    output,
    errorOutput,
    changes: ended === "crashed" || gaveUp ? [] : found.changes,
    notes: [
      ...(stopped === null ? [] : [stopNote(stopped, limits)]),
      ...(gaveUp ? [gaveUpNote(found, limits)] : []),
      ...(ended === "crashed" ? ["The shell died of the command. No file has changed."] : []),
      ...(output.truncated ? [`The output is cut off after ${limits.outputBytes} bytes.`] : []),
      ...(errorOutput.truncated ? [`The error output is cut off after ${limits.outputBytes} bytes.`] : []),
      ...(gaveUp || found.links.length === 0
        ? []
        : [`Symbolic links are not kept: ${found.links.slice(0, 5).join(", ")}.`]),
    ],
    elapsedMs,
  };
};

const stopNote = (stopped: Stop, limits: Shell.ShellLimits): string => {
  switch (stopped) {
    case "timeout":
      return `The command was stopped because its time of ${limits.timeoutMs / 1000} seconds was up.`;
    case "stopped":
      return "The command was stopped because its work was given up.";
    case "limit":
      return `The command was stopped because it made more than there may be, ${limits.files} files or folders of ${limits.bytes} bytes, or folders that lie too deep or are closed.`;
    default:
      return stopped satisfies never;
  }
};

const gaveUpNote = (found: ViewFolder.GaveUp, limits: Shell.ShellLimits): string =>
  found === "tooMuch"
    ? `The command made more than ${limits.files} files or folders, or ${limits.bytes} bytes. None of its changes is kept.`
    : "What the command left cannot be read: its folders lie too deep or are closed. None of its changes is kept.";

const attempt = <A>(detail: string, run: () => A): Effect.Effect<A, Shell.ShellFault> =>
  Effect.try({ try: run, catch: (cause) => new Shell.ShellFault({ kind: "internal", detail, cause }) });

const fault = (kind: Shell.ShellFault["kind"], detail: string): Effect.Effect<never, Shell.ShellFault> =>
  Effect.fail(new Shell.ShellFault({ kind, detail }));
