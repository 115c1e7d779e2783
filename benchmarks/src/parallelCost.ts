/**
 * How much many runs at once get done with every step durable, beside as many bare loops at once.
 *
 * All talk to one model server in another process and send the same bytes; that is checked.
 */
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.
import { type Opening, bareLoop } from "./bare/bareLoop.ts";
import type { Cost } from "./measure/Cost.ts";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { pairs } from "./measure/pairs.ts";
import { print, type Row, spreadOf } from "./measure/Table.ts";
import * as EchoTool from "./runtime/EchoTool.ts";
import * as Workshop from "./runtime/Workshop.ts";
import { eachStorage, lacking } from "./storage/eachStorage.ts";
import type { StorageKind } from "./storage/Storage.ts";

const runs = 200;
const rounds = 50;
const { measured, warmUps } = isShort ? { warmUps: 2, measured: 1 } : { warmUps: 5, measured: 5 };

/** So many runs at once make the code warm. */
const runsToWarmUp = 20;

const echoed = (args: string): string => EchoTool.echo((JSON.parse(args) as { readonly text: string }).text);

const atOnce = <A>(repetition: number, one: (number: number) => Promise<A>): Promise<ReadonlyArray<A>> =>
  Promise.all(Array.from({ length: repetition < warmUps ? runsToWarmUp : runs }, (_, number) => one(number)));

const compare = async (kind: StorageKind): Promise<Row> => {
  await using workshop = await Workshop.open("parallel", kind);
  const { server } = workshop;
  // The bare loop begins with what the runtime begins with.
  const first = await server.session(await workshop.run("echo", 1));
  const opening = JSON.parse(first.first) as Opening;
  const bareRun = async (): Promise<string> => {
    const session = workshop.newSession();
    await bareLoop(server.baseUrl(session, "echo", rounds), opening, { bench_echo: echoed });
    return session;
  };
  const last: { ours: ReadonlyArray<string>; theirs: ReadonlyArray<string> } = { ours: [], theirs: [] };
  const found = await pairs(
    {
      ours: async (repetition) => {
        last.ours = await atOnce(repetition, (number) => workshop.run("echo", rounds, number));
      },
      theirs: async (repetition) => {
        last.theirs = await atOnce(repetition, bareRun);
      },
    },
    warmUps,
    measured,
  );
  const bytesOf = async (sessions: ReadonlyArray<string>): Promise<number> =>
    (await Promise.all(sessions.map(server.session))).reduce((sum, { bytes }) => sum + bytes, 0);
  const sent = { ours: await bytesOf(last.ours), theirs: await bytesOf(last.theirs) };
  if (sent.ours !== sent.theirs)
    throw new Error(`the sides did not do the same: ${sent.ours} and ${sent.theirs} bytes were sent`);
  const ratios = found.map((pair) => pair.theirs.wall / pair.ours.wall);
  const steps = runs * rounds;
  const told = (costs: ReadonlyArray<Cost>): string =>
    `${((steps * 1000) / median(costs.map(({ wall }) => wall))).toFixed(0)}/s, ${(median(costs.map(({ cpu }) => cpu)) / steps).toFixed(2)} ms`;
  return {
    what: `${kind.name}, ${runs} runs of ${rounds} rounds`,
    ours: told(found.map((pair) => pair.ours)),
    theirs: told(found.map((pair) => pair.theirs)),
    value: median(ratios),
    ...(kind.name === "files" ? { limit: 0.65, least: true } : {}),
    spread: spreadOf(ratios),
  };
};

/** The databases have no limit of their own here: they are told beside, and the short form leaves them out. */
const kinds: Iterable<StorageKind> = isShort ? [{ name: "files" }] : eachStorage();
const rows: Array<Row> = [];
for (const kind of kinds) rows.push(await compare(kind));
print(
  "Parallel: steps per second of many runs at once",
  "ours: the whole runtime, each run from its chat to its end, every step durable before the next; beside: as many loops of fetch, JSON.parse, the tool, nothing kept. The ratio is of the wall; beside the steps per second stands the processor time of one, without the servers'.",
  [...rows, ...(isShort ? [] : lacking)],
);
