/**
 * `workspace.shell`: a command over the files that the agent sees.
 *
 * Owns what a command is given and what is told and kept of it. Does not own running it (the port `Shell`) nor whether its
 * changes still fit when it has ended (`admitTree`).
 */
import { type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import { byId } from "@cahier/domain/tool/ToolSnapshot";
import { quote } from "@cahier/domain/workspace/Refusal";
import { byteLength } from "@cahier/domain/workspace/Utf8";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as WorkspaceRoot from "@cahier/domain/workspace/WorkspaceRoot";
import type { Shell, ShellFault, ShellLimits, ShellResult, ShellStream } from "@cahier/ports/Shell";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { admit, defineTool } from "../defineTool.ts";
import { timeoutOf } from "../timeoutOf.ts";
import type { Done, Tool, ToolContext } from "../Tool.ts";
import { type KeptChanges, keptOf, viewOf } from "./shellView.ts";

/** Longest command, in bytes of UTF-8. */
const maxCommandBytes = 128 * 1024;

const limits: ShellLimits = {
  timeoutMs: 30_000,
  outputBytes: 128 * 1024,
  memoryBytes: 256 * 1024 * 1024,
  files: 10_000,
  bytes: 64 * 1024 * 1024,
};

/** The tool over a shell. */
export const shellTool = (shell: Shell["Service"]): Tool =>
  defineTool({
    name: "workspace.shell",
    title: "Run a shell command",
    description: `Runs a command of bash over your files${withLanguages(shell.languages)}. It reaches no other files, no network and no other programs. Each call begins anew: only files stay. It may take ${limits.timeoutMs / 1000} seconds. What it changed must be read before it is patched.`,
    parameters: Schema.Struct({
      command: Schema.String.annotate({ description: "The command, such as wc -w output/*.md." }),
      workdir: Schema.optionalKey(
        Schema.String.annotate({ description: "The folder to begin in, such as output. Default: the one above all." }),
      ),
    }),
    effectClass: "internal",
    sideEffect: "Runs {command}, which may change and remove files of the workspace.",
    runsApart: true,
    maxOutputTokens: 12_500,
    run: Effect.fnUntraced(function* ({ command, workdir }, context) {
      const bytes = byteLength(command);
      if (bytes > maxCommandBytes)
        return yield* recoverable(
          "tool.invalid_arguments",
          `The command has ${bytes} bytes; at most ${maxCommandBytes} can be run. Write long text with workspace.write_file and let the command read it.`,
        );
      // The root of what a command sees is the workspace.
      const folder = yield* admit(WorkspacePath.parseFolder(workdir?.trim().replace(/^\/+/, "")));
      if (Option.isSome(folder)) yield* admit(WorkspaceRoot.admitRead(context.access, folder.value));
      const view = yield* viewOf(context);
      const result = yield* shell
        .run(
          {
            command,
            workdir: Option.getOrElse(folder, () => ""),
            files: view.files,
            folders: [...context.access.visibleRoots, ...context.access.readOnlyMounts],
            writableRoots: context.access.writableRoots,
            limits: { ...limits, timeoutMs: commandTimeoutOf(context) },
            context: aboutRun(context),
          },
          context.stopped,
        )
        .pipe(Effect.mapError(refusalOf(workdir ?? "")));
      return outcomeOf(result, keptOf(context, view, result.changes));
    }),
  });

const withLanguages = (languages: ReadonlyArray<string>): string =>
  languages.length === 0 ? "" : `; these can be used as well: ${languages.join(", ")}`;

/** A call that may take less time than a command still gets to say what the command did. */
const commandTimeoutOf = ({ call, snapshot }: ToolContext): number =>
  Math.max(1, Math.min(limits.timeoutMs, Math.floor(timeoutOf(byId(snapshot, call.toolId)) * 0.9)));

/** What scripts are told of where they run. */
const aboutRun = ({ access, invocation, messageBodyPath, state }: ToolContext): Schema.Json => ({
  runId: state.runId,
  agentId: invocation.profileId,
  messageBodyPath,
  visibleRoots: access.visibleRoots,
  writableRoots: access.writableRoots,
});

const refusalOf =
  (workdir: string) =>
  (fault: ShellFault): Recoverable => {
    const { detail, kind } = fault;
    switch (kind) {
      case "workdirMissing":
        return recoverable(
          "workspace.path_not_found",
          `There is no folder ${quote(workdir)} to begin in. List the workspace with workspace.list_files to see what there is.`,
          { cause: fault },
        );
      case "commandTooLong":
        return recoverable("tool.invalid_arguments", `The command is too long: ${detail}`, { cause: fault });
      case "tooManyFiles":
        return recoverable(
          "workspace.shell_failed",
          `There are more files, or longer ones, than a command can be given, so nothing was run: ${detail} Use the other tools for files.`,
          { cause: fault },
        );
      case "unavailable":
      case "internal":
        return recoverable(
          "workspace.shell_failed",
          `The command was not run, and nothing was changed: ${detail} Go on without this tool, or try once more.`,
          { cause: fault },
        );
      default:
        return kind satisfies never;
    }
  };

const outcomeOf = (result: ShellResult, kept: KeptChanges): Done => {
  const { change, removed, written } = kept;
  const code = codeOf(result);
  return {
    _tag: "Done",
    content: [
      headOf(result),
      ...streamOf(result.output, "Output"),
      ...(result.errorOutput.text === "" ? [] : ["Error output:", ...streamOf(result.errorOutput, "Error output")]),
      ...result.notes,
      ...(result.ended !== "exited" && change !== undefined ? ["What it had changed by then is kept."] : []),
      ...named("Files written", written),
      ...named("Files removed", removed),
      ...named("Not kept, for nothing can be written there", kept.outside),
      ...named("Not kept, for only text is remembered", kept.notText),
    ].join("\n"),
    structured: {
      ended: result.ended,
      exitCode: result.exitCode,
      outputTruncated: result.output.truncated || result.errorOutput.truncated,
      written,
      removed,
    },
    resourceRefs: written.slice(0, mostNamed).map((path) => `workspace:${path}`),
    ...(change === undefined ? {} : { changes: [change] }),
    ...(code === undefined ? {} : { errorCode: code }),
  };
};

const headOf = ({ elapsedMs, ended, exitCode }: ShellResult): string => {
  switch (ended) {
    case "exited":
      return `Exit code: ${exitCode ?? 0}`;
    case "timeout":
      return `The command was ended after ${(elapsedMs / 1000).toFixed(1)} seconds: it may not take longer. Let it do less at once.`;
    case "stopped":
      return "The command was ended because the work was cancelled.";
    case "limit":
      return "The command was ended: it took more than it may.";
    case "crashed":
      return "The command took down what ran it, and changed nothing.";
    default:
      return ended satisfies never;
  }
};

const codeOf = ({ ended, exitCode }: ShellResult): FailureCode | undefined => {
  if (ended === "timeout") return "workspace.shell_timeout";
  if (ended === "stopped") return "workspace.shell_cancelled";
  if (ended !== "exited") return "workspace.shell_failed";
  return (exitCode ?? 0) === 0 ? undefined : "workspace.shell_exit";
};

const streamOf = ({ text, truncated }: ShellStream, name: string): ReadonlyArray<string> => [
  ...(text === "" ? [] : [text.endsWith("\n") ? text.slice(0, -1) : text]),
  ...(truncated ? [`(${name} was longer; this is its beginning.)`] : []),
];

/** Files that a result names of each kind. */
const mostNamed = 20;

const named = (label: string, paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.length === 0
    ? []
    : [
        `${label}: ${paths.slice(0, mostNamed).join(", ")}${paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : ""}.`,
      ];
