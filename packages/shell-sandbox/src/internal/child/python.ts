/**
 * The commands `python` and `python3`: the subset of Python that Monty runs, over the files that the shell sees.
 *
 * Owns running one program: its limits, its end, what is said of what the subset lacks. Does not own what its modules and
 * functions do, which `pythonAnswers` does.
 */
import {
  Monty,
  MontyComplete,
  MontyError,
  MontyNameLookup,
  MontyRuntimeError,
  type MontySnapshot,
} from "@pydantic/monty";
import { type Command, decodeBytesToUtf8, type ExecResult, type ResolvedCommandContext } from "just-bash";
import type { Language, Surroundings } from "./CommandShell.ts";
import * as Languages from "./Languages.ts";
import * as pythonAnswers from "./pythonAnswers.ts";
import * as pythonFiles from "./pythonFiles.ts";
import * as pythonSource from "./pythonSource.ts";

/** `scratch` is a folder of the host that nothing else uses; copies of files stand in it while a program runs that opens some. */
export const load =
  (scratch: string): Language =>
  (surroundings) =>
    ["python", "python3"].map((name): Command => ({
      name,
      execute: (args, context) => command(name, scratch, surroundings, args, context),
    }));

const mostFrames = 500;

/** The exit code of a program that was ended from outside; what it had printed by then is kept. */
const stopped = 124;

const command = async (
  name: string,
  scratch: string,
  surroundings: Surroundings,
  args: ReadonlyArray<string>,
  context: ResolvedCommandContext,
): Promise<ExecResult> => {
  const program = Languages.programOf(name, ["-c"], args, context, surroundings.tree);
  if ("refused" in program) return { stdout: "", stderr: `${program.refused}\n`, exitCode: program.exitCode };
  const output = new Languages.Output(context.limits.maxOutputSize);
  const errorOutput = new Languages.Output(context.limits.maxOutputSize);
  const answers = pythonAnswers.make({
    argv: [program.name, ...program.args],
    input: program.name === "-" ? "" : decodeBytesToUtf8(context.stdin),
    output,
    errorOutput,
  });
  const exitCode = run(program, context.cwd, scratch, surroundings, answers, { output, errorOutput });
  return { stdout: output.text, stdoutKind: "text", stderr: errorOutput.text, exitCode };
};

const run = (
  program: Languages.Program,
  cwd: string,
  scratch: string,
  surroundings: Surroundings,
  answers: pythonAnswers.Answers,
  { errorOutput, output }: { readonly errorOutput: Languages.Output; readonly output: Languages.Output },
): number => {
  const { budget, request } = surroundings;
  const fitted = pythonSource.fit(program.source, cwd);
  const name = program.name === "-c" ? "<string>" : program.name === "-" ? "<stdin>" : program.name;
  const files = fitted.opensFiles ? pythonFiles.open(surroundings, scratch) : null;
  try {
    const inputs: Readonly<Record<string, unknown>> = {
      ...answers.inputs,
      __name__: "__main__",
      __file__: name,
      [pythonSource.currentFolder]: cwd === "/" ? "/" : `${cwd}/`,
    };
    const monty = new Monty(fitted.source, { scriptName: name, inputs: Object.keys(inputs) });
    const started = monty.start({
      inputs,
      limits: {
        maxDurationSecs: Math.max(0.001, budget.remaining / 1000),
        maxMemory: request.limits.memoryBytes,
        maxRecursionDepth: mostFrames,
      },
      printCallback: (_stream: string, text: string): void => {
        // Nowhere else can a program be ended that needs no answers.
        budget.check();
        output.write(text);
      },
      ...(files === null ? {} : { mount: files.mounts }),
    });
    for (let step = started; !(step instanceof MontyComplete);) {
      if (budget.stopped !== null) return stopped;
      step = advance(step, answers);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof MontyError)) throw error;
    const ended = exitOf(error, answers);
    if (ended !== null) return ended;
    if (budget.stopped !== null) return stopped;
    errorOutput.write(explain(error, name, fitted.linesBefore));
    return 1;
  } finally {
    try {
      files?.takeBack();
    } finally {
      files?.close();
    }
  }
};

type Step = MontySnapshot | MontyNameLookup | MontyComplete;

const advance = (step: MontySnapshot | MontyNameLookup, answers: pythonAnswers.Answers): Step => {
  if (step instanceof MontyNameLookup) {
    const value = answers.named(step.variableName);
    return value === null ? step.resume() : step.resume({ value });
  }
  return step.resume(answers.called(step.functionName, step.args));
};

/** The exit code of a program that ended itself. */
const exitOf = (error: MontyError, answers: pythonAnswers.Answers): number | null => {
  if (error.exception.typeName !== "SystemExit") return null;
  return answers.exitCode(error.exception.message);
};

const explain = (error: MontyError, name: string, linesBefore: number): string => {
  const text = error instanceof MontyRuntimeError ? error.display("traceback") : error.display("type-msg");
  return `${pythonSource.unshift(text, name, linesBefore)}\n${advice(error)}`;
};

/** What the program meets is often a gap in the subset; then it is said what to use in its place. */
const advice = ({ exception: { message, typeName } }: MontyError): string => {
  const lacking =
    typeName === "NotImplementedError" ||
    typeName === "ModuleNotFoundError" ||
    (typeName === "AttributeError" && message.includes("module"));
  return lacking ? subset : "";
};

const subset =
  "This is a subset of Python: functions, comprehensions, f-strings, try, with, open, and the modules asyncio, datetime, json, " +
  "math, os, pathlib, random, re, sys, time, typing. There are no classes, generators, match, del or other modules. " +
  "For more, write it in JavaScript and run it by js.\n";
