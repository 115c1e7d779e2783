/**
 * Cases of lorebooks: positions, logic, recursion, groups, time, budgets, sources.
 */
import * as material from "./material.mjs";

const talk = [
  "The door shut behind {{user}}. “Mind the third step,” said Ilse.",
  "> Who built this tower?",
  "“My grandfather, with stone from the quarry at Holm.” She lit the stove.",
  "> And the bell? I heard a bell in the fog.",
];

const plain = { card: material.card({ mes_example: "" }), preset: material.preset() };

const lore = (name, entries, { worldInfo = {}, chat = material.chat(talk), values = {}, ...rest } = {}) => ({
  ...plain,
  name,
  books: { Brannoch: material.lorebook(entries) },
  settings: material.withBook("Brannoch", worldInfo, values),
  chat,
  ...rest,
});

const everywhere = [
  ["Before the character, order 100.", { key: ["bell"], position: 0, order: 100 }],
  ["Before the character, order 50.", { key: ["bell"], position: 0, order: 50 }],
  ["Before the character, order 100 too.", { key: ["fog"], position: 0, order: 100 }],
  ["After the character, order 10.", { key: ["bell"], position: 1, order: 10 }],
  ["After the character, order 20.", { key: ["bell"], position: 1, order: 20 }],
  ["Top of the note, order 1.", { key: ["bell"], position: 2, order: 1 }],
  ["Top of the note, order 2.", { key: ["bell"], position: 2, order: 2 }],
  ["Bottom of the note.", { key: ["bell"], position: 3 }],
  ["Depth 0, system, order 5.", { key: ["bell"], position: 4, depth: 0, role: 0, order: 5 }],
  ["Depth 0, system, order 6.", { key: ["bell"], position: 4, depth: 0, role: 0, order: 6 }],
  ["Depth 0, user.", { key: ["bell"], position: 4, depth: 0, role: 1 }],
  ["Depth 0, assistant.", { key: ["bell"], position: 4, depth: 0, role: 2 }],
  ["Depth 2, user.", { key: ["bell"], position: 4, depth: 2, role: 1 }],
  ["Depth 1, system.", { key: ["bell"], position: 4, depth: 1, role: 0 }],
  ["Depth 30, assistant.", { key: ["bell"], position: 4, depth: 30, role: 2 }],
  ["{{user}}: Is the bell old?\n{{char}}: Older than the tower.", { key: ["bell"], position: 5, order: 7 }],
  ["<START>\n{{user}}: Who rings it?\n{{char}}: The tide does.", { key: ["bell"], position: 5, order: 8 }],
  ["{{user}}: Good night.\n{{char}}: Good watch.", { key: ["bell"], position: 6 }],
  ["Outlet, order 100.", { key: ["bell"], position: 7, outletName: "bells", order: 100 }],
  ["Outlet, order 200.", { key: ["bell"], position: 7, outletName: "bells", order: 200 }],
  ["An outlet that nobody reads.", { key: ["bell"], position: 7, outletName: "unread" }],
  ["An outlet without a name.", { key: ["bell"], position: 7 }],
  ["", { key: ["bell"], position: 0, comment: "no content" }],
  ["Switched off.", { key: ["bell"], position: 0, disable: true }],
  ["Never by chance.", { key: ["bell"], position: 0, probability: 0 }],
  ["Chance is off.", { key: ["bell"], position: 1, probability: 0, useProbability: false }],
];

const logic = [
  ["AND ANY, met.", { key: ["bell"], keysecondary: ["fog", "ice"], selectiveLogic: 0 }],
  ["AND ANY, not met.", { key: ["bell"], keysecondary: ["snow", "ice"], selectiveLogic: 0 }],
  ["NOT ALL, met.", { key: ["bell"], keysecondary: ["fog", "ice"], selectiveLogic: 1 }],
  ["NOT ALL, not met.", { key: ["bell"], keysecondary: ["fog", "heard"], selectiveLogic: 1 }],
  ["NOT ANY, met.", { key: ["bell"], keysecondary: ["snow", "ice"], selectiveLogic: 2 }],
  ["NOT ANY, not met.", { key: ["bell"], keysecondary: ["fog", "ice"], selectiveLogic: 2 }],
  ["AND ALL, met.", { key: ["bell"], keysecondary: ["fog", "heard"], selectiveLogic: 3 }],
  ["AND ALL, not met.", { key: ["bell"], keysecondary: ["fog", "ice"], selectiveLogic: 3 }],
  ["Not selective: the second keys do not count.", { key: ["bell"], keysecondary: ["ice"], selective: false }],
  ["A regular expression.", { key: ["/b[eu]ll\\b/i"] }],
  ["A regular expression of the user's line.", { key: ["/\\x01Tomas: And/"] }],
  ["A regular expression with a slash that is not escaped.", { key: ["/a/b/"] }],
  ["A broken regular expression.", { key: ["/b(ell/"] }],
  ["Case counts here.", { key: ["Bell"], caseSensitive: true }],
  ["Case does not count here.", { key: ["BELL"], caseSensitive: false }],
  ["A part of a word, whole words.", { key: ["bel"], matchWholeWords: true }],
  ["A part of a word, parts allowed.", { key: ["bel"], matchWholeWords: false }],
  ["Two words are looked up as they are.", { key: ["a bel"], matchWholeWords: true }],
  ["Only three messages back.", { key: ["tower"], scanDepth: 3 }],
  ["Not two messages back.", { key: ["tower"], scanDepth: 2 }],
  ["Scan depth 0 sees nothing.", { key: ["bell"], scanDepth: 0 }],
  ["A name of a speaker.", { key: ["Tomas"] }],
  ["A macro as key.", { key: ["{{user}}"] }],
  ["Spaces around a key.", { key: [" fog "] }],
  ["An empty key.", { key: [""] }],
  ["No key.", { key: [] }],
];

const recursion = [
  ["The bell hangs in the belfry.", { key: ["bell"], order: 10 }],
  ["The belfry has a ladder.", { key: ["belfry"], order: 20 }],
  ["The ladder was made by Orm.", { key: ["ladder"], order: 30, preventRecursion: true }],
  ["Orm was a cooper.", { key: ["Orm"], order: 40 }],
  ["Belfries are cold.", { key: ["belfry"], order: 50, excludeRecursion: true }],
  ["Only by recursion: bells are bronze.", { key: ["bell"], order: 60, delayUntilRecursion: true }],
  ["Second level: bronze is copper and tin.", { key: ["bronze"], order: 70, delayUntilRecursion: 2 }],
  ["Third level: tin comes from Holm.", { key: ["tin"], order: 80, delayUntilRecursion: 3 }],
  ["Always, and it says anchor.", { constant: true, order: 90 }],
  ["The anchor lies in the yard.", { key: ["anchor"], order: 100 }],
];

const group = (name, values = {}) => ({ key: ["bell"], group: name, ...values });

const groups = [
  ["Override, order 10.", group("choir", { groupOverride: true, order: 10 })],
  ["Override, order 20.", group("choir", { groupOverride: true, order: 20 })],
  ["No override, order 30.", group("choir", { order: 30 })],
  ["All the weight.", group("weights", { groupWeight: 100 })],
  ["No weight.", group("weights", { groupWeight: 0, order: 90 })],
  ["Two keys found.", group("scored", { key: ["bell", "fog"], useGroupScoring: true })],
  ["One key found.", group("scored", { key: ["bell", "ice"], useGroupScoring: true })],
  [
    "One key and a second one found.",
    group("scored", { keysecondary: ["ice"], selectiveLogic: 2, useGroupScoring: true }),
  ],
  ["Alone in its group.", group("alone")],
  ["In two groups.", group("choir, second", { order: 5 })],
  ["Second group, override.", group("second", { groupOverride: true })],
];

const sentence = "The harbour master writes every ship, cargo and captain into a long green book. ";

const costly = (count, values = {}) => ({ key: ["bell"], order: 100 - count, ...values });

const budget = [
  [`One. ${sentence.repeat(2)}`, costly(1)],
  [`Two, always. ${sentence.repeat(2)}`, costly(2, { constant: true })],
  [`Three. ${sentence.repeat(4)}`, costly(3)],
  ["Four is short.", costly(4)],
  ["Five is short and free of the budget.", costly(5, { ignoreBudget: true })],
  [`Six. ${sentence.repeat(2)}`, costly(6, { ignoreBudget: true })],
  ["Seven is short, in the first place.", costly(-7, { position: 1 })],
  ["Eight comes after the free ones.", costly(8)],
];

const timed = [
  ["Sticky for two messages.", { key: ["bell"], sticky: 2 }],
  ["Cooldown of two messages.", { key: ["bell"], cooldown: 2 }],
  ["Sticky for two, then cooling for four.", { key: ["bell"], sticky: 2, cooldown: 4 }],
  ["Not before the fifth message.", { key: ["bell"], delay: 5 }],
  ["Always, after a rest.", { constant: true, cooldown: 3 }],
];

const sources = [
  ["Persona.", { key: ["loupe"], matchPersonaDescription: true }],
  ["Description.", { key: ["deaf"], matchCharacterDescription: true }],
  ["Personality.", { key: ["numbers"], matchCharacterPersonality: true }],
  ["Scenario.", { key: ["storm"], matchScenario: true }],
  ["Creator's notes.", { key: ["capture"], matchCreatorNotes: true }],
  ["Character's note.", { key: ["slowly"], matchCharacterDepthPrompt: true }],
  ["Author's note.", { key: ["letter"] }],
  ["Not scanned without its flag.", { key: ["deaf"] }],
  ["Only for Ilse.", { constant: true, characterFilter: { isExclude: false, names: ["Ilse"], tags: [] } }],
  ["Not for Ilse.", { constant: true, characterFilter: { isExclude: true, names: ["Ilse"], tags: [] } }],
  ["Only for Orm.", { constant: true, characterFilter: { isExclude: false, names: ["Orm"], tags: [] } }],
  ["Only for a normal answer.", { constant: true, triggers: ["normal"] }],
  ["Only for a swipe.", { constant: true, triggers: ["swipe", "regenerate"] }],
  ["@@activate\nDecorated.", { key: ["nothing like it"] }],
  ["@@dont_activate\nDecorated against.", { constant: true }],
  ["@@@activate\nFallen back.", { key: ["nothing like it"] }],
  ["@@unknown\n@@@activate\nUnknown, then fallen back.", { key: ["nothing like it"] }],
];

const shelf = {
  Anywhere: material.lorebook([
    ["Anywhere, order 100.", { constant: true, order: 100 }],
    ["Anywhere, order 10.", { constant: true, order: 10 }],
  ]),
  Primary: material.lorebook([["Primary of the card, order 50.", { constant: true, order: 50 }]]),
  Extra: material.lorebook([["Extra of the card, order 60.", { constant: true, order: 60 }]]),
  Talk: material.lorebook([["Of the chat, order 1.", { constant: true, order: 1 }]]),
  Self: material.lorebook([["Of the persona, order 500.", { constant: true, order: 500 }]]),
};

const linked = (name, strategy, worlds = ["Anywhere"]) => ({
  ...plain,
  name,
  card: material.card({ mes_example: "", extensions: { ...material.card().data.extensions, world: "Primary" } }),
  books: shelf,
  settings: material.settings({
    persona: { lorebook: "Self" },
    worldInfo: {
      world_info: { globalSelect: worlds, charLore: [{ name: "Ilse", extraBooks: ["Extra"] }] },
      world_info_character_strategy: strategy,
    },
  }),
  chat: material.chat(talk, { world_info: "Talk" }),
});

const embedded = {
  name: "Keeper",
  extensions: {},
  entries: [
    {
      id: 7,
      keys: ["bell"],
      secondary_keys: [],
      content: "The bell has a crack that Ilse never mends.",
      extensions: { position: 4, depth: 1, role: 1 },
      enabled: true,
      insertion_order: 10,
      case_sensitive: false,
      constant: false,
      selective: false,
      position: "after_char",
    },
    {
      keys: ["fog"],
      secondary_keys: ["bell"],
      content: "In fog the bell is rung by hand.",
      extensions: {},
      enabled: true,
      insertion_order: 20,
      selective: true,
      position: "before_char",
    },
    { keys: ["bell"], content: "Switched off.", extensions: {}, enabled: false, insertion_order: 30 },
    { keys: ["bell"], content: "After the character.", extensions: {}, enabled: true, insertion_order: 40 },
  ],
};

const bookCard = material.cardV3({ mes_example: "", character_book: embedded });

export const cases = [
  lore("lore-everywhere", everywhere, {
    chat: material.chat(talk, { note_prompt: "{{char}} is hiding a letter.", note_depth: 1 }),
    card: material.card(),
    preset: material.preset({
      prompts: [
        material.relative("nsfw", "system", "Bells: {{outlet::bells}} None: {{outlet::none}}", { system_prompt: true }),
      ],
    }),
  }),
  lore("lore-around-no-note", everywhere.slice(5, 8)),
  lore("lore-logic", logic),
  lore("lore-logic-without-names", logic, {
    worldInfo: {
      world_info_include_names: false,
      world_info_case_sensitive: true,
      world_info_match_whole_words: false,
      world_info_depth: 4,
    },
  }),
  lore("lore-recursion", recursion),
  lore("lore-recursion-off", recursion, { worldInfo: { world_info_recursive: false } }),
  lore("lore-recursion-two-steps", recursion, { worldInfo: { world_info_max_recursion_steps: 2 } }),
  lore("lore-minimum", [...recursion, ["Found further back.", { key: ["tower"] }]], {
    worldInfo: { world_info_recursive: false, world_info_min_activations: 3, world_info_depth: 1 },
  }),
  lore("lore-groups", groups),
  lore("lore-groups-scored", groups, { worldInfo: { world_info_use_group_scoring: true } }),
  lore("lore-budget-percent", budget, {
    preset: material.preset({ openai_max_context: 700 }),
    worldInfo: { world_info_budget: 20 },
  }),
  lore("lore-budget-cap", budget, { worldInfo: { world_info_budget_cap: 60 } }),
  lore("lore-over-time", timed, {
    chat: material.chat([talk[0]]),
    turns: [
      { send: "I heard a bell.", reply: "“That is the buoy.”" },
      { send: "It stopped.", reply: "“It rests.”" },
      { send: "There it is, the bell.", reply: "“The tide turned.”" },
      { send: "What else is out there?", reply: "“Water.”" },
      { send: "A bell again!", reply: "“The same one.”" },
    ],
  }),
  lore("lore-sources", sources, {
    card: material.card({
      mes_example: "",
      extensions: {
        ...material.card().data.extensions,
        depth_prompt: { prompt: "{{char}} answers slowly.", depth: 4, role: "system" },
      },
    }),
    values: { note: { allowWIScan: true } },
    chat: material.chat(talk, { note_prompt: "{{char}} is hiding a letter." }),
  }),
  linked("books-character-first", 1),
  linked("books-global-first", 2),
  linked("books-evenly", 0),
  linked("books-twice", 1, ["Anywhere", "Primary", "Talk"]),
  {
    ...plain,
    name: "book-in-the-card",
    card: bookCard,
    books: {},
    settings: material.settings(),
    chat: material.chat(talk),
  },
  {
    ...plain,
    name: "book-in-the-card-imported",
    card: bookCard,
    books: {},
    settings: material.settings(),
    chat: material.chat(talk),
    importBook: true,
  },
  lore(
    "lore-other-scripts",
    [
      ["灯台は百年前に建てられた。", { key: ["灯台"], matchWholeWords: false }],
      ["Whole words know no kana.", { key: ["鐘"], matchWholeWords: true }],
      ["Маяк виден за двадцать миль. 🌊", { key: ["маяк"] }],
      ["Whole words at the edge of Cyrillic.", { key: ["мая"], matchWholeWords: true }],
      ["An emoji is a key. 🔔", { key: ["🔔"] }],
      ["Ş and İ fold as the browser folds.", { key: ["İSTANBUL"] }],
    ],
    { chat: material.chat([...talk.slice(0, 2), "灯台の鐘が鳴る。", "> Это МАЯК? 🔔 İstanbul is far."]) },
  ),
];
