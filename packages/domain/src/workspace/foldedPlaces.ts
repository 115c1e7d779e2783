/**
 * Where a passage stands in a text when typography is not told apart.
 */
import * as Typography from "./Typography.ts";

/** UTF-16 offsets, the second exclusive. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Places that are looked for; more are not told apart. */
export const mostPlaces = 100;

/** Every place in `content` that folds to what `passage` folds to, ascending, overlapping ones too. */
export const placesOf = (content: string, passage: string): ReadonlyArray<Place> => {
  const wanted = Typography.fold(passage).text;
  const windows = windowsOf(content, passage);
  const found = new Map<number, Place>();
  for (const window of windows ?? [{ start: 0, end: content.length }]) {
    for (const place of placesWithin(content, window, wanted)) found.set(place.start, place);
    if (found.size > mostPlaces) break;
  }
  return [...found.values()].toSorted((one, other) => one.start - other.start);
};

const placesWithin = (content: string, window: Place, wanted: string): ReadonlyArray<Place> => {
  const folded = Typography.fold(content.slice(window.start, window.end));
  const places: Array<Place> = [];
  for (let at = folded.text.indexOf(wanted); at >= 0; at = folded.text.indexOf(wanted, at + 1)) {
    const from = Typography.sourceOffset(folded, at);
    const to = Typography.sourceOffset(folded, at + wanted.length);
    if (from === undefined || to === undefined) continue;
    const place = { start: window.start + from, end: window.start + to };
    // The edge of a window may cut a run of dashes or dots: a place that touches it is not a whole one.
    const isCut =
      (place.start === window.start && place.start > 0) || (place.end === window.end && place.end < content.length);
    if (!isCut) places.push(place);
    if (places.length > mostPlaces) break;
  }
  return places;
};

/**
 * The parts of a long text in which a passage can stand: around each occurrence of one of its runs of characters that
 * have no other spelling. Undefined when there is no such run, or when each stands so often that folding the whole text
 * is cheaper.
 */
const windowsOf = (content: string, passage: string): ReadonlyArray<Place> | undefined => {
  if (content.length < longText) return undefined;
  if (/[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/.test(content)) return undefined;
  const reach = passage.length * 4 + 64;
  let least: ReadonlyArray<Place> | undefined;
  for (const anchor of anchorsOf(passage).slice(0, mostAnchors)) {
    const windows = windowsAround(content, anchor, reach);
    if (windows === undefined || windows.length >= (least?.length ?? Number.POSITIVE_INFINITY)) continue;
    least = windows;
    if (least.length <= fewWindows) break;
  }
  return least;
};

/** So few places are quickly looked at: another run need not be tried. */
const fewWindows = 20;

/** Runs that are tried, longest first: the longest word is not always the rarest. */
const mostAnchors = 4;

const windowsAround = (content: string, anchor: string, reach: number): ReadonlyArray<Place> | undefined => {
  const windows: Array<Place> = [];
  for (let at = content.indexOf(anchor); at >= 0; at = content.indexOf(anchor, at + 1)) {
    windows.push({ start: Math.max(0, at - reach), end: Math.min(content.length, at + anchor.length + reach) });
    if (windows.length * reach > content.length) return undefined;
  }
  return windows;
};

const longText = 20_000;

const anchorsOf = (passage: string): ReadonlyArray<string> => {
  const runs = passage.matchAll(/[A-Za-z0-9]+|[^\p{P}\p{S}\p{Z}\p{C}\p{M}A-Za-z0-9]+/gu);
  return [...runs]
    .map((run) => withoutMarked(run[0], passage.slice(run.index + run[0].length)))
    .filter((run) => run !== "" && run === run.normalize("NFD") && !/[\uff10-\uff5a]/.test(run))
    .toSorted((one, other) => other.length - one.length);
};

/** A letter with a mark after it may stand as one composed character elsewhere, so it anchors nothing. */
const withoutMarked = (run: string, after: string): string =>
  /^\p{M}/u.test(after) ? [...run].slice(0, -1).join("") : run;
