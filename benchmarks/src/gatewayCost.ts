/**
 * What the provider gateway costs: reading a streamed answer, and writing the body of a long history.
 *
 * Reading stands beside cutting the same bytes at blank lines and parsing the JSON between them; writing stands beside
 * one `JSON.stringify` of the same history.
 */
import { type Message, text as textMessage } from "@cahier/domain/model/Message";
import { CallId } from "@cahier/domain/identity/Identity";
import { sources } from "@cahier/provider-gateway/providers/sources";
import * as Result from "effect/Result";
import * as v8 from "node:v8";
import * as vm from "node:vm";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { type Sides, pairs } from "./measure/pairs.ts";
import { print, type Row, spreadOf } from "./measure/Table.ts";
import { prose } from "./model/prose.ts";
import { type Stream, stream, streamedFormats } from "./model/streams.ts";
import * as GatewayBench from "./runtime/GatewayBench.ts";

const repetitions = isShort ? { warmUps: 15, measured: 15 } : { warmUps: 40, measured: 60 };

/** A body is written in a millisecond, so that many are written until the engine knows the code. */
const writings = { warmUps: 400, measured: isShort ? 100 : 300 };

const bench = GatewayBench.open();

const compare = async (what: string, limit: number, sides: Sides, times = repetitions): Promise<Row> => {
  const found = await pairs(sides, times.warmUps, times.measured);
  const ratios = found.map((pair) => pair.ours.cpu / pair.theirs.cpu);
  const milliseconds = (values: ReadonlyArray<number>): string => `${median(values).toFixed(2)} ms`;
  return {
    what,
    ours: milliseconds(found.map((pair) => pair.ours.cpu)),
    theirs: milliseconds(found.map((pair) => pair.theirs.cpu)),
    value: median(ratios),
    limit,
    spread: spreadOf(ratios),
  };
};

/** The bare way of reading: nothing is checked, folded or kept. */
const splitAndParse = ({ chunks }: Stream): number => {
  const decoder = new TextDecoder();
  let rest = "";
  let parsed = 0;
  for (const chunk of chunks) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = pieces.pop() ?? "";
    for (const piece of pieces) {
      const data = piece.slice(piece.indexOf("data: ") + "data: ".length);
      if (data === "[DONE]") continue;
      JSON.parse(data);
      parsed += 1;
    }
  }
  return parsed;
};

/** How often one measurement reads the stream: processor time is counted in steps that a single one is too short for. */
const readings = 4;

const reading = (asked: GatewayBench.Asked): Promise<Row> => {
  const answer = stream(asked.format, 40_000, 2000);
  return compare(`${asked.format}: an answer of 2000 events`, 2, {
    ours: async () => {
      for (let time = 0; time < readings; time += 1) {
        // oxlint-disable-next-line no-await-in-loop -- what is measured happens one after the other.
        const { message } = await bench.ask(asked, answer.chunks);
        const said = message.parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
        if (said !== answer.text.length) throw new Error(`${asked.format} was not read whole: ${said}`);
      }
    },
    theirs: async () => {
      for (let time = 0; time < readings; time += 1)
        if (splitAndParse(answer) < 2000) throw new Error("the bare way did not read it all");
    },
  });
};

/** Five hundred messages: prose of a chat, and every tenth pair a tool call with its result. */
const history: ReadonlyArray<Message> = Array.from({ length: 250 }, (_, index): ReadonlyArray<Message> => {
  if (index % 10 !== 9)
    return [textMessage("user", prose(index, 300)), textMessage("assistant", prose(index + 1000, 900))];
  const call = { callId: CallId.make(`call_${index}`), name: "workspace_read_file" };
  return [
    {
      role: "assistant",
      parts: [
        { type: "text", text: "I look." },
        { type: "toolCall", ...call, arguments: `{"path":"output/part-${index}.md"}` },
      ],
    },
    { role: "tool", parts: [{ type: "toolResult", ...call, content: prose(index + 2000, 900), isError: false }] },
  ];
}).flat();

/** A history that nobody has seen yet. */
const fresh = (): ReadonlyArray<Message> => history.map((message) => ({ ...message }));

const writing = (asked: Omit<GatewayBench.Asked, "messages">): Promise<Row> => {
  const source = sources.find((candidate) => candidate.source === asked.source);
  const protocol = source?.protocols.find((candidate) => candidate.format === asked.format);
  if (protocol === undefined) throw new Error(`${asked.source} does not speak ${asked.format}`);
  let messages = fresh();
  const sides: Sides = {
    prepare: async () => {
      messages = fresh();
    },
    ours: async () => {
      const body = protocol.encoder().encode(GatewayBench.requestOf({ ...asked, messages }, "session"));
      if (Result.getOrThrow(body).length < 100_000) throw new Error(`${asked.format} was not written whole`);
    },
    theirs: async () => {
      if (JSON.stringify(messages).length < 100_000) throw new Error("the bare way did not write it all");
    },
  };
  return compare(`${asked.format}: the body of 500 messages`, 1.2, sides, writings);
};

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc") as () => void;

/** What is garbage of the calls before must be gone, also where one collection only finds what the next can free. */
const settle = async (): Promise<void> => {
  for (let time = 0; time < 4; time += 1) {
    collect();
    // oxlint-disable-next-line no-await-in-loop -- each collection comes after the engine's own work.
    await new Promise((resolve) => setImmediate(resolve));
  }
};

/** Bytes that live while the last event of a stream is waited for, beyond those before it began. */
const heldInMidStream = async (asked: GatewayBench.Asked, answer: Stream): Promise<number> => {
  await settle();
  const before = process.memoryUsage();
  let held = 0;
  await bench.ask(asked, answer.chunks, () => {
    collect();
    collect();
    const now = process.memoryUsage();
    held = now.heapUsed + now.arrayBuffers - before.heapUsed - before.arrayBuffers;
  });
  return held;
};

/** The same text in ten times the events must not hold more: what has been read of a stream is its answer, no more. */
const memory = async (asked: GatewayBench.Asked): Promise<Row> => {
  const [few, many] = [stream(asked.format, 400_000, 2000), stream(asked.format, 400_000, 20_000)];
  const found: Array<{ readonly few: number; readonly many: number }> = [];
  for (let time = 0; time < 7; time += 1) {
    // oxlint-disable-next-line no-await-in-loop -- what is measured happens one after the other.
    found.push({ few: await heldInMidStream(asked, few), many: await heldInMidStream(asked, many) });
  }
  // The first two are those in which the engine learns the code.
  const theirs = median(found.slice(2).map((held) => held.few));
  const ours = median(found.slice(2).map((held) => held.many));
  if (theirs < few.text.length) throw new Error(`what is held was not measured: ${theirs} bytes`);
  const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KiB`;
  return {
    what: `${asked.format}: 400,000 characters in 20,000 events, beside 2,000`,
    ours: kilobytes(ours),
    theirs: kilobytes(theirs),
    value: ours / theirs,
    limit: 1.2,
  };
};

const question = [textMessage("user", "Go on.")];
const rows: Record<"reading" | "writing" | "memory", Array<Row>> = { reading: [], writing: [], memory: [] };
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.
for (const { format, source } of streamedFormats) {
  rows.reading.push(await reading({ format, source, messages: question }));
  rows.writing.push(await writing({ format, source }));
  rows.memory.push(await memory({ format, source, messages: question }));
}
await bench.close();
print(
  "Gateway: reading a streamed answer",
  "ours: from bytes to the whole response with its native parts; beside: the same bytes cut at blank lines, JSON.parse.",
  rows.reading,
);
print(
  "Gateway: writing a request",
  "ours: the encoder of a session that begins anew, to the bytes of the body; beside: one JSON.stringify of the history.",
  rows.writing,
);
print(
  "Gateway: what a stream holds in memory before its last event",
  "both ours: the same text in many events beside the same in few.",
  rows.memory,
);
