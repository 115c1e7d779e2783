/**
 * Cases of the order of blocks: the default one, moved, disabled, added by the user, squashed.
 */
import * as material from "./material.mjs";

const talk = [
  "The door shut behind {{user}}. “Mind the third step,” said Ilse.",
  "> I counted only two. Is the lamp lit?",
  "“It has been lit since four.” She wound the clock.",
  "> The clock is slow. Shall I look at it?",
];

const books = {
  Brannoch: material.lorebook([
    ["The clock of the lighthouse loses four minutes a day.", { key: ["clock"], position: 0 }],
    ["The lamp burns colza oil.", { key: ["lamp"], position: 1 }],
  ]),
};

const moved = [
  "jailbreak",
  "chatHistory",
  "dialogueExamples",
  "scenario",
  "worldInfoAfter",
  "charDescription",
  "main",
  "personaDescription",
  "worldInfoBefore",
  "charPersonality",
  "enhanceDefinitions",
  "nsfw",
];

const disabled = [
  "-main",
  "-worldInfoBefore",
  "personaDescription",
  "-charDescription",
  "charPersonality",
  "scenario",
  "-enhanceDefinitions",
  "-nsfw",
  "worldInfoAfter",
  "-dialogueExamples",
  "chatHistory",
  "-jailbreak",
];

const added = [
  material.relative("4f6d0c1e-user", "user", "Before we begin: {{user}} speaks plainly."),
  material.relative("8a2b7711-assistant", "assistant", "I will not speak for {{user}}."),
  material.absolute("depth-0-system", "system", "Depth 0, system.", 0),
  material.absolute("depth-0-assistant", "assistant", "Depth 0, assistant.", 0),
  material.absolute("depth-0-user-first", "user", "Depth 0, user, order 50.", 0, 50),
  material.absolute("depth-0-user-late", "user", "Depth 0, user, order 200.", 0, 200),
  material.absolute("depth-1-system-a", "system", "Depth 1, system, a.", 1),
  material.absolute("depth-1-system-b", "system", "  Depth 1, system, b.  ", 1),
  material.absolute("depth-2-user", "user", "Depth 2, user.", 2, 10),
  material.absolute("depth-2-system", "system", "Depth 2, system.", 2, 20),
  material.absolute("depth-9-system", "system", "Depth 9: deeper than the chat.", 9),
  material.absolute("continue-only", "system", "Only when going on.", 1, 100, { injection_trigger: ["continue"] }),
  material.absolute("normal-only", "system", "Only for a normal answer.", 1, 100, { injection_trigger: ["normal"] }),
  material.absolute("blank", "system", "", 1),
];

const withAdded = [
  "8a2b7711-assistant",
  ...material.defaultOrder.slice(0, 4),
  "4f6d0c1e-user",
  ...material.defaultOrder.slice(4),
  ...added.filter(({ injection_position: position }) => position === 1).map(({ identifier }) => identifier),
];

const noteText = { note_prompt: "The storm grows louder.", note_depth: 1 };

const atDepth = { injection_position: 1, injection_depth: 1 };

export const cases = [
  {
    name: "default-order",
    card: material.card(),
    preset: material.preset(),
    books,
    settings: material.withBook("Brannoch"),
    chat: material.chat(talk),
  },
  {
    name: "blocks-moved",
    card: material.cardV3(),
    preset: material.preset({ order: moved }),
    books,
    settings: material.withBook("Brannoch"),
    chat: material.chat(talk, noteText),
  },
  {
    name: "blocks-disabled",
    card: material.card(),
    preset: material.preset({ order: disabled }),
    books,
    settings: material.withBook("Brannoch"),
    chat: material.chat(talk, { note_prompt: "A note that stands after the main prompt.", note_position: 0 }),
  },
  {
    name: "blocks-absent",
    card: material.card(),
    preset: material.preset({ order: ["main", "worldInfoBefore", "nsfw", "chatHistory"] }),
    books,
    settings: material.withBook("Brannoch"),
    chat: material.chat(talk, noteText),
  },
  {
    name: "prompts-added",
    card: material.card(),
    preset: material.preset({ order: withAdded, prompts: added }),
    books,
    settings: material.withBook("Brannoch"),
    chat: material.chat(talk, noteText),
  },
  {
    name: "blocks-at-depth",
    card: material.card({ system_prompt: "", post_history_instructions: "" }),
    preset: material.preset({
      prompts: [
        {
          identifier: "main",
          name: "Main",
          system_prompt: true,
          role: "user",
          content: "The main prompt.",
          ...atDepth,
        },
        { identifier: "jailbreak", name: "After", system_prompt: true, role: "system", content: "Last.", ...atDepth },
        { identifier: "scenario", name: "Scenario", system_prompt: true, marker: true, role: "assistant", ...atDepth },
        { identifier: "nsfw", name: "Auxiliary", system_prompt: true, role: "assistant", content: "Auxiliary." },
        { identifier: "charPersonality", name: "Personality", system_prompt: true, marker: true, role: "user" },
      ],
    }),
    books: {},
    settings: material.settings(),
    chat: material.chat(talk, { note_prompt: "A note that stands after the main prompt.", note_position: 0 }),
  },
  {
    name: "system-messages-squashed",
    card: material.card(),
    preset: material.preset({
      squash_system_messages: true,
      order: withAdded,
      prompts: added,
    }),
    books,
    settings: material.withBook("Brannoch"),
    chat: material.chat(talk, noteText),
  },
  {
    name: "formats",
    card: material.card(),
    preset: material.preset({
      wi_format: "<lore>\n{0}\n</lore>",
      scenario_format: "Where they are: {{scenario}}",
      personality_format: "{{char}} is {{personality}}.",
      new_chat_prompt: "",
      new_example_chat_prompt: "",
      order: material.defaultOrder.map((name) => name.replace("-", "")),
    }),
    books,
    settings: material.withBook("Brannoch"),
    chat: material.chat(talk),
  },
  {
    name: "formats-empty",
    card: material.card({ mes_example: "" }),
    preset: material.preset({ wi_format: " ", scenario_format: "", personality_format: "" }),
    books,
    settings: material.withBook("Brannoch"),
    chat: material.chat(talk),
  },
];
