/**
 * What a command of the shell takes, how many commands at once get on, and what a command that never ends costs the runs beside
 * it.
 *
 * Commands go to the shell as the runtime sends them, with the files of a small workspace, over a pool of two processes that are
 * ready.
 */
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.
import type { ShellResult } from "@cahier/ports/Shell";
import { Shell } from "@cahier/ports/Shell";
import * as JustBash from "@cahier/shell-sandbox/JustBash";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as fs from "node:fs";
import * as path from "node:path";
import { costOf } from "./measure/Cost.ts";
import { makeFolder } from "./measure/folder.ts";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { pairs, type Sides } from "./measure/pairs.ts";
import { startProgram } from "./measure/startProgram.ts";
import { print, type Row, spreadOf } from "./measure/Table.ts";
import { writeChat } from "./runtime/chatFile.ts";
import * as EchoTool from "./runtime/EchoTool.ts";
import * as Runtime from "./runtime/Runtime.ts";
import { scriptedRun } from "./runtime/scriptedRun.ts";
import { type Language, languages, requestOf } from "./shell/commands.ts";
import { paceBeside } from "./shell/paceBeside.ts";
import * as Programs from "./shell/Programs.ts";
import * as Storage from "./storage/Storage.ts";

const alone = isShort ? { warmUps: 10, measured: 11 } : { warmUps: 20, measured: 41 };
/** One measurement differs from the next by a third, for there is no processor left for anything else; and code is slow at first. */
const together = isShort ? { warmUps: 1, measured: 2 } : { warmUps: 5, measured: 31 };
const beside = isShort ? { warmUps: 1, measured: 2 } : { warmUps: 1, measured: 7 };

const shells = 100;
const processes = 2;
/** How often one measurement gives a command to the shell. */
const times = 5;
/** The time of a command that never ends, in milliseconds. */
const endlessMs = isShort ? 500 : 1000;

const folder = makeFolder("shell");
const storage = Storage.make({ name: "files" }, folder);
const effects = ManagedRuntime.make(
  Layer.merge(Runtime.layer(storage.layer, [EchoTool.tool]), JustBash.layer({ processes })),
);
const shell = await effects.runPromise(Shell.useSync((service) => service));
const run = (command: string, timeoutMs = 30_000): Promise<ShellResult> =>
  effects.runPromise(shell.run(requestOf(command, timeoutMs)));

const succeed = async ({ command, name, output }: Language): Promise<void> => {
  const result = await run(command);
  if (result.ended !== "exited" || result.exitCode !== 0 || result.output.text !== output)
    throw new Error(`${name} ended as ${result.ended}, ${result.exitCode}: ${result.errorOutput.text}`);
};

const milliseconds = (values: ReadonlyArray<number>): string => `${median(values).toFixed(2)} ms`;

/** The wall of one command, beside that of something else. */
const compare = async (language: Language, theirs: Sides["theirs"]) => {
  const ours = async (): Promise<void> => {
    for (let time = 0; time < times; time += 1) await succeed(language);
  };
  const found = await pairs({ ours, theirs }, alone.warmUps, alone.measured);
  return {
    ours: found.map((pair) => pair.ours.wall / times),
    theirs: found.map((pair) => pair.theirs.wall),
    ratios: found.map((pair) => pair.ours.wall / times / pair.theirs.wall),
  };
};

/** The least that a round trip to a child costs. */
const messageRow = async (language: Language): Promise<Row> => {
  const child = startProgram(new URL("./bare/EchoChild.ts", import.meta.url));
  const told = JSON.stringify(requestOf(language.command, 30_000));
  const { ours, ratios, theirs } = await compare(language, async () => {
    const answered = child.heard();
    child.say(told);
    if ((await answered) !== told) throw new Error("the bare child says something else than it was told");
  });
  child.stop();
  return {
    what: `${language.name}, beside a message to a bare child and back`,
    ours: milliseconds(ours),
    theirs: milliseconds(theirs),
    value: median(ratios),
    spread: spreadOf(ratios),
  };
};

/** How long a command takes that has the shell to itself; the ratio to its program is told beside. */
const programRow = async (language: Language): Promise<Row> => {
  const program = Programs.find(language.program);
  const { ours, ratios, theirs } = await compare(language, async () => {
    if (program !== undefined && Programs.run(program, language.arguments) !== language.output)
      throw new Error(`${program.name} says something else than the shell`);
  });
  return {
    what: language.name,
    ours: milliseconds(ours),
    theirs:
      program === undefined
        ? `no ${language.program} here`
        : `${program.name} ${milliseconds(theirs)} (${median(ratios).toFixed(2)}x)`,
    value: median(ours),
    limit: language.limit,
    unit: " ms",
    spread: spreadOf(ours),
  };
};

/** All languages in turn, so many commands. */
const crowd = Array.from({ length: shells }, (_, index) => languages[index % languages.length]).filter(
  (language) => language !== undefined,
);

const atOnce = async (): Promise<Row> => {
  const found = await pairs(
    {
      ours: () => Promise.all(crowd.map(succeed)),
      theirs: async () => {
        for (const language of crowd) await succeed(language);
      },
    },
    together.warmUps,
    together.measured,
  );
  const [ours, theirs] = [found.map((pair) => pair.ours.wall), found.map((pair) => pair.theirs.wall)];
  const ratios = found.map((pair) => pair.ours.wall / (pair.theirs.wall / processes));
  return {
    what: `${shells} commands at once, all right, on ${processes} processes`,
    ours: milliseconds(ours),
    theirs: `one after the other ${milliseconds(theirs)}`,
    value: median(ratios),
    limit: 1.2,
    spread: spreadOf(ratios),
  };
};

const chatFile = writeChat(path.join(folder, "chat.jsonl"));
const turns = Array.from({ length: 5 }, (_, round) => [
  { name: "bench_echo", arguments: { text: `Line ${round}: the tide comes back before the bell.` } },
]);
const durableRun = (): Promise<unknown> =>
  effects.runPromise(scriptedRun({ chatFile, turns, tools: [EchoTool.tool.descriptor.id] }));

const endless = async ({ endless: command, name }: Language): Promise<ReadonlyArray<Row>> => {
  const times: Array<number> = [];
  const ends = new Set<string>();
  const pace = await paceBeside(durableRun, endlessMs, beside, async () => {
    const until = performance.now() + endlessMs;
    // One that ends before its time is begun again.
    do {
      const { wall } = await costOf(async () => ends.add((await run(command, endlessMs)).ended));
      times.push(wall);
    } while (performance.now() < until);
  });
  const ratios = times.map((time) => time / endlessMs);
  return [
    {
      what: `${name} without an end, ends (${[...ends].join(", ")})`,
      ours: milliseconds(times),
      theirs: `its time ${endlessMs} ms`,
      value: Math.max(...ratios),
      limit: 1.2,
      spread: spreadOf(ratios),
    },
    { what: `durable runs beside ${name} without an end`, ...pace, limit: 0.9, least: true },
  ];
};

const [echo] = languages;
// Both processes are warm by then.
const crowded = await atOnce();
const rows: Array<Row> = [];
if (echo !== undefined) rows.push(await messageRow(echo));
for (const language of languages) rows.push(await programRow(language));
rows.push(crowded);
for (const language of languages) rows.push(...(await endless(language)));
print(
  "Shell: commands on processes that are ready, on the wall",
  "ours: from the request to the result, the files of a small workspace with it; beside: the machine's own programs, started anew as the shell's environments are; the same commands one after the other; durable runs of five rounds with nothing beside them, and with a bare process that only counts.",
  rows,
);
await effects.dispose();
fs.rmSync(folder, { recursive: true, force: true });
