/**
 * What it costs that one agent gives tasks to others: the processor time of a round trip, and the time that eight take at
 * once.
 *
 * Models are played from a script, so that what is measured is the runtime's own: every step durable before the next.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import * as Message from "@cahier/domain/model/Message";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import * as Effect from "effect/Effect";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as fs from "node:fs";
import * as path from "node:path";
import { makeFolder } from "./measure/folder.ts";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { pairs } from "./measure/pairs.ts";
import { print, type Row, spreadOf } from "./measure/Table.ts";
import { writeChat } from "./runtime/chatFile.ts";
import * as Runtime from "./runtime/Runtime.ts";
import * as TeamRun from "./runtime/teamRun.ts";
import * as Storage from "./storage/Storage.ts";

/** As many tasks as a run may give. */
const trips = 8;
const turnMs = 1000;
const { measured, warmUps } = isShort ? { warmUps: 20, measured: 11 } : { warmUps: 40, measured: 41 };
const atOnce = isShort ? { warmUps: 1, measured: 2 } : { warmUps: 2, measured: 5 };

const folder = makeFolder("delegation");
const storage = Storage.make({ name: "files" }, folder);
const effects = ManagedRuntime.make(Runtime.layer(storage.layer));
const chatFile = writeChat(path.join(folder, "chat.jsonl"));

const play = (team: Omit<TeamRun.TeamRun, "chatFile">): Promise<void> =>
  effects.runPromise(TeamRun.teamRun({ chatFile, ...team }));

const request: ModelRequest = {
  sessionId: "alone",
  binding: TeamRun.scripted({ together: 1, times: trips, turnMs: 0 }),
  messages: [Message.text("user", "Look at it.")],
  tools: [],
  toolChoice: "auto",
  parameters: {},
  stream: true,
  position: 0,
  agent: { profileId: "lead", ordinal: 0, root: true },
};

/** The two model calls of each round trip: of whoever gives the task, and of whoever takes it. */
const callsAlone = Effect.gen(function* () {
  const gateway = yield* ModelGateway;
  for (let trip = 0; trip < trips; trip += 1) {
    const answers = [
      yield* gateway.generate({ ...request, position: trip }, () => undefined),
      yield* gateway.generate(
        { ...request, agent: { profileId: "helper", ordinal: trip, root: false } },
        () => undefined,
      ),
    ];
    const called = answers.flatMap(({ message }) => Message.toolCallsOf(message));
    if (called.length !== 3) return yield* Effect.die(new Error(`the script was not played: ${called.length} calls`));
  }
});

const roundTrip = async (): Promise<Row> => {
  const found = await pairs(
    {
      ours: () => play({ together: 1, times: trips, turnMs: 0 }),
      theirs: async () => {
        await play({ together: 0, times: 0, turnMs: 0 });
        await effects.runPromise(callsAlone);
      },
    },
    warmUps,
    measured,
  );
  const each = found.map((pair) => (pair.ours.cpu - pair.theirs.cpu) / trips);
  const milliseconds = (of: ReadonlyArray<number>): string => `${median(of).toFixed(2)} ms`;
  return {
    what: `${trips} tasks, one after the other: each`,
    ours: milliseconds(found.map((pair) => pair.ours.cpu)),
    theirs: milliseconds(found.map((pair) => pair.theirs.cpu)),
    value: median(each),
    limit: 5,
    unit: " ms",
    spread: spreadOf(each),
  };
};

const sideBySide = async (): Promise<Row> => {
  const found = await pairs(
    {
      ours: () => play({ together: 8, times: 1, turnMs }),
      theirs: () => play({ together: 1, times: 1, turnMs }),
    },
    atOnce.warmUps,
    atOnce.measured,
  );
  const ratios = found.map((pair) => pair.ours.wall / turnMs);
  const milliseconds = (of: ReadonlyArray<number>): string => `${median(of).toFixed(0)} ms`;
  return {
    what: "8 tasks at once that take 1 s each, on the wall",
    ours: milliseconds(found.map((pair) => pair.ours.wall)),
    theirs: milliseconds(found.map((pair) => pair.theirs.wall)),
    value: median(ratios),
    limit: 1.1,
    spread: spreadOf(ratios),
  };
};

await effects.runPromise(Effect.orDie(TeamRun.storeHelper));
print(
  "Delegation: a task given, done, and its result told",
  "ours: the whole run; beside: a run without tasks and its model calls alone, or a run with one task.",
  [await roundTrip(), await sideBySide()],
);
await effects.dispose();
fs.rmSync(folder, { recursive: true, force: true });
