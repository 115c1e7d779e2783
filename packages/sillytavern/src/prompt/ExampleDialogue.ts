/**
 * Example dialogue as messages.
 *
 * Owns how the card's and the lore's blocks come together, and how a block is cut into messages.
 */
import { exampleBlocks } from "./ExampleBlocks.ts";

export interface ExampleLine {
  readonly name: "example_user" | "example_assistant";
  readonly content: string;
}

export interface Speakers {
  readonly user: string;
  readonly character: string;
}

/** The card's blocks with each lore text's before or behind what is there, in the order of the texts. */
export const gathered = (
  card: string,
  lore: ReadonlyArray<{ readonly isAfter: boolean; readonly content: string }>,
): ReadonlyArray<string> => {
  const blocks = Map.groupBy(lore, ({ isAfter }) => isAfter);
  const before = (blocks.get(false) ?? []).toReversed().flatMap(({ content }) => exampleBlocks(content));
  const after = (blocks.get(true) ?? []).flatMap(({ content }) => exampleBlocks(content));
  return [...before, ...exampleBlocks(card), ...after];
};

/**
 * The messages of a block: a line that begins with a speaker's name and a colon begins one. The name is taken out once; text
 * before the first speaker belongs to the first message. A block of prose alone has none.
 */
export const lines = (block: string, speakers: Speakers): ReadonlyArray<ExampleLine> => {
  const found: Array<{ readonly name: ExampleLine["name"]; readonly speaker: string; readonly texts: Array<string> }> =
    [];
  const before: Array<string> = [];
  for (const text of block.split("\n")) {
    const speaker = [speakers.user, speakers.character].find((name) => text.startsWith(`${name}:`));
    if (speaker !== undefined) {
      const name = speaker === speakers.user ? "example_user" : "example_assistant";
      found.push({ name, speaker, texts: found.length === 0 ? [...before, text] : [text] });
      continue;
    }
    (found.at(-1)?.texts ?? before).push(text);
  }
  return found.map(({ name, speaker, texts }) => ({
    name,
    content: texts.join("\n").replace(`${speaker}:`, "").trim(),
  }));
};
