/**
 * Requests for tests: a small workspace, and what of a result is compared.
 */
import type { ShellLimits, ShellRequest, ShellResult } from "@cahier/ports/Shell";

export const limits: ShellLimits = {
  timeoutMs: 10_000,
  outputBytes: 128 * 1024,
  memoryBytes: 64 * 1024 * 1024,
  files: 2_000,
  bytes: 16 * 1024 * 1024,
};

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Two roots that may be written, `output` and `scratch`, and two that may only be read. */
export const files: Readonly<Record<string, string>> = {
  "output/main.md": "first line\nsecond line\nthird line\n",
  "output/data.json": '{"name":"Ada","tags":["a","b"],"age":36}\n',
  "scratch/numbers.txt": "3\n1\n2\n10\n",
  "skills/count/SKILL.md": "---\nname: count\n---\nCounts.\n",
  "skills/count/scripts/count.js": [
    'import { workspace } from "@cahier/runtime";',
    'import { words } from "./words.js";',
    "for (const path of process.argv.slice(2)) console.log(path, words(await workspace.read(path)));",
    "",
  ].join("\n"),
  "skills/count/scripts/words.js": "export const words = (text) => text.split(/\\s+/).filter(Boolean).length;\n",
  "skills/count/scripts/count.py":
    "import sys\nfor path in sys.argv[1:]:\n    print(path, len(open(path).read().split()))\n",
  "tool-results/1.txt": "a long result\n",
};

export const request = (command: string, changes: Partial<ShellRequest> = {}): ShellRequest => ({
  command,
  workdir: "",
  files: Object.entries(files).map(([path, text]) => ({ path, bytes: bytes(text) })),
  folders: ["tool-results"],
  writableRoots: ["output", "scratch"],
  limits,
  ...changes,
});

/** Changed files by path, as text; null for one that is gone. */
export const changesOf = (result: ShellResult): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    result.changes.map(({ bytes: content, path }) => [
      path,
      content === null ? null : new TextDecoder().decode(content),
    ]),
  );
