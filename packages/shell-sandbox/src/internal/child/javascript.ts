/**
 * The commands `js` and `node`: JavaScript by QuickJS, over the files that the shell sees.
 *
 * Owns running one program: its modules, its end, its limits. Does not own what programs import from `@cahier/runtime` and
 * find as globals, which `javascriptGlobals` is.
 */
import { decodeBytesToUtf8, type ExecResult, type ResolvedCommandContext } from "just-bash";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as posix from "node:path/posix";
import { EvalFlags, JSException, type JSValueHandle, QuickJS, type QuickJSOptions } from "quickjs-wasi";
import type { Language, Surroundings } from "./CommandShell.ts";
import * as javascriptGlobals from "./javascriptGlobals.ts";
import * as Languages from "./Languages.ts";
import * as time from "./time.ts";

/** Bytes of one program's heap and stack. */
const mostHeap = 32 * 1024 * 1024;
const mostStack = 256 * 1024;

/** A compiled module of WebAssembly, of which the types of Node say nothing. */
type Engine = QuickJSOptions["wasm"];

const platform = globalThis as unknown as {
  readonly WebAssembly: { readonly compile: (bytes: Uint8Array) => Promise<Engine> };
};

/** The engine, and what it runs before each program; both are compiled. */
interface Compiled {
  readonly engine: Engine;
  readonly setUp: Uint8Array;
}

/** Compiles the engine once; what it returns makes the commands of one run. */
export const load = async (): Promise<Language> => {
  const path = createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm");
  const engine = await platform.WebAssembly.compile(fs.readFileSync(path));
  const vm = await QuickJS.create({ wasm: engine });
  const compiled = { engine, setUp: javascriptGlobals.compile(vm) };
  vm.dispose();
  return (surroundings) =>
    ["js", "node"].map((name) => ({
      name,
      execute: (args, context) => command(name, compiled, surroundings, args, context),
    }));
};

const command = async (
  name: string,
  compiled: Compiled,
  surroundings: Surroundings,
  args: ReadonlyArray<string>,
  context: ResolvedCommandContext,
): Promise<ExecResult> => {
  const program = Languages.programOf(name, ["-e", "--eval"], args, context, surroundings.tree);
  if ("refused" in program) return { stdout: "", stderr: `${program.refused}\n`, exitCode: program.exitCode };
  const output = new Languages.Output(context.limits.maxOutputSize);
  const errorOutput = new Languages.Output(context.limits.maxOutputSize);
  const exitCode = await run(compiled, surroundings, {
    program,
    cwd: context.cwd,
    env: context.exportedEnv ?? {},
    // The standard input that held the program holds nothing more.
    input: program.name === "-" ? "" : decodeBytesToUtf8(context.stdin),
    output,
    errorOutput,
  });
  return { stdout: output.text, stdoutKind: "text", stderr: errorOutput.text, exitCode };
};

interface Running {
  readonly program: Languages.Program;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly output: Languages.Output;
  readonly errorOutput: Languages.Output;
}

/** The program's exit code. A program that is stopped, by `process.exit` or from outside, is not heard any more. */
const run = async ({ engine, setUp }: Compiled, surroundings: Surroundings, running: Running): Promise<number> => {
  const { budget, request, tree } = surroundings;
  const { errorOutput, output, program } = running;
  const state: { exited: number | null; rejected: string | null } = { exited: null, rejected: null };
  // The engine asks once in ten thousand turns of loops and calls, each of which may be long.
  const over = (): boolean => state.exited !== null || output.full || errorOutput.full || budget.stopped !== null;
  const entry = program.name.startsWith("/") ? program.name : posix.join(running.cwd, "[program]");
  const options: QuickJSOptions = {
    wasm: engine,
    memoryLimit: Math.min(mostHeap, request.limits.memoryBytes),
    maxStackSize: mostStack,
    timezoneOffset: 0,
    interruptHandler: over,
    onUnhandledRejection: (_promise, reason, isHandled) => {
      state.rejected = isHandled ? null : describe(reason);
    },
    moduleLoader: {
      normalize: resolve,
      load: (path) => javascriptGlobals.runtimeModule(path) ?? Languages.text(tree.read(path)),
    },
  };
  const vm = await QuickJS.create(options);
  try {
    const globals = javascriptGlobals.install(vm, setUp, {
      ...surroundings,
      ...running,
      exit: (code) => (state.exited = code),
    });
    const promise = vm.evalCode(program.source.replace(/^#!.*/, ""), entry, EvalFlags.TYPE_MODULE);
    vm.executePendingJobs();
    const runTimers = async (): Promise<void> => {
      if (over() || state.rejected !== null) return;
      const wait = globals.runDueTimers(time.wallClock());
      vm.executePendingJobs();
      if (wait === null) return;
      await budget.pause(wait);
      return runTimers();
    };
    await runTimers();
    if (state.exited !== null) return state.exited;
    if (state.rejected !== null) throw new Error(state.rejected);
    if (promise.promiseState === 0 && budget.stopped === null) {
      errorOutput.write("js: the program waits for something that never comes\n");
      return 13;
    }
    return globals.exitCode();
  } catch (error) {
    if (state.exited !== null) return state.exited;
    if (budget.stopped === null) errorOutput.write(`${explain(error)}\n`);
    return budget.stopped === null ? 1 : 124;
  } finally {
    vm.dispose();
  }
};

/** Where a module is. Only files and the runtime's own module can be imported. */
const resolve = (from: string, specifier: string): string => {
  if (javascriptGlobals.runtimeModule(specifier) !== null) return specifier;
  if (/^(\.{1,2})?\//.test(specifier)) return posix.resolve(posix.dirname(from), specifier);
  throw new Error(
    `Cannot find module '${specifier}': there are relative imports and '${javascriptGlobals.runtimeName}', no packages and no Node modules`,
  );
};

const describe = (reason: JSValueHandle): string => {
  if (!reason.isError)
    return `Uncaught ${reason.isString ? reason.toString() : (JSON.stringify(reason.vm.dump(reason)) ?? "undefined")}`;
  const own = (name: string): string =>
    reason.getProp(name).consume((value) => (value.isString ? value.toString() : ""));
  return `${own("name")}: ${own("message")}\n${own("stack")}`.trimEnd();
};

const explain = (error: unknown): string => {
  if (error instanceof JSException) {
    // The part of a stack that lies outside the engine says where this program runs.
    const stack = (error.stack ?? "")
      .split("\n")
      .filter((line) => line.startsWith("    at ") && !/file:|wasm:/.test(line));
    return [`${error.name}: ${error.message}`, ...stack].join("\n");
  }
  if (error instanceof RangeError) return "RangeError: Maximum call stack size exceeded";
  return error instanceof Error ? error.message : String(error);
};
