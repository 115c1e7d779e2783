/**
 * The classes of errors by which the interpreter ends one command, and a whole script with what it had printed.
 *
 * Owns finding them: the interpreter throws them inside and does not export them, and a file system of our own needs the first
 * for a redirection that fails, a time limit the second to keep the output until then. Does not own what they say.
 */
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as url from "node:url";

type ControlFlowError = Error & { stderr: string };

export interface InterpreterErrors {
  readonly EndsCommand: new (subject: string) => ControlFlowError;
  readonly EndsScript: new (exitCode: number) => ControlFlowError;
}

/** The version of the interpreter is pinned; a test notices when another one has these classes elsewhere. */
export const load = async (): Promise<InterpreterErrors> => {
  const bundle = url.pathToFileURL(createRequire(import.meta.url).resolve("just-bash"));
  const folder = new URL("chunks/", bundle);
  const name = fs
    .readdirSync(folder)
    .find((each) => each.startsWith("chunk-") && fs.readFileSync(new URL(each, folder), "utf8").includes(mark));
  if (name === undefined) throw new Error("just-bash has its classes of errors elsewhere: is it another version?");
  const module: Readonly<Record<string, unknown>> = await import(new URL(name, folder).href);
  const named = (wanted: string): unknown =>
    Object.values(module).find((value) => typeof value === "function" && value.toString().includes(`name="${wanted}"`));
  return {
    EndsCommand: named("GlobError") as InterpreterErrors["EndsCommand"],
    EndsScript: named("ExitError") as InterpreterErrors["EndsScript"],
  };
};

const mark = 'name="GlobError"';
