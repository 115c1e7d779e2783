/**
 * How the runs of a trial ended: what their journals tell, what was counted outside, and what their chats show.
 */
import { readFileSync } from "node:fs";
import type { Applied, Ending } from "@cahier/testkit/crash/Ending";
import { chat } from "../../src/demonstration/material.ts";
import type { Counted } from "./OutsideCounter.ts";
import type { RunReport } from "./SweepOrder.ts";
import { marksIn, type ModelCall } from "./SweepStory.ts";

/** One ending for each chat, and one for each run that effects are counted for and that nobody knows. */
export const endings = (
  reports: ReadonlyArray<RunReport>,
  { chats, started }: { readonly chats: ReadonlyArray<string>; readonly started: ReadonlySet<string> },
  counted: Counted,
): ReadonlyArray<Ending> => {
  const known = new Map(reports.flatMap((report) => (report.chat === null ? [] : [[report.chat, report] as const])));
  const strangers = new Set(
    [...counted.effects.keys()].filter((run) => ![...known.values()].some(({ runId }) => runId === run)),
  );
  const damaged = reports.filter(({ chat: path, standing }) => path === null && standing === "stuck");
  return [
    ...chats.map((path): Ending => {
      const report = known.get(path);
      const seen = textEffects(path);
      if (report === undefined)
        return {
          run: path,
          ...(started.has(path)
            ? { standing: "stuck", detail: "its start had returned, and it is not there" }
            : { standing: "neverBegun" }),
          effects: seen.effects,
          unknown: [],
          faults: seen.faults,
        };
      const calls = counted.modelCalls.get(report.runId) ?? [];
      return {
        run: report.runId,
        standing: report.standing,
        ...(report.detail === undefined ? {} : { detail: report.detail }),
        effects: [
          ...(counted.effects.get(report.runId) ?? []),
          ...seen.effects,
          ...report.published,
          ...report.tasks,
          ...toldTo(calls),
        ],
        unknown: report.unknown,
        faults: [
          ...report.faults,
          ...seen.faults,
          ...(calls.length > report.attempts
            ? [`the model was called ${calls.length} times and ${report.attempts} are on record`]
            : []),
        ],
      };
    }),
    ...damaged.map(({ detail, runId }): Ending => ({
      run: runId,
      standing: "stuck",
      ...(detail === undefined ? {} : { detail }),
      effects: [],
      unknown: [],
      faults: [],
    })),
    ...[...strangers].map((run): Ending => ({
      run,
      standing: "neverBegun",
      effects: counted.effects.get(run) ?? [],
      unknown: [],
      faults: [],
    })),
  ];
};

/** The results that each agent knew of in its last request, each as often as it was told there. */
const toldTo = (calls: ReadonlyArray<ModelCall>): ReadonlyArray<Applied> =>
  [...Map.groupBy(calls, ({ agent }) => agent).values()].flatMap((own) => {
    const last = own.reduce((latest, call) => (call.position >= latest.position ? call : latest));
    return last.told.map((mark) => ({ name: `${last.agent} knows ${mark}` }));
  });

/** What a chat shows: its new messages, the marks in them, and that one names a state. */
const textEffects = (
  path: string,
): { readonly effects: ReadonlyArray<Applied>; readonly faults: ReadonlyArray<string> } => {
  const text = readFileSync(path, "utf8");
  if (!text.startsWith(chat)) return { effects: [], faults: ["what was in the chat before has changed"] };
  const lines = text
    .slice(chat.length)
    .split("\n")
    .filter((line) => line !== "");
  try {
    return { effects: lines.flatMap((line) => messageEffects(JSON.parse(line) as Message)), faults: [] };
  } catch {
    return { effects: [], faults: ["the chat is no chat any more"] };
  }
};

/** The part of a message that is looked at. */
interface Message {
  readonly mes: string;
  readonly extra?: { readonly cahier?: { readonly agent?: { readonly persistStateId?: string } } };
}

const messageEffects = ({ extra, mes }: Message): ReadonlyArray<Applied> => [
  { name: "message" },
  ...marksIn(mes),
  ...(extra?.cahier?.agent?.persistStateId === undefined ? [] : [{ name: "named state" }]),
];
