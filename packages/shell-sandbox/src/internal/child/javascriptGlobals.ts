/**
 * What a JavaScript program finds: `@cahier/runtime`, `process`, `console`, timers.
 *
 * Owns the words that cross between the program and the child, all of them copies. Does not own running programs.
 */
import { CompileFlags, EvalFlags, type JSValueHandle, type QuickJS } from "quickjs-wasi";
import type { Surroundings } from "./CommandShell.ts";
import * as Languages from "./Languages.ts";
import type { Tree } from "./Tree.ts";

/** The name of the one module that is no file. */
export const runtimeName = "@cahier/runtime";

/** Its source by a specifier, or null. */
export const runtimeModule = (specifier: string): string | null => (specifier === runtimeName ? runtimeSource : null);

export interface Globals {
  /** Runs the timers that are due; milliseconds until the next, null when there is none. */
  readonly runDueTimers: (now: number) => number | null;
  /** `process.exitCode`, in 0 to 255. */
  readonly exitCode: () => number;
}

export interface Process extends Surroundings {
  readonly program: Languages.Program;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly output: Languages.Output;
  readonly errorOutput: Languages.Output;
  readonly exit: (code: number) => void;
}

/** What `install` runs in an engine, parsed once for all of them. */
export const compile = (vm: QuickJS): Uint8Array =>
  vm.compile(setUpSource, "[runtime]", EvalFlags.TYPE_GLOBAL, CompileFlags.STRIP_SOURCE);

/** Puts the globals in place, before the program is. */
export const install = (vm: QuickJS, setUp: Uint8Array, process: Process): Globals => {
  const { errorOutput, output, program, tree } = process;
  const functions: Readonly<Record<string, (...args: ReadonlyArray<unknown>) => unknown>> = {
    write: (text, isError) => (isError === true ? errorOutput : output).write(String(text)),
    exit: (code) => process.exit(exitCodeOf(code)),
    read: (path) => tree.read(absolute(path)).slice(),
    readText: (path) => Languages.text(tree.read(absolute(path))),
    save: (path, content) => save(tree, absolute(path), content),
    remove: (path) => tree.remove(absolute(path), { recursive: false, force: false }),
    exists: (path) => tree.exists(absolute(path)),
    list: (path) => list(tree, absolute(path)),
  };
  const given = {
    argv: ["js", program.name, ...program.args],
    env: process.env,
    cwd: process.cwd,
    input: process.input,
    context: process.request.context ?? null,
  };
  const host = vm.newObject();
  for (const [name, operation] of Object.entries(functions)) {
    const made = vm.newFunction(`host.${name}`, (...args) => {
      try {
        return vm.hostToHandle(operation(...args.map((arg) => vm.dump(arg))));
      } catch (error) {
        // Only the words cross: the error itself belongs to this side.
        return vm.hostToHandle({ failed: error instanceof Error ? error.message : String(error) });
      }
    });
    made.consume((handle) => host.setProp(name, handle));
  }
  host.setProp("given", vm.hostToHandle(given));
  const made = vm.evalBytecode(setUp);
  const controls = vm.callFunction(made, vm.undefined, host);
  const call = (name: string, ...args: ReadonlyArray<JSValueHandle>): unknown =>
    controls
      .getProp(name)
      .consume((operation) => vm.callFunction(operation, vm.undefined, ...args).consume((value) => vm.dump(value)));
  return {
    runDueTimers: (now) => {
      const wait = call("runDueTimers", vm.newNumber(now));
      return typeof wait === "number" ? wait : null;
    },
    exitCode: () => exitCodeOf(call("exitCode")),
  };
};

const exitCodeOf = (code: unknown): number => (typeof code === "number" && Number.isInteger(code) ? code & 0xff : 0);

const absolute = (path: unknown): string => {
  if (typeof path !== "string") throw new TypeError("A path is a string, such as 'output/main.md'.");
  return `/${path.replace(/^\/+/, "")}`;
};

const save = (tree: Tree, path: string, content: unknown): void => {
  const bytes = content instanceof Uint8Array ? content : typeof content === "string" ? Buffer.from(content) : null;
  if (bytes === null) throw new TypeError("What is written is a string or a Uint8Array.");
  const folder = path.slice(0, path.lastIndexOf("/"));
  if (folder !== "") tree.makeFolder(folder, true);
  tree.write(path, bytes.slice());
};

const list = (
  tree: Tree,
  path: string,
): ReadonlyArray<{ readonly path: string; readonly kind: string; readonly size: number }> => {
  const node = tree.node(path, "list");
  if (node.kind !== "folder") throw new TypeError(`${path} is not a folder.`);
  const prefix = path === "/" ? "" : `${path.slice(1).replace(/\/+$/, "")}/`;
  return [...node.children]
    .filter(([name]) => path !== "/" || !hidden.has(name))
    .map(([name, child]) => ({
      path: `${prefix}${name}`,
      kind: child.kind === "folder" ? "folder" : "file",
      size: child.kind === "file" ? child.length : 0,
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
};

/** Folders at the root that are the shell's own and no part of the workspace. */
const hidden: ReadonlySet<string> = new Set(["bin", "dev", "proc", "tmp", "usr"]);

/** Runs first, inside the engine; leaves nothing of the host where a program finds it. */
const setUpSource = `(host) => {
  const { given } = host;
  const ask = (name, ...args) => {
    const answer = host[name](...args);
    if (answer !== null && typeof answer === "object" && "failed" in answer) throw new Error(answer.failed);
    return answer;
  };
  const freeze = (value) => {
    if (value !== null && typeof value === "object") Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  const show = (value, depth = 0, seen = []) => {
    if (typeof value === "string") return depth === 0 ? value : JSON.stringify(value);
    if (typeof value === "function") return "[Function" + (value.name ? ": " + value.name : "") + "]";
    if (typeof value === "bigint") return value + "n";
    if (value === null || typeof value !== "object") return String(value);
    if (value instanceof Error) return value.stack ? value.name + ": " + value.message + "\\n" + value.stack.trimEnd() : String(value);
    if (seen.includes(value)) return "[Circular]";
    if (depth > 4) return Array.isArray(value) ? "[Array]" : "[Object]";
    const inner = (item) => show(item, depth + 1, [...seen, value]);
    if (value instanceof Map) return "Map(" + value.size + ") {" + [...value].map(([k, v]) => " " + inner(k) + " => " + inner(v)).join(",") + " }";
    if (value instanceof Set) return "Set(" + value.size + ") {" + [...value].map((v) => " " + inner(v)).join(",") + " }";
    if (value instanceof Date) return value.toISOString();
    if (value instanceof RegExp) return String(value);
    if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      const items = Array.from(value, inner);
      return items.length === 0 ? "[]" : "[ " + items.join(", ") + " ]";
    }
    const entries = Object.entries(value).map(([k, v]) => (/^[A-Za-z_$][\\w$]*$/.test(k) ? k : JSON.stringify(k)) + ": " + inner(v));
    return entries.length === 0 ? "{}" : "{ " + entries.join(", ") + " }";
  };
  const line = (values) => values.map((value) => show(value)).join(" ") + "\\n";
  const print = (...values) => ask("write", line(values), false);
  const complain = (...values) => ask("write", line(values), true);
  globalThis.console = { log: print, info: print, debug: print, error: complain, warn: complain, trace: complain };
  const stream = (isError) => ({ write: (text) => { ask("write", String(text), isError); return true; } });
  globalThis.process = {
    argv: given.argv,
    env: given.env,
    exitCode: undefined,
    platform: "cahier",
    cwd: () => given.cwd,
    exit: (code) => { ask("exit", code ?? process.exitCode ?? 0); for (;;); },
    stdin: { read: () => given.input },
    stdout: stream(false),
    stderr: stream(true),
  };
  const timers = new Map();
  let lastTimer = 0;
  const add = (run, delay, args, every) => {
    const wait = Math.max(1, Number(delay) || 0);
    timers.set(++lastTimer, { run, args, at: Date.now() + wait, every: every ? wait : null });
    return lastTimer;
  };
  globalThis.setTimeout = (run, delay, ...args) => add(run, delay, args, false);
  globalThis.setInterval = (run, delay, ...args) => add(run, delay, args, true);
  globalThis.clearTimeout = globalThis.clearInterval = (id) => void timers.delete(id);
  const later = (operation) => async (...args) => operation(...args);
  globalThis[Symbol.for("${runtimeName}")] = Object.freeze({
    workspace: Object.freeze({
      read: later((path) => ask("readText", path)),
      readBytes: later((path) => ask("read", path)),
      write: later((path, content) => ask("save", path, content)),
      remove: later((path) => ask("remove", path)),
      exists: later((path) => ask("exists", path)),
      list: later((path = "") => ask("list", path)),
    }),
    context: freeze(given.context),
    log: complain,
  });
  return {
    exitCode: () => process.exitCode,
    runDueTimers: (now) => {
      for (const [id, timer] of [...timers].sort(([, a], [, b]) => a.at - b.at)) {
        if (timer.at > now || !timers.has(id)) continue;
        if (timer.every === null) timers.delete(id);
        else timer.at = now + timer.every;
        timer.run(...timer.args);
        break;
      }
      const next = Math.min(...[...timers.values()].map((timer) => timer.at));
      return timers.size === 0 ? null : Math.max(0, next - now);
    },
  };
}`;

const runtimeSource = `const runtime = globalThis[Symbol.for("${runtimeName}")];
export const { workspace, context, log } = runtime;
`;
