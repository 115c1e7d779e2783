/**
 * The texts of a prompt before they have a place: card fields, note, persona, activated lore.
 *
 * Owns the order in which macros of these are replaced, and the scan. Does not own where the texts go.
 */
import * as MacroEngine from "../macros/MacroEngine.ts";
import type { MacroScene, SceneCard, SceneMessage } from "../macros/MacroScene.ts";
import type { ChatLine } from "../material/ChatRecord.ts";
import { personaPlace } from "../material/UserSettings.ts";
import * as Activation from "../worldinfo/Activation.ts";
import * as LinkedBooks from "../worldinfo/LinkedBooks.ts";
import * as Scan from "../worldinfo/Scan.ts";
import * as WorldInfoSettings from "../worldinfo/WorldInfoSettings.ts";
import type { AssemblyInput } from "./AssemblyInput.ts";
import * as AuthorsNote from "./AuthorsNote.ts";

/** `lines` are the messages that are sent, oldest first, with their place in the chat. */
export interface Gathered {
  readonly scene: MacroScene;
  readonly expand: (text: string, original?: string) => string;
  readonly lines: ReadonlyArray<{ readonly index: number; readonly line: ChatLine }>;
  readonly scan: Scan.ScanResult;
  readonly placed: Activation.Placed;
  /** With lore and persona around it; its macros are still there. */
  readonly note: string;
}

export const gather = (input: AssemblyInput): Gathered => {
  const opening = sceneOf(input);
  const chat = input.chat.map((line, index) =>
    index === 0 ? { ...line, text: MacroEngine.expand(line.text, opening) } : line,
  );
  const before: MacroScene = { ...opening, card: expandedCard(opening), messages: chat.map(messageOf) };
  const note = AuthorsNote.text(input);
  const lines = chat.map((line, index) => ({ index, line })).filter(({ line }) => !line.isSystem);
  const scan = scanned(input, before, note, lines);
  const placed = Activation.placed(input.includesWorldInfo ? scan.activated : []);
  const scene: MacroScene = { ...before, outlets: placed.outlets, authorsNote: note };
  return {
    scene,
    expand: (text, original) => MacroEngine.expand(text, scene, original),
    lines,
    scan,
    placed,
    note: AuthorsNote.surrounded(input, note, placed, input.settings.persona.description.trim()),
  };
};

const scanned = (input: AssemblyInput, scene: MacroScene, note: string, lines: Gathered["lines"]): Scan.ScanResult => {
  const { card, lorebooks, metadata, preset, settings } = input;
  const expand = (text: string): string => MacroEngine.expand(text, scene);
  const injected = [
    settings.notesAreScanned ? note : "",
    settings.notesAreScanned ? card.depthPrompt.text : "",
    input.scansPersonaAtDepth && settings.persona.position === personaPlace.atDepth ? settings.persona.description : "",
  ];
  return Scan.scan({
    entries: LinkedBooks.sorted(
      {
        everywhere: settings.everywhere,
        character: [card.world, ...(settings.characterBooks.get(input.cardFileName) ?? [])],
        chat: metadata.worldInfo,
        persona: settings.persona.lorebook,
      },
      (name) => lorebooks.get(name)?.entries ?? [],
      settings.worldInfo.characterStrategy,
    ),
    settings: settings.worldInfo,
    budget: WorldInfoSettings.budgetOf(settings.worldInfo, preset.context - preset.response),
    generationType: input.generationType,
    character: { fileName: input.cardFileName, tags: input.tags },
    timed: metadata.timed,
    counter: input.counter,
    expand,
    random: input.random,
    messages: lines
      .map(({ line }) => (settings.worldInfo.includesNames ? `${line.name}: ${line.text}` : line.text))
      .toReversed(),
    sources: {
      personaDescription: scene.card.persona,
      characterDescription: scene.card.description,
      characterPersonality: scene.card.personality,
      characterDepthPrompt: scene.card.depthPrompt,
      scenario: scene.card.scenario,
      creatorNotes: scene.card.creatorNotes,
    },
    injected: injected.map((text) => expand(text.trim())).filter((text) => text !== ""),
  });
};

/** The scene in which the card's own macros are replaced: its texts are those of the files. */
const sceneOf = (input: AssemblyInput): MacroScene => {
  const { card, metadata, preset, settings } = input;
  return {
    user: settings.persona.name,
    character: card.name,
    group: input.group.length === 0 ? [card.name] : input.group,
    card: {
      description: card.description,
      personality: card.personality,
      scenario: metadata.scenario || card.scenario,
      persona: settings.persona.description,
      exampleMessages: metadata.exampleMessages || card.exampleMessages,
      systemPrompt: settings.prefersCharacterPrompt ? metadata.systemPrompt || card.systemPrompt : "",
      postHistoryInstructions: settings.prefersCharacterInstructions ? card.postHistoryInstructions : "",
      depthPrompt: card.depthPrompt.text,
      creatorNotes: card.creatorNotes,
      version: card.version,
      firstMessage: card.firstMessage,
    },
    messages: input.chat.map(messageOf),
    context: preset.context,
    response: preset.response,
    model: input.model,
    generationType: input.generationType,
    outlets: new Map(),
    authorsNote: "",
    variables: { local: new Map(metadata.variables), global: new Map(input.globalVariables) },
    now: input.now,
    zoneMinutes: input.zoneMinutes,
    random: input.random,
    seed: input.seed,
  };
};

const expandedCard = (scene: MacroScene): SceneCard => {
  const field = (name: keyof SceneCard): string =>
    MacroEngine.expand(scene.card[name].trim(), scene).replaceAll("\r", "");
  return {
    description: field("description"),
    personality: field("personality"),
    scenario: field("scenario"),
    persona: field("persona"),
    exampleMessages: field("exampleMessages"),
    systemPrompt: field("systemPrompt"),
    postHistoryInstructions: field("postHistoryInstructions"),
    depthPrompt: field("depthPrompt"),
    creatorNotes: field("creatorNotes"),
    version: field("version"),
    firstMessage: field("firstMessage"),
  };
};

const messageOf = ({ isSystem, isUser, sentAt, swipe, swipes, text }: ChatLine): SceneMessage => ({
  text,
  isUser,
  isSystem,
  swipes,
  swipe,
  sentAt,
});
