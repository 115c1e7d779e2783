/**
 * Cases of the author's note, the persona and the character's note: where each of them stands.
 */
import * as material from "./material.mjs";

const talk = [
  "The door shut behind {{user}}. “Mind the third step,” said Ilse.",
  "> Is there tea?",
  "“There is always tea.” She lit the stove.",
  "> Thank you. How long will the storm last?",
];

const note = { note_prompt: "{{char}} is hiding a letter.", note_depth: 2 };

const plain = { card: material.card({ mes_example: "" }), preset: material.preset(), books: {} };

const persona = (name, persona, metadata, values = {}) => ({
  ...plain,
  name,
  settings: material.settings({ persona }),
  chat: material.chat(talk, metadata),
  ...values,
});

const withDepthPrompt = (depth_prompt) =>
  material.card({ mes_example: "", extensions: { ...material.card().data.extensions, depth_prompt } });

export const cases = [
  persona("persona-top-of-note", { position: 2 }, note),
  persona("persona-bottom-of-note", { position: 3 }, note),
  persona("persona-bottom-of-no-note", { position: 3 }, { note_prompt: "", note_depth: 1 }),
  persona("persona-note-not-due", { position: 2 }, { ...note, note_interval: 3 }),
  persona("persona-at-depth", { position: 4, depth: 1, role: 1 }, note),
  persona("persona-at-depth-scanned", { position: 4, depth: 1, role: 0 }, note, {
    books: { Brannoch: material.lorebook([["Loupes are made in Holm.", { key: ["loupe"] }]]) },
    settings: material.withBook("Brannoch", {}, { persona: { position: 4, depth: 1, role: 0 } }),
    turns: [{ reply: "She nods." }, { send: "I see.", reply: "She nods again." }],
  }),
  persona("persona-nowhere", { position: 9 }, note),
  persona("note-as-assistant", { position: 0 }, { ...note, note_depth: 0, note_role: 2 }),
  persona("note-before-main", { position: 0 }, { ...note, note_position: 2, note_role: 1 }),
  persona("note-of-the-character", { position: 0 }, note, {
    settings: material.settings({
      note: { chara: [{ name: "Ilse", prompt: "{{char}} hums.", useChara: true, position: 2 }] },
    }),
  }),
  {
    ...plain,
    name: "note-at-intervals",
    settings: material.settings(),
    chat: material.chat([talk[0]], { ...note, note_interval: 2, note_depth: 0 }),
    turns: [
      { send: "Is there tea?", reply: "“There is always tea.”" },
      { send: "And bread?", reply: "“Yesterday's.”" },
      { send: "That will do.", reply: "She cut it thin." },
      { send: "What is in the drawer?", reply: "“Nothing that ticks.”" },
    ],
  },
  {
    ...plain,
    name: "note-of-the-card-at-depth",
    card: withDepthPrompt({ prompt: "{{char}} answers slowly.", depth: 1, role: "user" }),
    settings: material.withBook("Brannoch", {}, { persona: { position: 4, depth: 1, role: 1 } }),
    chat: material.chat(talk, { ...note, note_depth: 1, note_role: 1 }),
    preset: material.preset({
      order: [...material.defaultOrder, "same-place"],
      prompts: [material.absolute("same-place", "user", "A prompt at the same depth.", 1)],
    }),
    books: {
      Brannoch: material.lorebook([["Storms last three days.", { key: ["storm"], position: 4, depth: 1, role: 1 }]]),
    },
  },
];
