/**
 * Macros that tell of the names, the card, the chat and the request.
 */
import { exampleBlocks } from "../prompt/ExampleBlocks.ts";
import { type MacroDefinition, type MacroTable, value } from "./MacroDefinition.ts";
import type { MacroScene, SceneMessage } from "./MacroScene.ts";

const group = value((scene) => scene.group.join(", "));
const depthPrompt = value(({ card }) => card.depthPrompt);
const creatorNotes = value(({ card }) => card.creatorNotes);
const version = value(({ card }) => card.version);
const instruction = value(({ card }) => card.postHistoryInstructions);
const description = value(({ card }) => card.description);
const personality = value(({ card }) => card.personality);
const scenario = value(({ card }) => card.scenario);
const firstMessage = value(({ card }) => card.firstMessage);

export const table: MacroTable = {
  user: value((scene) => scene.user),
  char: value((scene) => scene.character),
  group,
  charifnotgroup: group,
  groupnotmuted: group,
  notchar: value((scene) => [scene.user, ...scene.group.filter((name) => name !== scene.character)].join(", ")),
  description,
  chardescription: description,
  personality,
  charpersonality: personality,
  scenario,
  charscenario: scenario,
  persona: value(({ card }) => card.persona),
  mesexamplesraw: value(({ card }) => card.exampleMessages),
  mesexamples: value(({ card }) =>
    exampleBlocks(card.exampleMessages)
      .map((block) => `<START>\n${block}\n`)
      .join(""),
  ),
  charprompt: value(({ card }) => card.systemPrompt),
  charinstruction: instruction,
  charjailbreak: instruction,
  chardepthprompt: depthPrompt,
  creatornotes: creatorNotes,
  charcreatornotes: creatorNotes,
  charversion: version,
  version,
  char_version: version,
  charfirstmessage: firstMessage,
  greeting: firstMessage,
  authorsnote: value((scene) => scene.authorsNote),
  maxprompt: value((scene) => `${scene.context - scene.response}`),
  maxcontext: value((scene) => `${scene.context}`),
  maxresponse: value((scene) => `${scene.response}`),
  model: value((scene) => scene.model),
  lastgenerationtype: value((scene) => scene.generationType),
  input: value(() => ""),
  ismobile: value(() => "false"),
  lastmessage: last(() => true),
  lastusermessage: last((message) => message.isUser && !message.isSystem),
  lastcharmessage: last((message) => !message.isUser && !message.isSystem),
  lastmessageid: value((scene) => (scene.messages.length === 0 ? "" : `${scene.messages.length - 1}`)),
  allchatrange: value((scene) => (scene.messages.length === 0 ? "" : `0-${scene.messages.length - 1}`)),
  lastswipeid: value((scene) => numberOf(lastOf(scene)?.swipes)),
  currentswipeid: value((scene) => numberOf(lastOf(scene)?.swipe)),
};

function last(isMeant: (message: SceneMessage) => boolean): MacroDefinition {
  return value((scene) => scene.messages.findLast(isMeant)?.text ?? "");
}

const lastOf = (scene: MacroScene): SceneMessage | undefined => scene.messages.at(-1);

const numberOf = (number: number | null | undefined): string => (typeof number === "number" ? `${number}` : "");
