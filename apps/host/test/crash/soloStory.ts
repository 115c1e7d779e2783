/**
 * A run of one agent: effects of every class, an approval, files too large for their events, two commits, and a memory that
 * is published in the end.
 */
import { append, long, main, outside, profileOf, remember, type SweepStory, workspace } from "./SweepStory.ts";

export const soloStory: SweepStory = {
  profile: profileOf(
    "swept-writer",
    ["read_file", "write_file", "commit", "finish"].map((name) => `workspace.${name}`),
  ),
  turns: [
    { text: "A beginning.", toolCalls: [append("[[line 1]]\n"), outside("idempotent", "idempotent-1")] },
    { toolCalls: [outside("irreversible", "irreversible-1")] },
    {
      toolCalls: [
        append(`[[line 2]]\n${long}`),
        outside("keyed", "keyed-1"),
        outside("irreversible", "irreversible-2"),
      ],
    },
    { error: { status: 503, body: "busy" } },
    { toolCalls: [workspace("commit", { reason: "the draft stands" })] },
    { toolCalls: [workspace("read_file", { path: main }), outside("reconciled", "reconciled-1")] },
    { toolCalls: [append("[[line 3]]\n"), remember("[[memory 1]]\n"), outside("keyed", "keyed-2")] },
    { toolCalls: [workspace("commit", { mode: "append" }), outside("irreversible", "irreversible-3")] },
    { toolCalls: [workspace("finish", {})] },
  ],
  agents: {},
  profiles: [],
};
