/**
 * What a chat is to keep for its next prompt, as SillyTavern's `chat_metadata` holds it.
 */
import type * as Schema from "effect/Schema";
import type { ChatMetadata } from "../material/ChatRecord.ts";
import type { TimedState } from "../worldinfo/TimedEffects.ts";
import type { Assembled } from "./AssemblyInput.ts";

/**
 * `timedWorldInfo` and `variables`, each whole and only where it is no longer what `metadata` says; null where nothing is.
 * Variables that no macro can have changed are in it as they were.
 */
export const chatStateOf = (
  { timed, variables }: Pick<Assembled, "timed" | "variables">,
  metadata: ChatMetadata,
): Readonly<Record<string, Schema.Json>> | null => {
  const local = Object.fromEntries(variables);
  const state = {
    ...(isSame(timed, metadata.timed)
      ? {}
      : { timedWorldInfo: { sticky: effects(timed.sticky), cooldown: effects(timed.cooldown) } }),
    ...(isSame(local, Object.fromEntries(metadata.variables))
      ? {}
      : { variables: { ...metadata.otherVariables, ...local } }),
  };
  return Object.keys(state).length === 0 ? null : state;
};

const effects = (timed: TimedState[keyof TimedState]): Readonly<Record<string, Schema.Json>> =>
  Object.fromEntries(Object.entries(timed).map(([key, effect]) => [key, { ...effect }]));

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
