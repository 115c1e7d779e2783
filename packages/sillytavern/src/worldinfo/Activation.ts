/**
 * Where the texts of activated entries go.
 */
import type { Activated } from "./Scan.ts";
import { place } from "./LoreEntry.ts";

/** All lists in the order of the prompt. `examples` are texts of example dialogue that are still to be cut into messages. */
export interface Placed {
  readonly before: string;
  readonly after: string;
  readonly noteTop: ReadonlyArray<string>;
  readonly noteBottom: ReadonlyArray<string>;
  readonly examples: ReadonlyArray<{ readonly isAfter: boolean; readonly content: string }>;
  readonly depths: ReadonlyArray<{
    readonly depth: number;
    readonly role: "system" | "user" | "assistant";
    readonly contents: ReadonlyArray<string>;
  }>;
  readonly outlets: ReadonlyMap<string, ReadonlyArray<string>>;
}

/**
 * By ascending order, and of equal order the later activated first; outlets alone have the highest order first. Empty
 * contents are left out, and so are outlets without a name.
 */
export const placed = (activated: ReadonlyArray<Activated>): Placed => {
  const falling = activated
    .toSorted((left, right) => right.entry.order - left.entry.order)
    .filter(({ content }) => content !== "");
  const rising = falling.toReversed();
  const at = (position: number): ReadonlyArray<string> =>
    rising.filter(({ entry }) => entry.position === position).map(({ content }) => content);
  return {
    before: at(place.before).join("\n"),
    after: at(place.after).join("\n"),
    noteTop: at(place.noteTop),
    noteBottom: at(place.noteBottom),
    examples: rising
      .filter(({ entry }) => entry.position === place.examplesTop || entry.position === place.examplesBottom)
      .map(({ content, entry }) => ({ isAfter: entry.position === place.examplesBottom, content })),
    depths: depthsOf(falling),
    outlets: outletsOf(falling),
  };
};

/** One list for each depth and role, in the order in which the first of each comes by falling order. */
const depthsOf = (falling: ReadonlyArray<Activated>): Placed["depths"] => {
  const found = Map.groupBy(
    falling.filter(({ entry }) => entry.position === place.atDepth),
    ({ entry }) => `${entry.depth} ${entry.role}`,
  );
  return [...found.values()].flatMap((group) => {
    const first = group[0]?.entry;
    if (first === undefined) return [];
    return [{ depth: first.depth, role: first.role, contents: group.map(({ content }) => content).toReversed() }];
  });
};

const outletsOf = (falling: ReadonlyArray<Activated>): Placed["outlets"] =>
  new Map(
    Array.from(
      Map.groupBy(
        falling.filter(({ entry }) => entry.position === place.outlet && entry.outletName !== ""),
        ({ entry }) => entry.outletName,
      ),
      ([name, group]) => [name, group.map(({ content }) => content)] as const,
    ),
  );
