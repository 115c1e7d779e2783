/**
 * A child at work: it loads what runs commands, locks itself in, and then runs one command after another for the process that
 * started it.
 *
 * Owns the conversation. Does not own the end of a command that does not answer: whoever started the child kills it.
 */
import * as fs from "node:fs";
import * as net from "node:net";
import { type Answer, type Order, stopPath } from "../Message.ts";
import * as Wire from "../Wire.ts";
import * as CommandShell from "./CommandShell.ts";
import * as javascript from "./javascript.ts";
import { lockIn } from "./lockIn.ts";
import * as python from "./python.ts";

/** Everything that commands need, used once: the first program of a language takes many times longer than the second. */
export const loadShell = async (scratch: string): Promise<CommandShell.CommandShell> => {
  const shell = await CommandShell.make([await javascript.load(), python.load(scratch)]);
  await shell.run({
    command: "js -e 'console.log([1].map(String), {})'; python -c 'print(1)'; echo",
    workdir: "",
    files: [],
    folders: [],
    writableRoots: [],
    limits: { timeoutMs: 10_000, outputBytes: 1024, memoryBytes: 64 * 1024 * 1024, files: 10, bytes: 1024 },
  });
  return shell;
};

/** Answers orders until the process that started this one is gone. */
export const serve = async (load: (scratch: string) => Promise<CommandShell.CommandShell>): Promise<void> => {
  // A folder of this process alone, for which the process that started it cares unless it dies first.
  const [, , scratch = ""] = process.argv;
  // The other side is the process that started this one; without it there is nothing to do.
  const channel = new net.Socket({ fd: 3 });
  const leave = (): never => {
    fs.rmSync(scratch, { recursive: true, force: true });
    return process.exit();
  };
  channel.on("error", leave).on("close", leave);
  const say = (answer: Answer): void => Wire.send(channel, answer);
  const shell = await load(scratch);
  lockIn(channel);
  Wire.receive(channel, {
    mostBytes: Number.POSITIVE_INFINITY,
    onBroken: leave,
    onValue: (value) => {
      const order = value as Order;
      shell
        .run(order.request, () => fs.existsSync(stopPath(scratch, order.id)))
        .then(
          (outcome) => say({ kind: "done", id: order.id, outcome }),
          (error: unknown) =>
            say({ kind: "failed", id: order.id, detail: error instanceof Error ? error.message : String(error) }),
        );
    },
  });
  say({ kind: "ready" });
};
