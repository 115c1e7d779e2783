/**
 * Runs of several agents: their profiles in the storage of a world, and one script for all of them.
 *
 * Owns how a test's agents are put together. Does not own playing runs (`play`).
 */
import { profilesCollection } from "@cahier/application/profile/findProfile";
import { startRunFromChat } from "@cahier/application/run/startRun";
import * as Message from "@cahier/domain/model/Message";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import { ended, type PlayOptions } from "./play.ts";
import * as World from "./World.ts";

/** The turns of each agent, by profile: those of its first, second, … piece of work. */
export type Agents = { readonly [profileId: string]: ReadonlyArray<ReadonlyArray<World.Turn>> };

/** What a profile says beside its id; sections are merged over those of an agent that anybody may call. */
export interface AgentProfile {
  readonly delegation?: object;
  readonly tools?: object;
  readonly [section: string]: unknown;
}

/** The profile of whoever begins a run: it may do everything. */
export const lead = (profile: AgentProfile = {}): object => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "lead",
  displayName: "Lead",
  ...profile,
  delegation: { canDelegate: true, canHandoff: true, ...profile.delegation },
  tools: {
    allow: [
      ...World.soloTools,
      "builtin:agent.list",
      "builtin:agent.delegate",
      "builtin:agent.await",
      "builtin:agent.handoff",
      "builtin:agent.cancel_task",
    ],
    maxRounds: 20,
    ...profile.tools,
  },
});

/** A profile that everybody may give tasks to and hand over to. */
export const agent = (id: string, profile: AgentProfile = {}): object => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id,
  displayName: id,
  description: `Does what a ${id} does.`,
  ...profile,
  delegation: { callable: true, allowAsSubagent: true, allowAsHandoffTarget: true, ...profile.delegation },
  tools: { allow: World.soloTools, maxRounds: 10, ...profile.tools },
});

/** A world whose storage has these profiles. */
export const worldWith = Effect.fnUntraced(function* (profiles: ReadonlyArray<object>) {
  const world = World.make();
  yield* store(world, profiles);
  return world;
});

/** Stores profiles in a world. */
export const store = (world: World.World, profiles: ReadonlyArray<object>) =>
  Effect.forEach(profiles, (profile) =>
    MemoryDocumentStore.make(world.documents).put(
      profilesCollection,
      (profile as { readonly id: string }).id,
      0,
      profile as Schema.Json,
    ),
  );

/** One script that all agents of a run play. */
export const script = (turns: ReadonlyArray<World.Turn>, agents: Agents): ModelBinding => ({
  source: "scripted",
  format: "scripted",
  modelId: "script",
  script: JSON.stringify({
    format: "cahier.script/1",
    turns,
    agents: Object.fromEntries(Object.entries(agents).map(([id, all]) => [id, all.map((own) => ({ turns: own }))])),
  }),
});

export interface TeamOptions extends PlayOptions {
  readonly lead?: object;
}

/** Starts a run whose first agent is the lead. */
export const startTeam = (turns: ReadonlyArray<World.Turn>, agents: Agents, options: TeamOptions = {}) => {
  const { lead: document = lead(), process: _process, world: _world, ...rest } = options;
  return startRunFromChat({
    chat: World.chatLocation,
    binding: script(turns, agents),
    profile: { document },
    ...rest,
  });
};

/** Starts such a run in a process of its own, waits for its end, and gives everything that it left. */
export const playTeam = Effect.fnUntraced(function* (
  turns: ReadonlyArray<World.Turn>,
  agents: Agents,
  options: TeamOptions & { readonly world: World.World },
) {
  const { process, world } = options;
  return yield* Effect.gen(function* () {
    return yield* ended(world, yield* startTeam(turns, agents, options));
  }).pipe(World.inProcess(world, process));
});

/** A task for an agent as a call. */
export const delegate = (agentId: string, objective = "Look at the draft.", more: object = {}) =>
  ["agent_delegate", { agentId, task: { objective, ...more } }] as const;

/** The result of a task as a turn. */
export const returning = (summary: string, more: object = {}): World.Turn =>
  World.call("task_return", { summary, ...more });

/** Waiting for every task. */
export const awaitAll: World.Turn = World.call("agent_await", { mode: "allCompleted" });

/** Handing over as a turn. */
export const handingOver = (agentId: string, objective = "Finish the message.", more: object = {}): World.Turn =>
  World.call("agent_handoff", { agentId, handoff: { objective, ...more } });

/** What one agent was asked, request by request: the texts of its messages with their roles. */
export type Asked = Map<string, Array<ReadonlyArray<{ readonly role: string; readonly text: string }>>>;

/** Options of a process that keeps what each agent is asked, by profile and number, such as `critic 0`. */
export const listening = (asked: Asked): World.ProcessOptions => ({
  gateway: (gateway) => ({
    ...gateway,
    generate: (request, onDelta) => {
      const { agent: who, messages } = request;
      const name = `${who.profileId} ${who.ordinal}`;
      const texts = messages.map((message) => ({ role: message.role as string, text: Message.textOf(message) }));
      asked.set(name, [...(asked.get(name) ?? []), texts]);
      return gateway.generate(request, onDelta);
    },
  }),
});

/** The user messages behind the prompt of an agent's last request that begin with a heading or a tag. */
export const toldIn = (asked: Asked, name: string, beginning: string): ReadonlyArray<string> =>
  (asked.get(name)?.at(-1) ?? [])
    .filter(({ role, text }) => role === "user" && text.startsWith(beginning))
    .map(({ text }) => text);

/** What stands in a script for the id of the first task, which nobody knows before it is given. */
export const placeholder = "the first task";

/** Options of a process whose model names the first task that it was told of where its script has the placeholder. */
export const namingTask = (known: { task: string }, options: World.ProcessOptions): World.ProcessOptions => ({
  ...options,
  gateway: (gateway) => {
    const inner = options.gateway?.(gateway) ?? gateway;
    return {
      ...inner,
      generate: (request, onDelta) => {
        if (known.task === "") known.task = /task_[0-9a-f]{32}/.exec(JSON.stringify(request.messages))?.[0] ?? "";
        return Effect.map(inner.generate(request, onDelta), (response) =>
          JSON.parse(JSON.stringify(response).replaceAll(placeholder, known.task)),
        );
      },
    };
  },
});
