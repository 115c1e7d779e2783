/**
 * What starting the program costs, beside a Node process that does nothing; and a whole short run.
 *
 * It measures the bundle, which it has made if an input changed.
 */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { childCost } from "./measure/childCost.ts";
import { makeFolder } from "./measure/folder.ts";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { print, type Row, spreadOf } from "./measure/Table.ts";
import { prose } from "./model/prose.ts";
import { writeChat } from "./runtime/chatFile.ts";

const repetitions = isShort ? 15 : 31;

const script = {
  format: "cahier.script/1",
  turns: [
    { toolCalls: [{ name: "workspace_write_file", arguments: { path: "output/main.md", content: prose(7, 600) } }] },
    { toolCalls: [{ name: "workspace_commit", arguments: {} }] },
    { toolCalls: [{ name: "workspace_finish", arguments: {} }] },
  ],
};

const bundle = execFileSync(
  process.execPath,
  [fileURLToPath(new URL("../../tools/bundle/main.mjs", import.meta.url))],
  {
    encoding: "utf8",
  },
).trim();

const folder = makeFolder("start");
try {
  const emptyProgram = path.join(folder, "empty.mjs");
  fs.writeFileSync(emptyProgram, "");
  const scriptFile = path.join(folder, "script.json");
  fs.writeFileSync(scriptFile, JSON.stringify(script));
  const store = path.join(folder, "empty-store");

  const commands = [
    { what: "cahier --version", args: ["--version"], limit: 2.5 },
    { what: "cahier --help", args: ["--help"], limit: 2.5 },
    { what: "cahier runs list, empty store", args: ["runs", "list", "--data", store], limit: 6 },
  ].map((command) => ({ ...command, costs: new Array<number>(), ratios: new Array<number>() }));
  const empty: Array<number> = [];
  // One round is thrown away: it brings the files into memory.
  for (let round = -1; round < repetitions; round += 1) {
    const nothing = childCost([emptyProgram]).cpu;
    if (round >= 0) empty.push(nothing);
    for (const command of commands) {
      const { cpu, output } = childCost([bundle, ...command.args]);
      if (output === "") throw new Error(`${command.what} printed nothing`);
      if (round < 0) continue;
      command.costs.push(cpu);
      command.ratios.push(cpu / nothing);
    }
  }
  const rows = commands.map(({ costs, limit, ratios, what }): Row => ({
    what,
    ours: `${median(costs).toFixed(0)} ms`,
    theirs: `${median(empty).toFixed(0)} ms`,
    value: median(costs) / median(empty),
    limit,
    spread: spreadOf(ratios),
  }));

  const wholeRun = (round: number): number => {
    const chat = writeChat(path.join(folder, `chat-${round}.jsonl`));
    const data = path.join(folder, `data-${round}`);
    const { cpu, output } = childCost([
      bundle,
      "run",
      "--chat",
      chat,
      "--script",
      scriptFile,
      "--data",
      data,
      "--json",
    ]);
    const { committed, status } = JSON.parse(output) as { readonly status: string; readonly committed: Array<unknown> };
    if (status !== "completed" || committed.length !== 1) throw new Error(`the run ended as ${status}: ${output}`);
    return cpu / 1000;
  };
  const runs = Array.from({ length: isShort ? 5 : 15 }, (_, round) => wholeRun(round));
  rows.push({
    what: "a scripted run of three turns",
    ours: `${median(runs).toFixed(2)} s`,
    theirs: "",
    value: median(runs),
    limit: 1,
    unit: " s",
    spread: spreadOf(runs),
  });
  print(
    "Start: processor time of a process",
    "ours: the bundle that ships; beside: Node running an empty file, in turns.",
    rows,
  );
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
