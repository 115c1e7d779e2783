/**
 * What a call of a tool of an MCP server costs, from the model's words to the server and back, beside the protocol's own client.
 *
 * The storage is memory, so that what is measured is the way and no disk.
 */
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.
import * as McpSource from "@cahier/application/mcp/mcpSource";
import type { RunId } from "@cahier/domain/identity/Identity";
import { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { McpGateway } from "@cahier/ports/McpGateway";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as MemoryBlobStore from "@cahier/storage-memory/MemoryBlobStore";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import { type Cost, costOf } from "../measure/Cost.ts";
import { isShort } from "../measure/isShort.ts";
import { median } from "../measure/median.ts";
import { pairs } from "../measure/pairs.ts";
import { type Row, spreadOf } from "../measure/Table.ts";
import * as Runtime from "../runtime/Runtime.ts";
import { scriptedRun } from "../runtime/scriptedRun.ts";
import * as McpPlace from "./McpPlace.ts";

/** Both eras of the protocol: each request for itself, and sessions. */
export type Era = "2026-07-28" | "2025-11-25";

const calls = 40;
const calling = isShort ? { warmUps: 10, measured: 15 } : { warmUps: 30, measured: 41 };

const given = (number: number) => ({ text: `Line ${number}: the tide comes back before the bell.` });

const documents = Layer.succeed(DocumentStore, MemoryDocumentStore.make());
const storage = Layer.mergeAll(
  documents,
  Layer.succeed(RunJournal, MemoryRunJournal.make()),
  Layer.succeed(BlobStore, MemoryBlobStore.make()),
);

/** The whole way of a call, which has a limit, and that of the gateway alone, to the server at `url`. */
export const callCost = async (url: string, protocolVersion: Era, chatFile: string): Promise<ReadonlyArray<Row>> => {
  const place = ManagedRuntime.make(McpPlace.layer(documents, McpPlace.gateway));
  const displayName = `Echo ${protocolVersion.slice(0, 4)}`;
  const id = await place.runPromise(McpPlace.register({ displayName, url, protocolVersion }));
  const gateway = await place.runPromise(McpGateway.useSync((service) => service));
  const source = await place.runPromise(McpSource.make);
  const effects = ManagedRuntime.make(Runtime.layer(storage, [], undefined, [source]));
  const library = new Client(
    { name: "library", version: "1.0.0" },
    protocolVersion === "2026-07-28" ? { versionNegotiation: { mode: { pin: protocolVersion } } } : {},
  );
  await library.connect(new StreamableHTTPClientTransport(new URL(url)));

  const toolCalls = Array.from({ length: calls }, (_, number) => ({
    name: `mcp__${displayName.replace(" ", "_")}__echo`,
    arguments: given(number),
  }));
  const play = (turn: typeof toolCalls): Promise<RunId> =>
    effects.runPromise(scriptedRun({ chatFile, turns: [turn], tools: [`mcp/${id}:echo`] }));
  const byLibrary = async (): Promise<void> => {
    for (let number = 0; number < calls; number += 1)
      heardOf(await library.callTool({ name: "echo", arguments: given(number) }), number);
  };
  const byGateway = async (): Promise<void> => {
    for (let number = 0; number < calls; number += 1) {
      const call = { tool: "echo", arguments: given(number), timeoutMs: 10_000 };
      const server = {
        id,
        protocolVersion,
        allowsSampling: false,
        endpoint: { transport: "http", url, headers: {}, network: "private" },
      } as const;
      const outcome = await effects.runPromise(gateway.call(server, call));
      heardOf(outcome._tag === "Known" ? outcome.answer : outcome, number);
    }
  };
  await checkRun(effects, await play(toolCalls));

  const without: Array<Cost> = [];
  const run = await pairs(
    {
      prepare: async () => without.push(await costOf(() => play([]))),
      ours: () => play(toolCalls),
      theirs: byLibrary,
    },
    calling.warmUps,
    calling.measured,
  );
  const alone = await pairs({ ours: byGateway, theirs: byLibrary }, calling.warmUps, calling.measured);
  await library.close();
  await effects.dispose();
  await place.dispose();
  const beyond = without.slice(calling.warmUps);
  const whole = run.map(({ ours }, index) => ({
    wall: ours.wall - (beyond[index]?.wall ?? 0),
    cpu: ours.cpu - (beyond[index]?.cpu ?? 0),
  }));
  return [
    rowOf(
      `a call in a run, ${protocolVersion}`,
      whole,
      run.map(({ theirs }) => theirs),
      1.5,
    ),
    rowOf(
      `the gateway's part of it`,
      alone.map(({ ours }) => ours),
      alone.map(({ theirs }) => theirs),
    ),
  ];
};

const milliseconds = (costs: ReadonlyArray<Cost>, times: number): string =>
  `${(median(costs.map(({ wall }) => wall)) / times).toFixed(2)} ms, ${(median(costs.map(({ cpu }) => cpu)) / times).toFixed(2)} ms`;

/** What a call takes as a multiple of what it takes beside; the run without calls is taken off. */
const rowOf = (what: string, ours: ReadonlyArray<Cost>, theirs: ReadonlyArray<Cost>, limit?: number): Row => {
  const ratios = ours.map(({ wall }, index) => wall / (theirs[index]?.wall ?? Number.NaN));
  const processor = ours.map(({ cpu }, index) => cpu / (theirs[index]?.cpu ?? Number.NaN));
  return {
    what,
    ours: milliseconds(ours, calls),
    theirs: `${milliseconds(theirs, calls)} (${median(processor).toFixed(2)}x)`,
    value: median(ratios),
    ...(limit === undefined ? {} : { limit }),
    spread: spreadOf(ratios),
  };
};

const heardOf = (answer: unknown, number: number): void => {
  const text = `Heard: ${given(number).text}`;
  if (!JSON.stringify(answer).includes(text)) throw new Error(`the server answered ${JSON.stringify(answer)}`);
};

/** Every call of the run was answered by the server. */
const checkRun = async <R, E>(
  effects: ManagedRuntime.ManagedRuntime<R | RunJournal, E>,
  runId: RunId,
): Promise<void> => {
  const page = await effects.runPromise(RunJournal.use((journal) => journal.read(runId, { limit: 1000 })));
  const answered = page.events.filter((event) => event.type === "tool_call_completed").length;
  if (answered !== calls + 1) throw new Error(`${answered} calls were completed`);
};
