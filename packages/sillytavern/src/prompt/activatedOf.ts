/**
 * The world info that an assembly found active, in the runtime's own words.
 */
import type { ActivatedWorldInfo, WorldInfoPosition } from "@cahier/domain/worldinfo/ActivatedWorldInfo";
import { place } from "../worldinfo/LoreEntry.ts";
import type { Activated } from "../worldinfo/Scan.ts";

/** In the order of activation; an entry without a title is called by its first key. `now` in milliseconds since 1970. */
export const activatedOf = (
  activated: ReadonlyArray<Activated>,
  { generationType, now }: { readonly generationType: string; readonly now: number },
): ActivatedWorldInfo => ({
  timestampMs: now,
  trigger: generationType,
  entries: activated.map(({ content, entry }) => ({
    world: entry.world,
    uid: Number.isInteger(entry.uid) ? entry.uid : `${entry.uid}`,
    displayName: entry.comment || (entry.keys[0] ?? ""),
    constant: entry.constant,
    position: positions.get(entry.position) ?? "before",
    content,
  })),
});

const positions: ReadonlyMap<number, WorldInfoPosition> = new Map([
  [place.before, "before"],
  [place.after, "after"],
  [place.noteTop, "an_top"],
  [place.noteBottom, "an_bottom"],
  [place.atDepth, "depth"],
  [place.examplesTop, "em_top"],
  [place.examplesBottom, "em_bottom"],
  [place.outlet, "outlet"],
]);
