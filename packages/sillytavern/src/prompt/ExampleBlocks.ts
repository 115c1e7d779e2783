/**
 * A card's example dialogue, cut at its `<START>` lines.
 */

/** The blocks in order, trimmed. Text before the first `<START>`, which may be in any case, is a block too. */
export const exampleBlocks = (text: string): ReadonlyArray<string> => {
  const trimmed = text.trim();
  if (trimmed === "" || /^<START>$/i.test(trimmed)) return [];
  const parts = trimmed.split(/<START>/i);
  return (/^<START>/i.test(trimmed) ? parts.slice(1) : parts).map((part) => part.trim());
};
