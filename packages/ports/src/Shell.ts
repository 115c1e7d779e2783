/**
 * Runs a shell command against files that it is given, and against nothing else.
 *
 * Owns that a command reaches no host program, no network and no file of the host, and that it ends. Does not own the workspace: it
 * gets the files that a command may see and gives back what the command changed of them.
 */
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";

/** A file by its path from the root of what the command sees: segments joined by `/`, without a leading one. */
export interface ShellFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** `bytes` null: the file is gone. */
export interface ShellChange {
  readonly path: string;
  readonly bytes: Uint8Array | null;
}

/**
 * `timeoutMs` is wall time of the whole command; `outputBytes` is of each stream in UTF-8, `memoryBytes` of everything that the
 * command holds; `files` and `bytes` are how many files and bytes there may be behind it.
 */
export interface ShellLimits {
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly memoryBytes: number;
  readonly files: number;
  readonly bytes: number;
}

/**
 * `workdir` is a path as those of files, empty for the root. Writes are only possible below `writableRoots`. `context` is what
 * scripts read as `@cahier/runtime`'s `context`: a copy. `folders` are shown though no file is in them.
 */
export interface ShellRequest {
  readonly command: string;
  readonly workdir: string;
  readonly files: ReadonlyArray<ShellFile>;
  readonly folders: ReadonlyArray<string>;
  readonly writableRoots: ReadonlyArray<string>;
  readonly limits: ShellLimits;
  readonly context?: Schema.Json;
}

/** What a stream held: its beginning where it was longer than its limit. */
export interface ShellStream {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * `exited`: by itself, with `exitCode`. `timeout`: its time was up. `stopped`: whoever asked for it wanted no more of it.
 * `limit`: it had more of something than it may, named in `notes`. `crashed`: what ran it died with it. Whatever had changed by then
 * is in `changes`; after a crash nothing has.
 */
export interface ShellResult {
  readonly ended: "exited" | "timeout" | "stopped" | "limit" | "crashed";
  readonly exitCode: number | null;
  readonly output: ShellStream;
  readonly errorOutput: ShellStream;
  readonly changes: ReadonlyArray<ShellChange>;
  readonly notes: ReadonlyArray<string>;
  readonly elapsedMs: number;
}

/** The shell itself is not there or broken; the command has changed nothing. */
export class ShellFault extends Schema.TaggedError<ShellFault>()("ShellFault", {
  kind: Schema.Literals(["unavailable", "commandTooLong", "workdirMissing", "tooManyFiles", "internal"]),
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
}) {}

/** Laws: `SHL-*` in `@cahier/testkit/laws/ShellLaws`. */
export class Shell extends Context.Service<
  Shell,
  {
    /** What this shell is called in records, such as `just-bash`. */
    readonly name: string;
    /** The languages that it runs beside its own: `jq`, `python`, `js`. */
    readonly languages: ReadonlyArray<string>;
    /**
     * Runs one command in an environment of its own. When `stop` completes the command is ended, and within a second the result says
     * what it had printed and changed by then; interrupting ends it within a second as well, and nobody hears what it did. The caller's
     * event loop stays free, and no command can harm the process that asks.
     */
    readonly run: (request: ShellRequest, stop?: Effect.Effect<void>) => Effect.Effect<ShellResult, ShellFault>;
  }
>()("@cahier/ports/Shell") {}
