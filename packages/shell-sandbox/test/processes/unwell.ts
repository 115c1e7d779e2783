/**
 * A child that does what each command names: it dies, fills its heap, never answers, answers what nobody understands.
 */
import * as fs from "node:fs";
import * as net from "node:net";
import { type Answer, type Order, type Outcome, stopPath } from "../../src/internal/Message.ts";
import * as Wire from "../../src/internal/Wire.ts";

const channel = new net.Socket({ fd: 3 });
const say = (answer: Answer): void => Wire.send(channel, answer);

const scratch = process.argv[2] ?? "";

const done = (text: string): Outcome => ({
  ended: "exited",
  exitCode: 0,
  output: { text, truncated: false },
  errorOutput: { text: "", truncated: false },
  changes: [],
  notes: [],
});

const behaviours: Readonly<Record<string, (order: Order) => void>> = {
  die: () => process.exit(3),
  "fill the heap": () => {
    const all: Array<unknown> = [];
    for (;;) all.push(Array.from({ length: 10_000 }, (_, index) => ({ index })));
  },
  "never answer": () => {
    for (;;);
  },
  // As a command that has come to its end when it is told to stop.
  "answer when told to stop": ({ id }) => {
    while (!fs.existsSync(stopPath(scratch, id)));
    say({ kind: "done", id, outcome: done("its own") });
  },
  "die when told to stop": ({ id }) => {
    while (!fs.existsSync(stopPath(scratch, id)));
    process.exit(3);
  },
  "say who it is": ({ id }) =>
    say({ kind: "done", id, outcome: done(`${process.pid} ${fs.readdirSync(scratch).join()}`) }),
  "answer nonsense": () => {
    const head = Buffer.alloc(4);
    head.writeUInt32LE(8);
    channel.write(Buffer.concat([head, Buffer.from("nonsense")]));
  },
  "announce too much": () => {
    channel.write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
  },
  fail: ({ id }) => say({ kind: "failed", id, detail: "a reason" }),
  "answer another": ({ id }) => {
    say({ kind: "done", id: id + 1, outcome: done("of another") });
    say({ kind: "done", id, outcome: done("its own") });
  },
};

channel.on("close", () => process.exit());
Wire.receive(channel, {
  mostBytes: Number.POSITIVE_INFINITY,
  onBroken: () => process.exit(),
  onValue: (value) => {
    const order = value as Order;
    const behave =
      behaviours[order.request.command] ?? (() => say({ kind: "done", id: order.id, outcome: done("well") }));
    behave(order);
  },
});
say({ kind: "ready" });
