/**
 * What it costs to prepare many tools of many MCP servers for an invocation, once the servers have been asked what they offer.
 *
 * Their documents are in memory; the code is warm. Owns three states of a process: it has just asked the servers, it has just begun
 * and finds what another one has kept, and nothing has changed since the last invocation.
 */
import * as McpServers from "@cahier/application/mcp/McpServers";
import * as McpSource from "@cahier/application/mcp/mcpSource";
import { builtinToolsWith } from "@cahier/application/tool/builtin/catalog";
import { definitionsOf, prepareSnapshot } from "@cahier/application/tool/prepareSnapshot";
import * as Tools from "@cahier/application/tool/Tools";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import type { McpGateway } from "@cahier/ports/McpGateway";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as Result from "effect/Result";
import { isShort } from "../measure/isShort.ts";
import { median } from "../measure/median.ts";
import { pairs } from "../measure/pairs.ts";
import { type Row, spreadOf } from "../measure/Table.ts";
import * as McpPlace from "./McpPlace.ts";
import * as StatedServers from "./StatedServers.ts";

const servers = 20;
const toolsEach = 25;
const { measured, warmUps } = isShort ? { warmUps: 10, measured: 11 } : { warmUps: 30, measured: 41 };

/** One row for each state, all with the same limit. */
export const preparationCost = async (): Promise<ReadonlyArray<Row>> => {
  const documents = Layer.succeed(DocumentStore, MemoryDocumentStore.make());
  const place = ManagedRuntime.make(McpPlace.layer(documents, StatedServers.layer(toolsEach)));
  const ids = await place.runPromise(
    Effect.forEach(
      Array.from({ length: servers }, (_, index) => index),
      register,
    ),
  );
  const profile = profileOf(ids);
  const fresh = Effect.map(McpSource.make, toolsOver);
  const standing = await place.runPromise(fresh);
  await place.runPromise(prepared(standing, profile));
  const asked = McpServers.McpServers.use((service) =>
    Effect.forEach(ids, (id) => service.discover(id, { refresh: true }), { discard: true }),
  );
  const states: ReadonlyArray<State> = [
    { what: "just discovered", before: asked, tools: fresh },
    { what: "found stored by a process that has just begun", before: Effect.void, tools: Effect.provide(fresh, begun) },
    { what: "once more, unchanged", before: Effect.void, tools: Effect.succeed(standing) },
  ];
  const rows: Array<Row> = [];
  for (const { before, tools, what } of states) {
    const kept: { list: string } = { list: "" };
    // oxlint-disable-next-line no-await-in-loop -- what is measured happens one after the other.
    const found = await pairs(
      {
        prepare: () => place.runPromise(Effect.orDie(before)),
        ours: async () => {
          const snapshot = await place.runPromise(Effect.flatMap(tools, (service) => prepared(service, profile)));
          kept.list = JSON.stringify(definitionsOf(snapshot));
        },
        theirs: async () => JSON.stringify(JSON.parse(kept.list)),
      },
      // The first of a pair needs what ours has made.
      warmUps + (warmUps % 2),
      measured,
    );
    rows.push(rowOf(`${servers * toolsEach} tools of ${servers} servers, ${what}`, found));
  }
  await place.dispose();
  return rows;
};

interface State {
  readonly what: string;
  /** Done before each measurement. */
  readonly before: Effect.Effect<unknown, unknown, McpServers.McpServers>;
  readonly tools: Effect.Effect<Tools.Tools["Service"], never, McpServers.McpServers | McpGateway | DocumentStore>;
}

/** A process that has looked at no server yet. */
const begun = Layer.fresh(McpServers.layer);

const register = (index: number) =>
  McpPlace.register({
    displayName: `Server ${index}`,
    url: `http://127.0.0.1:9/${index}`,
    protocolVersion: "auto",
  });

const own = builtinToolsWith(undefined);

const toolsOver = (source: Effect.Success<typeof McpSource.make>): Tools.Tools["Service"] => Tools.make(own, [source]);

const profileOf = (ids: ReadonlyArray<string>) =>
  withDefaults({
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "bench",
    displayName: "Bench",
    tools: {
      allow: ids.flatMap((id) => Array.from({ length: toolsEach }, (_, number) => `mcp/${id}:look_up_${number}`)),
    },
  });

/** From the sources to the frozen tools of an invocation. */
const prepared = Effect.fnUntraced(function* (tools: Tools.Tools["Service"], profile: ReturnType<typeof profileOf>) {
  const { tools: catalog } = yield* tools.catalogue;
  const made = prepareSnapshot({
    id: "tools_bench",
    catalog,
    scene: "chat",
    profile,
    layers: { profile: profile.tools },
  });
  const snapshot = Result.getOrThrowWith(made, (failure) => new Error(JSON.stringify(failure)));
  const callable = snapshot.bindings.filter(({ policy }) => policy?.callable === true).length;
  if (callable < servers * toolsEach) return yield* Effect.die(new Error(`${callable} tools were prepared`));
  return snapshot;
});

const rowOf = (what: string, found: Awaited<ReturnType<typeof pairs>>): Row => {
  const [ours, theirs] = [found.map((pair) => pair.ours.wall), found.map((pair) => pair.theirs.wall)];
  const processor = found.map((pair) => pair.ours.cpu);
  return {
    what,
    ours: `${median(ours).toFixed(2)} ms, ${median(processor).toFixed(2)} ms`,
    theirs: `JSON ${median(theirs).toFixed(2)} ms`,
    value: median(ours),
    limit: 50,
    unit: " ms",
    spread: spreadOf(ours),
  };
};
