/**
 * Requests and what is compared of results, for the laws of Shell.
 */
import type { ShellLimits, ShellRequest, ShellResult } from "@cahier/ports/Shell";

export const limits: ShellLimits = {
  timeoutMs: 10_000,
  outputBytes: 64 * 1024,
  memoryBytes: 64 * 1024 * 1024,
  files: 500,
  bytes: 8 * 1024 * 1024,
};

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const text = (content: Uint8Array): string => new TextDecoder().decode(content);

/** Over a workspace with two files that may be changed and one that may only be read. */
export const request = (command: string, changes: Partial<ShellRequest> = {}): ShellRequest => ({
  command,
  workdir: "",
  files: [
    { path: "output/main.md", bytes: bytes("one\ntwo\n") },
    { path: "output/notes/first.md", bytes: bytes("a note\n") },
    { path: "skills/plan/SKILL.md", bytes: bytes("a skill\n") },
  ],
  folders: ["tool-results"],
  writableRoots: ["output", "scratch"],
  limits,
  ...changes,
});

/** How it ended, and both streams. */
export const said = ({ ended, errorOutput, exitCode, output }: ShellResult) => ({
  ended,
  exitCode,
  output: output.text,
  errorOutput: errorOutput.text,
});

/** Changed files in the order of their paths, as text. */
export const changed = ({ changes }: ShellResult): ReadonlyArray<readonly [string, string | null]> =>
  changes
    .map(({ bytes: content, path }) => [path, content === null ? null : text(content)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
