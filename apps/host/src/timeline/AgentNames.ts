/**
 * What the agents of a run are called: the display names of the profiles that were frozen for them.
 *
 * The first agent has no name here, so that a run of one agent reads as if there could be no others.
 */
import * as Payloads from "@cahier/application/payload/Payloads";
import type { InvocationId, RunId } from "@cahier/domain/identity/Identity";
import type { Payload } from "@cahier/domain/payload/Payload";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { isKnown, trust } from "@cahier/domain/run/RunEvent";
import type { TaskState } from "@cahier/domain/task/Task";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";

/** The name of an agent that was given work or a run; undefined for the first one. */
export type NameOf = (invocationId: InvocationId) => string | undefined;

/** `learn` takes in every event before it is shown. A profile that cannot be read leaves its agent with its id. */
export interface AgentNames {
  readonly nameOf: NameOf;
  readonly learn: (event: StoredEvent) => Effect.Effect<void>;
}

/** The names in a run, of those who have `tasks` from the beginning. */
export const make = Effect.fnUntraced(function* (runId: RunId, tasks: ReadonlyArray<TaskState>) {
  const payloads = yield* Payloads.make(runId);
  const names = new Map<InvocationId, string>();
  const name = Effect.fnUntraced(function* (child: InvocationId, id: string, profile: Payload) {
    if (names.has(child)) return;
    const read = payloads.read(profile).pipe(Effect.flatMap((text) => decode(text)));
    names.set(child, yield* Effect.match(read, { onFailure: () => id, onSuccess: ({ displayName }) => displayName }));
  });
  for (const { child, profile, targetProfileId } of tasks) yield* name(child, targetProfileId, profile);
  return {
    nameOf: (invocationId) => names.get(invocationId),
    learn: (stored) => {
      const event = trust(stored);
      if (!isKnown(event) || event.type !== "agent_task_registered") return Effect.void;
      const { childInvocationId, profile, targetProfileId } = event.payload;
      return name(childInvocationId, targetProfileId, profile);
    },
  } satisfies AgentNames;
});

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ displayName: Schema.String })));
