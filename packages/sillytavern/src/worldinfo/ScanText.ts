/**
 * The text in which an entry's keys are looked up: messages, what stands beside the chat, and what the scan has found.
 *
 * Owns its make-up, and that entries which read the same share one haystack.
 */
import * as Haystack from "./Haystack.ts";
import type { LoreEntry, SourceName } from "./LoreEntry.ts";

/** `messages` newest first; `injected` are texts that other parts of the prompt put into every scan. */
export interface ScanTexts {
  readonly messages: ReadonlyArray<string>;
  readonly sources: Readonly<Partial<Record<SourceName, string>>>;
  readonly injected: ReadonlyArray<string>;
}

/** `depth` for entries without their own; `added` to it in passes for minimum activations; `found` the texts of recursion. */
export interface Reach {
  readonly depth: number;
  readonly found: ReadonlyArray<string>;
}

export interface ScanText {
  /** Begins a pass. */
  readonly reach: (reach: Reach) => void;
  /** The haystack of an entry in this pass. */
  readonly of: (entry: LoreEntry) => Haystack.Haystack;
}

export const make = (texts: ScanTexts): ScanText => {
  const messages = texts.messages.slice(0, maxDepth).map((message) => message.trim());
  const haystacks = new Map<string, Haystack.Haystack>();
  let reached: Reach = { depth: 0, found: [] };
  const compose = (depth: number, sources: ReadonlyArray<SourceName>): string => {
    if (depth <= 0) return "";
    const beside = sources.map((name) => texts.sources[name] ?? "").filter((text) => text !== "");
    return mark + [...messages.slice(0, depth), ...beside, ...texts.injected, ...reached.found].join(`\n${mark}`);
  };
  return {
    reach: (reach) => {
      reached = reach;
      haystacks.clear();
    },
    of: (entry) => {
      const depth = Math.min(entry.scanDepth ?? reached.depth, maxDepth);
      const key = entry.sources.length === 0 ? `${depth}` : `${depth} ${entry.sources.join(" ")}`;
      const known = haystacks.get(key);
      if (known !== undefined) return known;
      const made = Haystack.make(compose(depth, entry.sources));
      haystacks.set(key, made);
      return made;
    },
  };
};

/** Stands before each message, so that an expression can ask for a beginning. */
const mark = "\u0001";

const maxDepth = 1000;
