/**
 * The parts that cases are made of: a preset, a card, a lorebook entry, chats and settings, all of our own writing.
 *
 * Owns the values that a case does not change. Each function takes what differs.
 */

/** The keeper's card in version 2. `data` replaces fields of the card's data. */
export const card = (data = {}) => ({ spec: "chara_card_v2", spec_version: "2.0", data: { ...cardData, ...data } });

/** The same card in version 3. */
export const cardV3 = (data = {}) => ({ spec: "chara_card_v3", spec_version: "3.0", data: { ...cardData, ...data } });

/** A chat-completion preset. `order` is a list of identifiers, `-` before a disabled one; `prompts` are added. */
export const preset = ({ order = defaultOrder, prompts = [], ...values } = {}) => ({
  temperature: 1,
  openai_max_context: 4095,
  openai_max_tokens: 300,
  names_behavior: 0,
  send_if_empty: "",
  impersonation_prompt: "",
  new_chat_prompt: "[The scene opens.]",
  new_group_chat_prompt: "[The scene opens with {{group}}.]",
  new_example_chat_prompt: "[A sample of the voices.]",
  continue_nudge_prompt: "[Go on from: {{lastChatMessage}}]",
  wi_format: "{0}",
  scenario_format: "{{scenario}}",
  personality_format: "{{personality}}",
  group_nudge_prompt: "[Only {{char}} speaks now.]",
  stream_openai: false,
  prompts: [...ownPrompts.filter(({ identifier }) => !prompts.some(hasIdentifier(identifier))), ...prompts],
  prompt_order: [{ character_id: 100001, order: order.map(orderEntry) }],
  assistant_prefill: "",
  assistant_impersonation: "",
  use_sysprompt: false,
  squash_system_messages: false,
  media_inlining: true,
  continue_prefill: false,
  continue_postfix: " ",
  function_calling: false,
  show_thoughts: true,
  seed: -1,
  n: 1,
  ...values,
});

/** A prompt that a user added, in its place in the order. */
export const relative = (identifier, role, content, values = {}) => ({
  identifier,
  name: identifier,
  system_prompt: false,
  role,
  content,
  injection_position: 0,
  injection_depth: 4,
  injection_order: 100,
  injection_trigger: [],
  forbid_overrides: false,
  ...values,
});

/** A prompt that a user added, at a depth of the chat. */
export const absolute = (identifier, role, content, depth, order = 100, values = {}) =>
  relative(identifier, role, content, {
    injection_position: 1,
    injection_depth: depth,
    injection_order: order,
    ...values,
  });

/** The order of blocks of a new installation. */
export const defaultOrder = [
  "main",
  "worldInfoBefore",
  "personaDescription",
  "charDescription",
  "charPersonality",
  "scenario",
  "-enhanceDefinitions",
  "nsfw",
  "worldInfoAfter",
  "dialogueExamples",
  "chatHistory",
  "jailbreak",
];

/** A lorebook of entries, each a pair of content and values. The place in the list is the uid. */
export const lorebook = (entries) => ({
  entries: Object.fromEntries(entries.map(([content, values], uid) => [uid, entry(uid, { content, ...values })])),
});

/** The values of a new entry. */
export const entryDefaults = {
  key: [],
  keysecondary: [],
  comment: "",
  content: "",
  constant: false,
  vectorized: false,
  selective: true,
  selectiveLogic: 0,
  addMemo: false,
  order: 100,
  position: 0,
  disable: false,
  ignoreBudget: false,
  excludeRecursion: false,
  preventRecursion: false,
  matchPersonaDescription: false,
  matchCharacterDescription: false,
  matchCharacterPersonality: false,
  matchCharacterDepthPrompt: false,
  matchScenario: false,
  matchCreatorNotes: false,
  delayUntilRecursion: 0,
  probability: 100,
  useProbability: true,
  depth: 4,
  outletName: "",
  group: "",
  groupOverride: false,
  groupWeight: 100,
  scanDepth: null,
  caseSensitive: null,
  matchWholeWords: null,
  useGroupScoring: null,
  automationId: "",
  role: 0,
  sticky: null,
  cooldown: null,
  delay: null,
  triggers: [],
};

/** An entry as the editor of lorebooks writes it. */
export const entry = (uid, values) => ({
  uid,
  ...entryDefaults,
  ...values,
  comment: values.comment ?? `entry ${uid}`,
  displayIndex: uid,
  characterFilter: values.characterFilter ?? { isExclude: false, names: [], tags: [] },
});

/** A chat: lines that begin with `>` are the user's, others the character's; an object is a message with its values. */
export const chat = (lines, metadata = {}, names = {}) => [
  { chat_metadata: { ...noteMetadata, ...metadata }, user_name: "unused", character_name: "unused" },
  ...lines.map((line, index) => message(line, index, { user: "Tomas", character: "Ilse", ...names })),
];

/** The settings of a user, in the shape of SillyTavern's settings file. */
export const settings = ({ persona = {}, worldInfo = {}, powerUser = {}, note = {}, username = "Tomas" } = {}) => ({
  username,
  user_avatar: "tomas.png",
  world_info_settings: { ...worldInfoSettings, ...worldInfo },
  power_user: {
    collapse_newlines: false,
    pin_examples: false,
    strip_examples: false,
    prefer_character_prompt: true,
    prefer_character_jailbreak: true,
    personas: { "tomas.png": username },
    default_persona: "tomas.png",
    persona_descriptions: {
      "tomas.png": { description: personaText, position: 0, depth: 2, role: 0, lorebook: "", ...persona },
    },
    ...powerUser,
  },
  extension_settings: { note: { default: "", chara: [], wiAddition: [], allowWIScan: false, ...note } },
});

/** The world-info settings of a case that changes none. */
export const worldInfoSettings = {
  world_info: { globalSelect: [] },
  world_info_depth: 2,
  world_info_min_activations: 0,
  world_info_min_activations_depth_max: 0,
  world_info_budget: 25,
  world_info_include_names: true,
  world_info_recursive: true,
  world_info_overflow_alert: false,
  world_info_case_sensitive: false,
  world_info_match_whole_words: true,
  world_info_character_strategy: 1,
  world_info_budget_cap: 0,
  world_info_use_group_scoring: false,
  world_info_max_recursion_steps: 0,
};

/** The settings with one book that is on everywhere. */
export const withBook = (book, worldInfo = {}, values = {}) =>
  settings({ ...values, worldInfo: { world_info: { globalSelect: [book] }, ...worldInfo } });

/** Dates of messages: an hour after another, so that nothing depends on when a capture runs. */
const dateOf = (index) => new Date(Date.UTC(2026, 0, 5, 8 + index)).toISOString();

const message = (line, index, { user, character }) => {
  const values = typeof line === "string" ? { mes: line } : line;
  const isUser = values.mes.startsWith("> ");
  return {
    name: isUser ? user : character,
    is_user: isUser,
    is_system: false,
    send_date: dateOf(index),
    extra: {},
    ...values,
    mes: isUser ? values.mes.slice(2) : values.mes,
    ...(isUser ? { force_avatar: `/thumbnail?type=persona&file=tomas.png` } : {}),
  };
};

const orderEntry = (name) => ({ identifier: name.replace(/^-/, ""), enabled: !name.startsWith("-") });

const hasIdentifier = (identifier) => (prompt) => prompt.identifier === identifier;

const marker = (identifier, name) => ({ identifier, name, system_prompt: true, marker: true });

const system = (identifier, name, content) => ({ identifier, name, system_prompt: true, role: "system", content });

const ownPrompts = [
  system("main", "Main", "Write the part of {{char}} in a story told together with {{user}}."),
  system("nsfw", "Auxiliary", "Keep the tone quiet and exact."),
  system("jailbreak", "After the history", "Answer in two short paragraphs, in the past tense."),
  { ...system("enhanceDefinitions", "Enhance", "Add small true details about {{char}}."), marker: false },
  marker("dialogueExamples", "Examples"),
  marker("chatHistory", "History"),
  marker("worldInfoAfter", "Lore after"),
  marker("worldInfoBefore", "Lore before"),
  marker("charDescription", "Description"),
  marker("charPersonality", "Personality"),
  marker("scenario", "Scenario"),
  marker("personaDescription", "Persona"),
];

const personaText = "{{user}} repairs clocks and carries a brass loupe.";

const cardData = {
  name: "Ilse",
  description: "{{char}} keeps the lighthouse of Brannoch. She is sixty, tall, and deaf in one ear.",
  personality: "patient, dry, fond of numbers",
  scenario: "A storm has cut {{user}} off in {{char}}'s lighthouse.",
  first_mes: "The door shut behind {{user}}. “Mind the third step,” said Ilse.",
  mes_example:
    "<START>\n{{user}}: How far does the light carry?\n{{char}}: Nineteen miles. Twenty, if you ask a fool.\n<START>\n{{user}}: Are you lonely?\n{{char}}: I have the tide tables.\nThey never argue.",
  creator_notes: "Made for the capture of prompts.",
  system_prompt: "",
  post_history_instructions: "",
  alternate_greetings: [],
  tags: ["lighthouse"],
  creator: "Cahier",
  character_version: "1.0",
  extensions: { talkativeness: "0.5", fav: false, world: "", depth_prompt: { prompt: "", depth: 4, role: "system" } },
};

const noteMetadata = { note_prompt: "", note_interval: 1, note_position: 1, note_depth: 4, note_role: 0 };
