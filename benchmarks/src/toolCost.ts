/**
 * What the tool system costs: the way of a call to its tool, a large catalogue, and the two built-ins that work on large
 * texts.
 *
 * Each is measured beside the bare way of doing the same without its promises, and held to a limit in milliseconds of
 * processor time. The result is ours less the bare way where the bare work is part of ours, and ours else.
 */
import * as Gate from "@cahier/application/tool/gate";
import { definitionsOf, prepareSnapshot } from "@cahier/application/tool/prepareSnapshot";
import { settle } from "@cahier/application/tool/settle";
import type { Tool, ToolContext } from "@cahier/application/tool/Tool";
import type { ChatMessage } from "@cahier/domain/chat/Chat";
import { search } from "@cahier/domain/chat/search";
import { CallId } from "@cahier/domain/identity/Identity";
import type { ToolCallPart } from "@cahier/domain/model/Message";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import { ToolId } from "@cahier/domain/tool/ToolId";
import { trust } from "@cahier/domain/tool/ToolSnapshot";
import * as WritingPatch from "@cahier/domain/workspace/WritingPatch";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { pairs } from "./measure/pairs.ts";
import { print, type Row, spreadOf } from "./measure/Table.ts";
import { prose } from "./model/prose.ts";
import * as EchoTool from "./runtime/EchoTool.ts";

const repetitions = isShort ? { warmUps: 10, measured: 10 } : { warmUps: 40, measured: 60 };

interface Comparison {
  readonly what: string;
  readonly limit: number;
  /** How often one measurement does the work. */
  readonly times: number;
  readonly ours: () => unknown;
  readonly theirs: () => unknown;
  /** Whether what the bare way does is part of ours and is taken off. */
  readonly beyond?: boolean;
}

const compare = async ({ beyond, limit, ours, theirs, times, what }: Comparison): Promise<Row> => {
  const repeated = (work: () => unknown) => async (): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- what is measured happens one after the other.
    for (let time = 0; time < times; time += 1) await work();
  };
  const found = await pairs(
    { ours: repeated(ours), theirs: repeated(theirs) },
    repetitions.warmUps,
    repetitions.measured,
  );
  const each = found.map((pair) => ({ ours: pair.ours.cpu / times, theirs: pair.theirs.cpu / times }));
  const values = each.map((one) => one.ours - (beyond === true ? one.theirs : 0));
  const milliseconds = (of: ReadonlyArray<number>): string => `${median(of).toFixed(3)} ms`;
  return {
    what,
    ours: milliseconds(each.map((one) => one.ours)),
    theirs: milliseconds(each.map((one) => one.theirs)),
    value: median(values),
    limit,
    unit: " ms",
    spread: spreadOf(values),
  };
};

const profileFor = (ids: ReadonlyArray<ToolId>) =>
  withDefaults({
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "bench",
    displayName: "Bench",
    tools: { allow: ids, policy: [{ tools: ["mcp/*"], permission: "always" }] },
  });

const succeeded = <A, E>(result: Result.Result<A, E>): A =>
  Result.getOrThrowWith(result, (failure) => new Error(JSON.stringify(failure)));

const prepared = (catalog: ReadonlyArray<Tool>, profile: ReturnType<typeof profileFor>) =>
  succeeded(
    prepareSnapshot({ id: "tools_bench", catalog, scene: "chat", profile, layers: { profile: profile.tools } }),
  );

/** From the call in a response to the outcome of its tool. */
const wayOfACall = (): Comparison => {
  const snapshot = prepared([EchoTool.tool], profileFor([EchoTool.tool.descriptor.id]));
  const used = { callCount: 0, callsPerTool: {} };
  const call: ToolCallPart = {
    type: "toolCall",
    callId: CallId.make("call_1"),
    name: "bench_echo",
    arguments: '{"text":"The ferry is late."}',
  };
  const [binding] = snapshot.bindings;
  const context = {} as ToolContext;
  const ours = Effect.gen(function* () {
    const [verdict] = Gate.decide(snapshot, used, [call], false);
    if (verdict === undefined || verdict.refusal !== undefined || binding === undefined)
      throw new Error("the gate does not let the call through");
    const read = ToolArguments.fromRaw(call.arguments);
    if (read._tag === "Unusable") throw new Error("the arguments cannot be used");
    const identity = { callId: call.callId, toolId: binding.descriptor.id, name: call.name };
    return yield* settle(identity, snapshot, binding, EchoTool.tool.run(read.value, context));
  });
  return {
    what: "gate, validation and dispatch of a call",
    limit: 0.15,
    times: 400,
    beyond: true,
    ours: () => Effect.runPromise(ours),
    theirs: () => Effect.runPromise(EchoTool.tool.run(JSON.parse(call.arguments) as ToolArguments.JsonObject, context)),
  };
};

/** Five hundred tools of servers: preparing them, storing the snapshot and reading it back. */
const largeCatalogue = (): Comparison => {
  const catalog = Array.from({ length: 500 }, (_, index): Tool => {
    const { descriptor } = EchoTool.tool;
    const id = ToolId.make(`mcp/server${index % 10}:tool_${index}`);
    return { ...EchoTool.tool, descriptor: { ...descriptor, id, source: "mcp", title: `Tool ${index}` } };
  });
  const profile = profileFor(catalog.map(({ descriptor }) => descriptor.id));
  return {
    what: "500 tools, prepared, stored and read back",
    limit: 5,
    times: 5,
    ours: () => {
      const read = trust(JSON.stringify(prepared(catalog, profile)));
      if (read === undefined) throw new Error("the snapshot cannot be read back");
      return definitionsOf(succeeded(read));
    },
    theirs: () =>
      JSON.parse(
        JSON.stringify(
          catalog.map(({ descriptor: { description, id, inputSchema } }) => ({ name: id, description, inputSchema })),
        ),
      ) as unknown,
  };
};

/** A chat of ten thousand messages; the words that are looked for are rare. */
const longChat = (): Comparison => {
  const messages = Array.from({ length: 10_000 }, (_, index): ChatMessage => ({
    index,
    role: index % 2 === 0 ? "assistant" : "user",
    name: index % 2 === 0 ? "Marit" : "Jonas",
    text: prose(index, 400) + (index % 977 === 0 ? " The lighthouse keeper was gone." : ""),
    hidden: false,
  }));
  return {
    what: "search of 10,000 messages",
    limit: 150,
    times: 1,
    ours: () => {
      const { hits } = succeeded(search(messages, { query: "lighthouse keeper" }));
      if (hits.length !== 11) throw new Error(`${hits.length} messages were found`);
    },
    theirs: () => messages.filter(({ text }) => /lighthouse|keeper/i.test(text)).length,
  };
};

const megabyte = `${prose(7, 1_000_000)}\n“The lamp,” she said — ‘out.’\n`;

const edit = (what: string, oldString: string, found: boolean): Comparison => ({
  what,
  limit: 10,
  times: 3,
  ours: () => {
    const edited = WritingPatch.apply(megabyte, {
      oldString,
      newString: "\"The lamp,\" she said - 'lit.'",
      replaceAll: false,
    });
    if (Result.isSuccess(edited) !== found) throw new Error("the edit went otherwise than expected");
  },
  theirs: () => megabyte.replace(oldString, "lit"),
});

const comparisons: ReadonlyArray<Comparison> = [
  wayOfACall(),
  largeCatalogue(),
  longChat(),
  edit("patch in 1 MB, as written", "“The lamp,” she said — ‘out.’", true),
  edit("patch in 1 MB, typography folded", "\"The lamp,\" she said - 'out.'", true),
  edit("patch in 1 MB, not there", "The lamp that nobody had ever lit before", false),
];
const rows: Array<Row> = [];
// oxlint-disable-next-line no-await-in-loop -- what is measured happens one after the other.
for (const comparison of comparisons) rows.push(await compare(comparison));
print(
  "Tools: processor time",
  "ours: with everything that the runtime promises; beside: the bare tool, JSON of the bare list, a regular expression, String.replace.",
  rows,
);
