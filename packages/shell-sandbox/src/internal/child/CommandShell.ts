/**
 * Runs commands in a process that may die of them.
 *
 * Owns a new environment for each command: its files, its limits, what it leaves. Does not own the process, which `main`
 * is, nor the languages beside the shell's own.
 */
import type { ShellRequest } from "@cahier/ports/Shell";
import {
  Bash,
  type BashExecResult,
  type Command,
  type CommandName,
  decodeBytesToUtf8,
  getCommandNames,
  unsafeBytesFromLatin1,
} from "just-bash";
import * as posix from "node:path/posix";
import type { Outcome } from "../Message.ts";
import { Budget } from "./Budget.ts";
import * as changes from "./changes.ts";
import { commandFileError } from "./fileError.ts";
import * as interpreterErrors from "./interpreterErrors.ts";
import * as stream from "../stream.ts";
import { type Fullness, Tree } from "./Tree.ts";
import * as TreeFileSystem from "./TreeFileSystem.ts";

/** What a language's command is made with for one run. */
export interface Surroundings {
  readonly tree: Tree;
  readonly budget: Budget;
  readonly request: ShellRequest;
}

/** A language beside the shell's own: its commands, made anew for each run. */
export type Language = (surroundings: Surroundings) => ReadonlyArray<Command>;

export interface CommandShell {
  /** Never rejects because of what the command does. It ends soon after `isUnwanted` says so. */
  readonly run: (request: ShellRequest, isUnwanted?: () => boolean) => Promise<Outcome>;
}

export const make = async (languages: ReadonlyArray<Language>): Promise<CommandShell> => {
  const errors = await interpreterErrors.load();
  await warmUp();
  return {
    run: async (request, isUnwanted) => {
      const { limits } = request;
      const stopError = (): Error => Object.assign(new errors.EndsScript(124), { message: stopMark });
      const budget = new Budget(limits.timeoutMs, stopError, isUnwanted);
      const onFull = (what: Fullness): void => budget.stop({ ended: "limit", note: fullNote(what, limits) });
      const tree = new Tree({ fileError: commandFileError(errors.EndsCommand), limits, onFull });
      const languageCommands = languages.flatMap((language) => language({ tree, budget, request }));
      plant(tree, request);
      const bash = new Bash({
        fs: TreeFileSystem.of(tree),
        cwd: `/${request.workdir}`,
        env: { HOME: "/", USER: "user", LANG: "C.UTF-8", TZ: "UTC" },
        commands: own,
        customCommands: [...languageCommands],
        executionLimits: executionLimits(request),
        // Each command passes here, loops and functions included.
        coverage: { hit: () => budget.check() },
        sleep: (milliseconds) => sleep(milliseconds, budget),
      });
      tree.seal([...request.writableRoots.map((root) => `/${root}`), "/tmp"], {
        files: request.files.length,
        bytes: request.files.reduce((sum, { bytes }) => sum + bytes.length, 0),
      });
      const result = await execute(bash, request.command);
      const outcome = outcomeOf(result, request, budget, tree);
      // Nothing that the command left behind can write any more.
      budget.stop({ ended: "limit", note: "The command has ended." });
      tree.seal([], { files: 0, bytes: 0 });
      return outcome;
    },
  };
};

/**
 * Loads what commands are made of before the first one needs it. It has to be without the interpreter's defences: under them the
 * module that reports each command to `coverage` cannot be loaded any more.
 */
const warmUp = async (): Promise<void> => {
  const bash = new Bash({ commands: own, coverage: { hit: () => undefined }, defenseInDepth: false });
  await bash.exec(
    "ls / | cat | head -1 | tail -1 | grep bin | sed s/a/b/ | sort | uniq | wc -l | tr 1 2 | cut -c1 > f",
  );
  await bash.exec(
    "echo '{}' | jq . ; awk '{ print }' f; find f; cp f g; mv g h; rm h; mkdir d; touch d/e; tee i < f; xargs < f",
  );
};

/** Of the interpreter's own commands those that run other engines are not there: ours are smaller and held to our limits. */
const own: Array<CommandName> = (getCommandNames() as Array<CommandName>).filter(
  (name) => name !== "sqlite3" && name !== "html-to-markdown",
);

const plant = (tree: Tree, request: ShellRequest): void => {
  for (const path of [...request.folders, ...request.writableRoots, "tmp"]) tree.makeFolder(`/${path}`, true);
  const made = new Set<string>();
  for (const { path, bytes } of request.files) {
    const folder = posix.dirname(`/${path}`);
    if (!made.has(folder)) tree.makeFolder(folder, true);
    made.add(folder);
    tree.write(`/${path}`, bytes);
  }
};

/** Time is the budget's; the interpreter's own deadline is for what never passes a command, such as one long expansion. */
const executionLimits = ({ limits }: ShellRequest) => ({
  maxExecutionTimeMs: limits.timeoutMs + 100,
  maxLoopIterations: 100_000_000,
  maxCommandCount: 100_000_000,
  maxAwkIterations: 10_000_000,
  maxSedIterations: 10_000_000,
  maxWorkUnits: 1_000_000_000,
  maxOutputSize: Math.max(8 * 1024 * 1024, 4 * limits.outputBytes),
  maxLiveBytes: limits.memoryBytes,
  maxInputBytes: limits.memoryBytes,
  maxStringLength: Math.min(64 * 1024 * 1024, Math.floor(limits.memoryBytes / 4)),
});

const sleep = async (milliseconds: number, budget: Budget): Promise<void> => {
  await budget.pause(milliseconds);
  budget.check();
};

type Execution = Pick<BashExecResult, "stdout" | "stderr" | "exitCode" | "stdoutKind">;

/** A script that the interpreter itself falls over fails as any other. */
const execute = async (bash: Bash, command: string): Promise<Execution> => {
  try {
    return await bash.exec(command, { rawScript: true });
  } catch (error) {
    return { stdout: "", stderr: `bash: ${error instanceof Error ? error.message : String(error)}\n`, exitCode: 1 };
  }
};

const outcomeOf = (result: Execution, request: ShellRequest, budget: Budget, tree: Tree): Outcome => {
  const { limits } = request;
  const text = result.stdoutKind === "bytes" ? decodeBytesToUtf8(unsafeBytesFromLatin1(result.stdout)) : result.stdout;
  const output = stream.beginning(text, limits.outputBytes);
  const stopped = budget.stopped ?? interpreterStop(result);
  const errorOutput = stream.beginning(
    budget.stopped === null ? result.stderr : withoutStop(result.stderr),
    limits.outputBytes,
  );
  const found = changes.between(tree, request.files, request.writableRoots);
  return {
    ended: stopped?.ended ?? "exited",
    exitCode: stopped === null ? result.exitCode : null,
    output,
    errorOutput,
    changes: found.changes,
    notes: [
      ...(stopped === null ? [] : [stopped.note]),
      ...(output.truncated ? [cutNote("output", limits.outputBytes)] : []),
      ...(errorOutput.truncated ? [cutNote("error output", limits.outputBytes)] : []),
      ...(found.links.length === 0 ? [] : [linksNote(found.links)]),
    ],
  };
};

/** What the error says that stops a command. */
const stopMark = "the command is stopped";

/** Some commands tell what stops them as an error of their own input; the notes say it as it is. */
const withoutStop = (text: string): string =>
  text.includes(stopMark)
    ? text
        .split("\n")
        .filter((line) => !line.endsWith(`: ${stopMark}`))
        .join("\n")
    : text;

/** The interpreter tells that one of its own limits ended a script by exit code 126 and the last line of what it says. */
const interpreterStop = ({
  exitCode,
  stderr,
}: Execution): { readonly ended: "limit"; readonly note: string } | null => {
  const last = stderr.trimEnd().split("\n").at(-1) ?? "";
  if (exitCode !== 126 || !/exceed|too many open/.test(last)) return null;
  return { ended: "limit", note: `The command ran into a limit of the shell: ${withoutAdvice(last)}.` };
};

/** The interpreter's messages advise its embedder; who gives a command cannot follow that. */
const withoutAdvice = (line: string): string => line.replace(/^bash: /, "").replace(/, increase .*$/, "");

const fullNote = (what: Fullness, limits: ShellRequest["limits"]): string =>
  what === "files"
    ? `The command was stopped because it made more files than there may be: ${limits.files}.`
    : `The command was stopped because its files took more room than there is: ${limits.bytes} bytes.`;

const cutNote = (what: string, limit: number): string => `The ${what} is cut off after ${limit} bytes.`;

const linksNote = (links: ReadonlyArray<string>): string => {
  const shown = links.slice(0, 5).join(", ");
  return `Symbolic links are not kept: ${shown}${links.length > 5 ? " and more" : ""}.`;
};
