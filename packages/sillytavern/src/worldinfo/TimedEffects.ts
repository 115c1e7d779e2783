/**
 * Entries that stay, rest or wait: what a chat keeps of them between scans.
 *
 * Owns the state and its rules. `count` is everywhere the number of messages that are scanned.
 */
import { type JsonObject, isObject } from "../chat/internal/json.ts";
import * as fields from "../internal/fields.ts";
import * as LoreEntry from "./LoreEntry.ts";

/** In force while `start < count < end`; a protected one also where messages were taken away. */
export interface TimedEffect {
  readonly hash: number;
  readonly start: number;
  readonly end: number;
  readonly protected: boolean;
}

/** By `world.uid`, in the order in which they began, as `chat_metadata.timedWorldInfo` holds them. */
export interface TimedState {
  readonly sticky: Readonly<Record<string, TimedEffect>>;
  readonly cooldown: Readonly<Record<string, TimedEffect>>;
}

export const none: TimedState = { sticky: {}, cooldown: {} };

/** The state in a chat's metadata; what is not an effect is left out. */
export const fromMetadata = (metadata: JsonObject): TimedState => {
  const state = fields.object(metadata, "timedWorldInfo");
  return { sticky: effectsOf(fields.object(state, "sticky")), cooldown: effectsOf(fields.object(state, "cooldown")) };
};

/** What is in force in one scan, and the state without what is over. */
export interface Current {
  readonly state: TimedState;
  readonly isSticky: (entry: LoreEntry.LoreEntry) => boolean;
  readonly isCooling: (entry: LoreEntry.LoreEntry) => boolean;
  readonly isDelayed: (entry: LoreEntry.LoreEntry) => boolean;
}

type Entries = ReadonlyArray<LoreEntry.LoreEntry>;

/** A sticky effect that ends begins the entry's cooldown at once, which already counts. */
export const current = (state: TimedState, entries: Entries, count: number): Current => {
  const isDelayed = (entry: LoreEntry.LoreEntry): boolean => count < entry.delay;
  if (isEmpty(state.sticky) && isEmpty(state.cooldown)) {
    return { state: none, isSticky: () => false, isCooling: () => false, isDelayed };
  }
  const byKey = new Map(entries.map((entry) => [LoreEntry.keyOf(entry), entry]));
  const sticky = judge(state.sticky, byKey, count, "sticky");
  const begun = sticky.ended
    .filter((entry) => entry.cooldown > 0)
    .map((entry) => [LoreEntry.keyOf(entry), effect(entry, count, entry.cooldown, true)] as const);
  const cooldown = judge({ ...state.cooldown, ...Object.fromEntries(begun) }, byKey, count, "cooldown");
  return {
    state: { sticky: sticky.kept, cooldown: cooldown.kept },
    isSticky: (entry) => sticky.inForce.has(entry),
    isCooling: (entry) => cooldown.inForce.has(entry),
    isDelayed,
  };
};

/** The state after a scan: each activated entry's effects begin, unless they run already. */
export const after = (state: TimedState, activated: Entries, count: number): TimedState => ({
  sticky: begin(state.sticky, activated, count, "sticky"),
  cooldown: begin(state.cooldown, activated, count, "cooldown"),
});

type Effects = Readonly<Record<string, TimedEffect>>;

const judge = (
  effects: Effects,
  byKey: ReadonlyMap<string, LoreEntry.LoreEntry>,
  count: number,
  type: "sticky" | "cooldown",
) => {
  const kept = new Map<string, TimedEffect>();
  const inForce = new Set<LoreEntry.LoreEntry>();
  const ended: Array<LoreEntry.LoreEntry> = [];
  for (const [key, timed] of Object.entries(effects)) {
    if (count <= timed.start && !timed.protected) continue;
    const named = byKey.get(key);
    const entry = named !== undefined && LoreEntry.hashOf(named) === timed.hash ? named : undefined;
    if (entry !== undefined && entry[type] === 0) continue;
    if (count >= timed.end) {
      if (entry !== undefined) ended.push(entry);
      continue;
    }
    kept.set(key, timed);
    if (entry !== undefined) inForce.add(entry);
  }
  return { kept: Object.fromEntries(kept), inForce, ended };
};

const begin = (effects: Effects, activated: Entries, count: number, type: "sticky" | "cooldown"): Effects => {
  const begun = activated
    .filter((entry) => entry[type] > 0)
    .map((entry) => [LoreEntry.keyOf(entry), effect(entry, count, entry[type], false)] as const);
  return begun.length === 0 ? effects : { ...effects, ...Object.fromEntries(begun), ...effects };
};

const effect = (entry: LoreEntry.LoreEntry, count: number, length: number, isProtected: boolean): TimedEffect => ({
  hash: LoreEntry.hashOf(entry),
  start: count,
  end: count + length,
  protected: isProtected,
});

const effectsOf = (file: JsonObject): Effects =>
  Object.fromEntries(
    Object.entries(file).flatMap(([key, value]) =>
      isObject(value)
        ? [
            [
              key,
              {
                hash: fields.number(value, "hash", 0),
                start: fields.number(value, "start", 0),
                end: fields.number(value, "end", 0),
                protected: fields.flag(value, "protected"),
              },
            ],
          ]
        : [],
    ),
  );

const isEmpty = (effects: Effects): boolean => Object.keys(effects).length === 0;
