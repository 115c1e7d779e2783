/**
 * Runs the program that a command of the repository stands for, as if it had been started directly: its standard
 * streams, its working directory, its exit code, its signals.
 *
 * A terminal and `kill -- -group` signal the whole process group, so the program has the signal already; a signal sent to
 * one process of the chain (npm, its shell, this process) has not reached it. A canary in the same group tells the two
 * apart: it dies of the group's signals only.
 */
import { spawn } from "node:child_process";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
const settleMs = 120;
const parentPollMs = 250;

/** Starts the program and ends this process the way it ends. Never resolves. */
export const runProgram = (command, args, options) => {
  // Listening begins before the program does: it may be signalled as soon as it runs.
  const following = process.platform === "win32" ? undefined : followSignals((signal) => child.kill(signal));
  const child = spawn(command, args, { ...options, stdio: "inherit" });
  child.once("error", (error) => {
    process.stderr.write(`${command} could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.once("exit", (code, signal) => {
    following?.stop();
    if (signal === null) process.exit(code ?? 1);
    process.kill(process.pid, signal);
  });
  return new Promise(() => {});
};

const followSignals = (pass) => {
  const canary = startCanary();
  const settling = new Map();
  const parent = watchParent(() => pass("SIGINT"));
  // npm and an executing shell repeat what they get, so several signals of one kind at once are one.
  const receive = (signal) => {
    if (settling.has(signal)) return;
    clearInterval(parent);
    const timer = setTimeout(() => {
      settling.delete(signal);
      if (!canary.diedOf(signal)) pass(signal);
    }, settleMs);
    settling.set(signal, timer);
  };
  const handlers = signals.map((signal) => [signal, () => receive(signal)]);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  const stop = () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
    for (const timer of settling.values()) clearTimeout(timer);
    clearInterval(parent);
  };
  return { stop };
};

/** A process that does nothing; `diedOf` says whether a signal of this kind reached the group since the last question. */
const startCanary = () => {
  const deaths = new Set();
  const hatch = () => {
    const canary = spawn("cat", [], { stdio: ["pipe", "ignore", "ignore"] });
    canary.once("error", () => {});
    canary.once("exit", (_, signal) => {
      if (signal === null) return;
      deaths.add(signal);
      hatch();
    });
  };
  hatch();
  return { diedOf: (signal) => deaths.delete(signal) };
};

/** npm tells its child alone; when npm itself is killed nobody is told, and the command was stopped all the same. */
const watchParent = (onGone) => {
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, parentPollMs);
  return timer;
};
