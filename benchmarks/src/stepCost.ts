/**
 * What a durable step costs: processor time of a tool round of the whole runtime, beside a bare loop that does the same.
 *
 * Both talk to one model server in another process and send the same bytes; that is checked.
 */
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.
import { type Opening, bareLoop } from "./bare/bareLoop.ts";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { pairs } from "./measure/pairs.ts";
import { print, type Row, spreadOf } from "./measure/Table.ts";
import * as EchoTool from "./runtime/EchoTool.ts";
import * as Workshop from "./runtime/Workshop.ts";

/** The limit is what a step may cost as a multiple of the bare loop's. The long runs come first: they warm up the short. */
const comparisons = isShort
  ? [
      { rounds: 1000, limit: 0.8, warmUps: 1, measured: 2 },
      { rounds: 50, limit: 1.6, warmUps: 10, measured: 15 },
    ]
  : [
      { rounds: 1000, limit: 0.8, warmUps: 2, measured: 7 },
      { rounds: 50, limit: 1.6, warmUps: 40, measured: 41 },
    ];

const echoed = (args: string): string => EchoTool.echo((JSON.parse(args) as { readonly text: string }).text);

const compare = async (
  workshop: Workshop.Workshop,
  opening: Opening,
  { limit, measured, rounds, warmUps }: (typeof comparisons)[number],
): Promise<Row> => {
  const { server } = workshop;
  const sent = { ours: 0, theirs: 0 };
  const found = await pairs(
    {
      ours: async () => {
        const session = await workshop.run("echo", rounds);
        sent.ours = (await server.session(session)).bytes;
      },
      theirs: async () => {
        const session = workshop.newSession();
        await bareLoop(server.baseUrl(session, "echo", rounds), opening, { bench_echo: echoed });
        sent.theirs = (await server.session(session)).bytes;
      },
    },
    warmUps,
    measured,
  );
  if (sent.ours !== sent.theirs)
    throw new Error(`the sides did not do the same: ${sent.ours} and ${sent.theirs} bytes were sent`);
  const ratios = found.map((pair) => pair.ours.cpu / pair.theirs.cpu);
  const perStep = (values: ReadonlyArray<number>): string => `${(median(values) / rounds).toFixed(3)} ms/step`;
  return {
    what: `${rounds} tool rounds`,
    ours: perStep(found.map((pair) => pair.ours.cpu)),
    theirs: perStep(found.map((pair) => pair.theirs.cpu)),
    value: median(ratios),
    limit,
    spread: spreadOf(ratios),
  };
};

await using workshop = await Workshop.open("step");
// The bare loop begins with what the runtime begins with.
const first = await workshop.server.session(await workshop.run("echo", 1));
const opening = JSON.parse(first.first) as Opening;
const rows: Array<Row> = [];
for (const comparison of comparisons) rows.push(await compare(workshop, opening, comparison));
print(
  "Step cost: processor time of one tool round",
  "ours: the whole runtime, every step durable before the next; beside: fetch, JSON.parse, the tool, nothing kept.",
  rows,
);
