/**
 * All of a card that a prompt is made of, beside the port's `Character`.
 */
import type { JsonObject } from "../chat/internal/json.ts";
import * as fields from "../internal/fields.ts";

/** Empty texts where a card has none. `world` names the lorebook that is linked to the character. */
export interface CardSheet {
  readonly name: string;
  readonly description: string;
  readonly personality: string;
  readonly scenario: string;
  readonly firstMessage: string;
  readonly exampleMessages: string;
  readonly systemPrompt: string;
  readonly postHistoryInstructions: string;
  readonly creatorNotes: string;
  readonly version: string;
  readonly depthPrompt: {
    readonly text: string;
    readonly depth: number;
    readonly role: "system" | "user" | "assistant";
  };
  readonly world: string;
  readonly tags: ReadonlyArray<string>;
  /** The book inside the card as its file has it; it counts only after it was made a lorebook of its own. */
  readonly book: unknown;
}

/** Of a card's object: version 1, or the `data` of versions 2 and 3. */
export const fromData = (data: JsonObject): CardSheet => {
  const extensions = fields.object(data, "extensions");
  const depthPrompt = fields.object(extensions, "depth_prompt");
  return {
    name: fields.text(data, "name"),
    description: fields.text(data, "description"),
    personality: fields.text(data, "personality"),
    scenario: fields.text(data, "scenario"),
    firstMessage: fields.text(data, "first_mes"),
    exampleMessages: fields.text(data, "mes_example"),
    systemPrompt: fields.text(data, "system_prompt"),
    postHistoryInstructions: fields.text(data, "post_history_instructions"),
    creatorNotes: fields.text(data, "creator_notes") || fields.text(data, "creatorcomment"),
    version: fields.text(data, "character_version"),
    depthPrompt: {
      text: fields.text(depthPrompt, "prompt"),
      depth: fields.number(depthPrompt, "depth", 4),
      role: fields.role(depthPrompt, "role"),
    },
    world: fields.text(extensions, "world"),
    tags: fields.texts(data, "tags"),
    book: data["character_book"],
  };
};
