/**
 * Runs the program that a command of the repository stands for, as if it had been started directly: its standard
 * streams, its working directory, its exit code, its signals.
 *
 * A terminal and `kill -- -group` signal the whole process group, so the program has the signal already; a signal sent
 * to npm alone reaches this process alone. npm repeats whatever it gets to its child. Seen from here a signal to the group
 * therefore comes twice at once and is not passed on, and a signal to npm comes once and is.
 */
import { spawn } from "node:child_process";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
const burstMs = 120;

/** Starts the program and ends this process the way it ends. Never resolves. */
export const runProgram = (command, args, options) => {
  const child = spawn(command, args, { ...options, stdio: "inherit" });
  const stop = passSignals(child);
  child.once("error", (error) => {
    process.stderr.write(`${command} could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.once("exit", (code, signal) => {
    stop();
    if (signal === null) process.exit(code ?? 1);
    process.kill(process.pid, signal);
  });
  return new Promise(() => {});
};

const passSignals = (child) => {
  const pending = new Map();
  const handlers = signals.map((signal) => [signal, () => receive(child, pending, signal)]);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
    for (const burst of pending.values()) clearTimeout(burst.timer);
  };
};

const receive = (child, pending, signal) => {
  const burst = pending.get(signal);
  if (burst !== undefined) {
    burst.count += 1;
    return;
  }
  const opened = { count: 1, timer: undefined };
  pending.set(signal, opened);
  opened.timer = setTimeout(() => {
    pending.delete(signal);
    if (opened.count === 1 && !reachedGroup(signal)) child.kill(signal);
  }, burstMs);
};

/** Without npm in between, a single Ctrl-C on a terminal is the group's. */
const reachedGroup = (signal) =>
  signal === "SIGINT" &&
  !(process.env.npm_config_user_agent ?? "").startsWith("npm/") &&
  [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY === true);
