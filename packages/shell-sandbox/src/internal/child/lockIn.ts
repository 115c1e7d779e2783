/**
 * Takes from this process what no command needs, for one that has come out of its interpreter: the network, native code, signals
 * to other processes, and the modules that lead to them.
 *
 * Owns what is refused once everything is loaded. Does not own what Node refuses from the start: other programs, threads, and
 * files elsewhere. The network is only refused to JavaScript: native code, by a fault of V8 or of the library of Python, has it.
 */
import * as dgram from "node:dgram";
import * as dns from "node:dns";
import * as nodeModule from "node:module";
import * as net from "node:net";
import * as url from "node:url";

/**
 * Of Node's own modules those that the interpreter's commands load when they are first used. Of these `module` has lost its hooks,
 * and `worker_threads` makes no thread.
 */
const allowedModules: ReadonlySet<string> = new Set([
  "assert",
  "async_hooks",
  "buffer",
  "crypto",
  "events",
  "fs",
  "fs/promises",
  "module",
  "path",
  "path/posix",
  "perf_hooks",
  "process",
  "stream",
  "string_decoder",
  "timers",
  "timers/promises",
  "url",
  "util",
  "worker_threads",
  "zlib",
]);

const globals: ReadonlyArray<string> = ["fetch", "WebSocket", "EventSource", "BroadcastChannel"];

const ofProcess: ReadonlyArray<string> = [
  "_debugEnd",
  "_debugProcess",
  "_kill",
  "_linkedBinding",
  "binding",
  "dlopen",
  "execve",
  "kill",
  "loadEnvFile",
];

/** `channel` goes on as it is; it cannot be undone. */
export const lockIn = (channel: net.Socket): void => {
  refuseModules();
  for (const name of globals) Reflect.deleteProperty(globalThis, name);
  for (const name of ofProcess) replace(process, name);
  // Through the channel's handle one comes to new sockets.
  const handle: object = Object.getPrototypeOf(Reflect.get(channel, "_handle"));
  for (const name of ["bind", "connect", "listen", "open"]) replace(handle, name);
  replace(net.Socket.prototype, "connect");
  replaceAll(objectOf(net), ["Socket", "Stream"]);
  replaceAll(objectOf(dgram), []);
  replaceAll(dns.promises, []);
  replaceAll(objectOf(dns), []);
  nodeModule.syncBuiltinESMExports();
  // Node itself loads no native code from here on, where its version can give up a permission.
  const drop: unknown = Reflect.get(process.permission, "drop");
  if (typeof drop === "function") drop.call(process.permission, "addon");
};

const refuse = (): never => {
  throw new Error("This is not possible in the process of a shell.");
};

const refuseModules = (): void => {
  const isRefused = (specifier: string): boolean =>
    (specifier.startsWith("node:") || nodeModule.isBuiltin(specifier)) &&
    !allowedModules.has(specifier.replace(/^node:/, ""));
  const closed = closedFolders();
  const builtin = process.getBuiltinModule.bind(process);
  replace(process, "getBuiltinModule", (name: unknown) => (isRefused(String(name)) ? refuse() : builtin(String(name))));
  nodeModule.registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context);
      return isRefused(resolved.url) || closed.some((folder) => resolved.url.startsWith(folder)) ? refuse() : resolved;
    },
  });
  // A hook of later on would be asked before this one.
  for (const name of ["register", "registerHooks"]) replace(objectOf(nodeModule), name);
};

/**
 * What the child has loaded of its own, and the library of Python, whose native code opens any folder that it is told to: both are
 * only used by those who have them.
 */
const closedFolders = (): ReadonlyArray<string> => {
  const require = nodeModule.createRequire(import.meta.url);
  const loaded = require.cache;
  for (const path of Object.keys(loaded)) if (path.endsWith(".node")) Reflect.deleteProperty(loaded, path);
  return [new URL("./", import.meta.url), new URL("./", url.pathToFileURL(require.resolve("@pydantic/monty")))].map(
    ({ href }) => href,
  );
};

/** What CommonJS gets of a module of Node's, which is what the names of its namespace are brought up to date from. */
const objectOf = (namespace: object): object => Object(Reflect.get(namespace, "default"));

const replaceAll = (owner: object, kept: ReadonlyArray<string>): void => {
  for (const name of Object.getOwnPropertyNames(owner)) {
    if (!kept.includes(name) && typeof Reflect.get(owner, name) === "function") replace(owner, name);
  }
};

/** The rest of a process's life finds `value` there; what was there before is known to nobody any more. */
const replace = (owner: object, name: string, value: (name: unknown) => unknown = refuse): void => {
  Object.defineProperty(owner, name, { value, writable: true, configurable: true });
};
