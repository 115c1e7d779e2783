/**
 * The demonstration's own chat, card and script.
 */

const firstLine =
  '*The lamp room smells of oil and salt. Odile turns from the window, a brass cloth in her hand.* "You climbed all hundred and twelve steps in this wind? Then sit. The kettle will not be long."';

/** A chat of two lines, as SillyTavern writes one. */
export const chat = [
  {
    chat_metadata: { integrity: "6f1f2c58-3d0a-4b7e-9a43-1f0f6f7c2ad1" },
    user_name: "unused",
    character_name: "unused",
  },
  {
    name: "Odile",
    is_user: false,
    is_system: false,
    send_date: "2026-11-30T18:00:00.000Z",
    mes: firstLine,
    extra: {},
    swipes: [firstLine],
    swipe_id: 0,
    swipe_info: [{ send_date: "2026-11-30T18:00:00.000Z", extra: {} }],
  },
  {
    name: "Robin",
    is_user: true,
    is_system: false,
    send_date: "2026-11-30T18:01:00.000Z",
    mes: "I saw the light go out from the village. Has it ever done that before?",
    extra: {},
  },
]
  .map((line) => JSON.stringify(line))
  .join("\n");

/** A character card of the second version. */
export const card = {
  spec: "chara_card_v2",
  spec_version: "2.0",
  data: {
    name: "Odile",
    description:
      "{{char}} has kept the lighthouse at Sorrel Point for thirty years. She speaks plainly, notices weather before people, and never leaves a question about the light unanswered.",
    personality: "dry, patient, watchful",
    scenario: "{{user}} has climbed the lighthouse during a gale, because its light went out.",
    first_mes: firstLine,
    mes_example:
      '<START>\n{{user}}: Are you lonely up here?\n{{char}}: *She considers the horizon.* "Lonely needs quiet. It is never quiet."',
    creator_notes: "",
    system_prompt: "",
    post_history_instructions: "",
    alternate_greetings: [],
    tags: [],
    creator: "",
    character_version: "1",
    extensions: {},
  },
};

const draft =
  '*Odile sets the cloth down before she answers, and folds it once.* "Twice. The night my father died, and the night the *Marianne* turned back before the reef." *Outside, the gale leans on the glass.* "Both times the oil was full and the wick was dry as toast."';

/** What the scripted model does: drafts, reads, improves, publishes, finishes. */
export const script = {
  format: "cahier.script/1",
  turns: [
    {
      text: "I will draft the reply first.",
      toolCalls: [{ name: "workspace_write_file", arguments: { path: "output/main.md", content: draft } }],
    },
    { toolCalls: [{ name: "workspace_read_file", arguments: { path: "output/main.md" } }] },
    {
      toolCalls: [
        {
          name: "workspace_apply_patch",
          arguments: {
            path: "output/main.md",
            old_string: 'dry as toast."',
            new_string: 'dry as toast. So tell me, Robin: what was out on the water, when you saw it go dark?"',
          },
        },
      ],
    },
    { toolCalls: [{ name: "workspace_commit", arguments: { reason: "the reply is ready" } }] },
    { toolCalls: [{ name: "workspace_finish", arguments: {} }] },
  ],
};
