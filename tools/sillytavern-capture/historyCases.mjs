/**
 * Cases of the chat and the examples: budgets, names, swipes, hidden messages, macros, overrides.
 */
import * as material from "./material.mjs";

const talk = [
  "The door shut behind {{user}}. “Mind the third step,” said Ilse.",
  "> Who built this tower?",
  "“My grandfather, with stone from the quarry at Holm.”",
  "> And the bell?",
];

const long = Array.from({ length: 60 }, (_, index) =>
  index % 2 === 0
    ? `Entry ${index}: she read the barometer, wrote the figure down, and underlined it twice with a blunt pencil.`
    : `> Line ${index}: and what does that figure mean for the boats that are still out beyond the bar?`,
);

const plain = { card: material.card(), preset: material.preset(), books: {}, settings: material.settings() };

const note = { note_prompt: "{{char}} is hiding a letter.", note_depth: 2 };

const tight = (name, values, powerUser = {}) => ({
  ...plain,
  name,
  preset: material.preset({ openai_max_context: 900, openai_max_tokens: 200, ...values }),
  settings: material.settings({ powerUser }),
  chat: material.chat(long, note),
});

const voices = [
  ...talk.slice(0, 3),
  {
    name: "Orm the Cooper",
    mes: "“I made the ladder.”",
    is_user: false,
    force_avatar: "/img/ai4.png",
    original_avatar: "Orm.png",
  },
  { name: "Narrator", mes: "The bell rang once.", is_user: false, extra: { type: "narrator" } },
  {
    name: "Lena",
    mes: "Another persona spoke here.",
    is_user: true,
    force_avatar: "/thumbnail?type=persona&file=lena.png",
  },
  { name: "灯台守", mes: "“霧が出た。”", is_user: false },
  "> Who was that?\r\nDid you hear?",
];

const named = (name, names_behavior) => ({
  ...plain,
  name,
  preset: material.preset({ names_behavior }),
  chat: material.chat(voices, note),
});

const macros = [
  "{{user}} and {{char}}, <USER> and <BOT>; group {{group}}; not {{notChar}}.",
  "{{// a comment}}Line{{newline}}break{{newline::2}}twice;{{noop}} space[{{space::3}}].",
  "Before\n\n{{trim}}\n\nAfter",
  "{{setvar::coins::7}}{{addvar::coins::5}}coins {{getvar::coins}}, {{incvar::coins}}, {{decvar::coins}}; none [{{getvar::nothing}}].",
  "Last {{lastMessage}} | user {{lastUserMessage}} | character {{lastCharMessage}} | id {{lastMessageId}} | range {{allChatRange}}.",
  "Card {{description}} | {{personality}} | {{scenario}} | {{persona}} | {{charVersion}} | {{charPrompt}} | {{charInstruction}} | {{creatorNotes}}.",
  "Examples {{mesExamplesRaw}} |{{mesExamples}}|",
  "Sizes {{maxPrompt}} {{maxContext}} {{maxResponse}}; model {{model}}; reversed {{reverse::bell}}.",
  "If {{if {{getvar::coins}}}}rich{{else}}poor{{/if}}; {{if nothing}}shown{{else}}hidden{{/if}}; {{if !{{getvar::nothing}}}}not{{/if}}.",
  "Unknown {{unknown}} {{unknown::{{char}}}}; open {{char; escaped \\{\\{char\\}\\}; spaced {{ char }}; case {{CHAR}}; nested {{reverse::{{user}}}}.",
  "Variables {{.coins}} and {{.purse = 3}}{{.purse}} {{.purse++}} {{hasvar::purse}} {{hasvar::nothing}}.",
  "Swipe {{lastSwipeId}} of {{currentSwipeId}}; greeting {{charFirstMessage}}; kind {{lastGenerationType}}.",
];

const macroPrompts = macros.map((text, index) => material.relative(`macro-${index}`, "system", text));

const overrides = (name, prompts, powerUser = {}) => ({
  ...plain,
  name,
  card: material.card({
    mes_example: "",
    system_prompt: "Card's own: {{char}} above all. [{{original}}] [{{original}}]",
    post_history_instructions: "{{original}} And no weather.",
  }),
  preset: material.preset({ prompts }),
  settings: material.settings({ powerUser }),
  chat: material.chat(talk),
});

const forbidding = [
  {
    identifier: "main",
    name: "Main",
    system_prompt: true,
    role: "system",
    content: "Main stays.",
    forbid_overrides: true,
  },
  { identifier: "jailbreak", name: "After", system_prompt: true, role: "user", content: "", forbid_overrides: false },
];

export const cases = [
  tight("history-over-budget", {}),
  tight("examples-dropped", { openai_max_context: 560 }),
  tight("examples-pinned", { openai_max_context: 560 }, { pin_examples: true }),
  tight("examples-one-fits", { openai_max_context: 700 }, { pin_examples: false }),
  tight("examples-stripped", {}, { strip_examples: true }),
  tight("required-blocks-over-budget", { openai_max_context: 290 }),
  named("names-none", -1),
  named("names-default", 0),
  named("names-completion", 1),
  named("names-content", 2),
  {
    ...plain,
    name: "swipes-and-hidden",
    chat: material.chat([
      {
        mes: "A second greeting by {{char}}.",
        swipes: ["The first greeting.", "A second greeting by {{char}}."],
        swipe_id: 1,
      },
      "> Hidden question?",
      { mes: "Hidden answer.", is_system: true },
      { name: "Tomas", mes: "A comment.", is_user: true, is_system: true, extra: { type: "comment" } },
      "> A macro stays in the file: {{char}}?",
      {
        mes: "Third of three. {{user}}!",
        swipes: ["One.", "Two.", "Third of three. {{user}}!"],
        swipe_id: 2,
        extra: { reasoning: "She hesitates." },
      },
      { name: "Tomas", mes: "   ", is_user: true },
      "> And the bell?",
    ]),
  },
  {
    ...plain,
    name: "answer-after-an-answer",
    preset: material.preset({ names_behavior: 0 }),
    chat: material.chat(talk.slice(0, 3)),
  },
  { ...plain, name: "greeting-only", card: material.card({ mes_example: "" }), chat: material.chat(talk.slice(0, 1)) },
  {
    ...plain,
    name: "examples-odd",
    card: material.card({
      mes_example:
        "{{user}}: No start line.\n{{char}}: None.\n<start>\nA line of nobody.\n{{char}}: Ilse: twice named.\n\n{{user}}:   spaces   \n<START>\nOnly prose.\n<START>\n{{char}}: One line",
    }),
    chat: material.chat(talk),
  },
  {
    ...plain,
    name: "macros",
    card: material.card({
      system_prompt: "Card's main.",
      extensions: { ...material.card().data.extensions, world: "" },
    }),
    preset: material.preset({
      order: [
        ...material.defaultOrder.slice(0, 1),
        ...macroPrompts.map(({ identifier }) => identifier),
        ...material.defaultOrder.slice(1),
      ],
      prompts: macroPrompts,
    }),
    chat: material.chat([...talk.slice(0, 3), "> {{getvar::coins}} coins for the {{// ferry}}bell?"], {
      variables: {},
    }),
  },
  overrides("card-overrides", []),
  overrides("card-overrides-forbidden", forbidding),
  overrides("card-overrides-not-preferred", [], { prefer_character_prompt: false, prefer_character_jailbreak: false }),
  {
    ...plain,
    name: "scenario-of-the-chat",
    chat: material.chat(talk, {
      scenario: "The chat's own scenario for {{user}}.",
      mes_example: "<START>\n{{char}}: The chat's own example.",
      system_prompt: "The chat's own main prompt.",
    }),
  },
];
