/**
 * How much a piece of work keeps of its pace while something else goes on.
 */
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { costOf } from "../measure/Cost.ts";
import { median } from "../measure/median.ts";
import { type Row, spreadOf } from "../measure/Table.ts";

/** How often it is measured, and how often before that. */
export interface Repetitions {
  readonly warmUps: number;
  readonly measured: number;
}

/**
 * The cells of a row: the pace of `work`, done again and again, beside what `other` does for so many milliseconds, as a share of its
 * pace alone. In turns with both it runs beside a process that only counts: nobody who uses up a processor can do less to it.
 */
export const paceBeside = async (
  work: () => Promise<unknown>,
  milliseconds: number,
  { measured, warmUps }: Repetitions,
  other: () => Promise<unknown>,
): Promise<Omit<Row, "what">> => {
  const kinds = { ours: other, alone: () => pause(milliseconds), counting: () => count(milliseconds) };
  const found: Array<Record<Kind, number>> = [];
  for (let repetition = 0; repetition < warmUps + measured; repetition += 1) {
    const pace = { ours: 0, alone: 0, counting: 0 };
    for (const kind of repetition % 2 === 0 ? order : order.toReversed())
      pace[kind] = await paceUntil(work, kinds[kind]());
    if (repetition >= warmUps) found.push(pace);
  }
  const ratios = found.map((pace) => pace.ours / pace.alone);
  const perSecond = (kind: Kind): string => `${median(found.map((pace) => pace[kind])).toFixed(0)}/s`;
  const toCounting = median(found.map((pace) => pace.ours / pace.counting));
  return {
    ours: perSecond("ours"),
    theirs: `alone ${perSecond("alone")}, beside a counter ${perSecond("counting")} (${toCounting.toFixed(2)}x)`,
    value: median(ratios),
    spread: spreadOf(ratios),
  };
};

const order = ["ours", "alone", "counting"] as const;

type Kind = (typeof order)[number];

/** How often a second the work is done until the other is over; what has begun by then is done to its end. */
const paceUntil = async (work: () => Promise<unknown>, other: Promise<unknown>): Promise<number> => {
  const state = { isOver: false, times: 0 };
  const over = other.then(() => (state.isOver = true));
  const { wall } = await costOf(async () => {
    while (!state.isOver) {
      await work();
      state.times += 1;
    }
  });
  await over;
  return (state.times * 1000) / wall;
};

const pause = (milliseconds: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, milliseconds);
  return promise;
};

const count = async (milliseconds: number): Promise<void> => {
  const program = `const end = Date.now() + ${milliseconds}; while (Date.now() < end);`;
  await once(spawn(process.execPath, ["-e", program]), "exit");
};
