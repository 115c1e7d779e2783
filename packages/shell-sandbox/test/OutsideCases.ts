/**
 * Cases that others wrote for shells and for jq, where they lie beside the repository: read in place, never copied.
 */
import * as fs from "node:fs";
import * as nodePath from "node:path";
import * as zlib from "node:zlib";

const folder = nodePath.join(
  process.env["CAHIER_FIXTURES"] ?? nodePath.resolve(import.meta.dirname, "../../../../shared/fixtures"),
  "shell",
);

/** Why the cases are not run, or null. */
export const missing = fs.existsSync(folder) ? null : "the cases are not on this machine";

/** A script of the Oils project; any of `stdout` and of `status` is right, and where there is no `status` each is. */
export interface OilsCase {
  readonly file: string;
  readonly name: string;
  readonly script: string;
  readonly stdout: ReadonlyArray<string>;
  readonly status: ReadonlyArray<number>;
}

export const oils = (): ReadonlyArray<OilsCase> =>
  zlib
    .gunzipSync(fs.readFileSync(nodePath.join(folder, "oils.jsonl.gz")))
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as OilsCase);

/** A program of jq's own tests with its input; `expected` null: it has to be refused. */
export interface JqCase {
  readonly program: string;
  readonly input: string;
  readonly expected: ReadonlyArray<string> | null;
}

export const jq = (): ReadonlyArray<JqCase> =>
  fs
    .readdirSync(nodePath.join(folder, "jq"))
    .toSorted()
    .flatMap((name) => jqCases(fs.readFileSync(nodePath.join(folder, "jq", name), "utf8")));

/** Cases stand apart by blank lines; lines that begin with `#` are comments. */
const jqCases = (text: string): ReadonlyArray<JqCase> =>
  text
    .split(/\n\s*\n/)
    .map((block) => block.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#")))
    .flatMap(([first, ...rest]): ReadonlyArray<JqCase> => {
      if (first === undefined) return [];
      if (first.startsWith("%%FAIL")) return [{ program: rest[0] ?? "", input: "null", expected: null }];
      return [{ program: first, input: rest[0] ?? "", expected: rest.slice(1) }];
    });
