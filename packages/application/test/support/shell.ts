/**
 * A shell that does what a test says: a function from what a command is given to what came of it.
 */
import type { Shell, ShellChange, ShellFault, ShellRequest, ShellResult } from "@cahier/ports/Shell";
import * as Effect from "effect/Effect";
import * as World from "./World.ts";

export const shellOf = (
  run: (request: ShellRequest, stop: Effect.Effect<void>) => Effect.Effect<ShellResult, ShellFault>,
): Shell["Service"] => ({
  name: "double",
  languages: ["jq", "js"],
  run: (request, stop = Effect.never) => run(request, stop),
});

/** Texts and bytes by path, as changes; null for what is removed. */
export const changes = (files: { readonly [path: string]: string | Uint8Array | null }): ReadonlyArray<ShellChange> =>
  Object.entries(files).map(([path, content]) => ({
    path,
    bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
  }));

/** A command that ended well, without output. */
export const exited = (more: Partial<ShellResult> = {}): ShellResult => ({
  ended: "exited",
  exitCode: 0,
  output: { text: "", truncated: false },
  errorOutput: { text: "", truncated: false },
  changes: [],
  notes: [],
  elapsedMs: 3,
  ...more,
});

/** A shell whose every command ends well and changes these files. */
export const changing = (files: Parameters<typeof changes>[0], more: Partial<ShellResult> = {}): Shell["Service"] =>
  shellOf(() => Effect.succeed(exited({ changes: changes(files), ...more })));

export const textOf = (request: ShellRequest, path: string): string | undefined => {
  const bytes = request.files.find((file) => file.path === path)?.bytes;
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
};

export const shell = (command: string, more: object = {}): World.Turn =>
  World.call("workspace_shell", { command, ...more });

/** Every tool of an agent that works alone, and the shell. */
export const tools: ReadonlyArray<string> = [...World.soloTools, "builtin:workspace.shell"];

/** A profile that has them. */
export const profileWith = (more: object = {}) => ({
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "sheller",
    displayName: "Sheller",
    run: { presentation: "foreground" },
    tools: { allow: tools, maxRounds: 40 },
    ...more,
  },
});
