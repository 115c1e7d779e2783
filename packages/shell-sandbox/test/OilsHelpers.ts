/**
 * The helper commands that the cases of Oils call.
 */
import type { Command } from "just-bash";

/** `argv.py` prints its arguments as a Python list, `printenv.py` variables, `stdout_stderr.py` a line on each stream. */
export const commands: ReadonlyArray<Command> = [
  {
    name: "argv.py",
    execute: (args) => Promise.resolve({ stdout: `[${args.map(quoted).join(", ")}]\n`, stderr: "", exitCode: 0 }),
  },
  {
    name: "printenv.py",
    execute: (args, { exportedEnv }) =>
      Promise.resolve({
        stdout: args.map((name) => `${exportedEnv?.[name] ?? "None"}\n`).join(""),
        stderr: "",
        exitCode: 0,
      }),
  },
  {
    name: "stdout_stderr.py",
    execute: ([out = "STDOUT", error = "STDERR", exitCode = "0"]) =>
      Promise.resolve({ stdout: `${out}\n`, stderr: `${error}\n`, exitCode: Number(exitCode) }),
  },
];

/** As Python 2 shows a string of bytes. */
const quoted = (text: string): string => {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return `${quote}${Array.from(text, (character) => escaped(character, quote)).join("")}${quote}`;
};

const short: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r" };

const escaped = (character: string, quote: string): string => {
  const known = character === quote ? `\\${character}` : short[character];
  if (known !== undefined) return known;
  if (character >= " " && character < "\u007f") return character;
  return Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
};
