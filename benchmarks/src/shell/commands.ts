/**
 * Commands for the shell, the same for the machine's own programs, and what the shell is asked with.
 */
import type { ShellRequest } from "@cahier/ports/Shell";

/** What one language is measured with. `endless` never ends by itself. */
export interface Language {
  readonly name: string;
  /** The most that the command may take in the shell, in milliseconds. */
  readonly limit: number;
  readonly command: string;
  readonly output: string;
  readonly endless: string;
  readonly program: "bash" | "jq" | "python3" | "node";
  /** What its program is given to do the same. */
  readonly arguments: ReadonlyArray<string>;
}

const heredoc = (interpreter: string, code: string): string => `${interpreter} - <<'PROGRAM'\n${code}\nPROGRAM`;

const pythonCode = "words = 'the tide comes back'.split()\nprint(len(words), max(words))";
const jsCode = "const words = 'the tide comes back'.split(' ');\nconsole.log(words.length, words.toSorted().at(-1));";
const filter = '[.[] | select(.age > 30) | .name] | join(" ")';
const people = '[{"name":"Ada","age":36},{"name":"Jonas","age":12},{"name":"Marit","age":41}]';

/** All languages of the shell. */
export const languages: ReadonlyArray<Language> = [
  {
    name: "echo",
    limit: 5,
    command: "echo The tide comes back.",
    output: "The tide comes back.\n",
    endless: "while :; do :; done",
    program: "bash",
    arguments: ["-c", "echo The tide comes back."],
  },
  {
    name: "jq",
    limit: 15,
    command: `jq -r '${filter}' scratch/people.json`,
    output: "Ada Marit\n",
    endless: "jq -n '0 | until(false; . + 1)'",
    program: "jq",
    arguments: ["-n", "-r", `${people} | ${filter}`],
  },
  {
    name: "python",
    limit: 5,
    command: heredoc("python3", pythonCode),
    output: "4 tide\n",
    endless: heredoc("python3", "while True:\n    pass"),
    program: "python3",
    arguments: ["-c", pythonCode],
  },
  {
    name: "js",
    limit: 25,
    command: heredoc("js", jsCode),
    output: "4 tide\n",
    endless: heredoc("js", "while (true) {}"),
    program: "node",
    arguments: ["-e", jsCode],
  },
];

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

/** A small workspace, as a run's first turns leave one. */
const files: ShellRequest["files"] = [
  { path: "output/main.md", bytes: text("The ferry is late.\n".repeat(200)) },
  { path: "scratch/people.json", bytes: text(people) },
  { path: "skills/tides/SKILL.md", bytes: text("---\nname: tides\n---\nKnows the tides.\n") },
];

/** The command as the runtime asks for it, with so many milliseconds of time. */
export const requestOf = (command: string, timeoutMs: number): ShellRequest => ({
  command,
  workdir: "",
  files,
  folders: ["tool-results"],
  writableRoots: ["output", "scratch"],
  limits: {
    timeoutMs,
    outputBytes: 128 * 1024,
    memoryBytes: 256 * 1024 * 1024,
    files: 10_000,
    bytes: 64 * 1024 * 1024,
  },
});
