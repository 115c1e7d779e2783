/**
 * A card's example dialogue.
 */

/** The blocks between `<START>` marks, in any case; blank ones are left out. */
export const blocks = (text: string): ReadonlyArray<string> =>
  text
    .split(/<START>/i)
    .map((block) => block.trim())
    .filter((block) => block !== "");
