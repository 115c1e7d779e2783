/**
 * The run that the crash suite kills: many steps, a file too large for its event, and two commits to one message.
 */
import { chat } from "../../src/demonstration/material.ts";

/** The chat before the run. */
export const chatBefore = chat;

const paragraph = '*The wind leans on the glass.* "Größe is no comfort," she says, \u{1f30a} and trims the wick.\n';

/** More than 8 KiB, so that the response, the result of reading it and the file are blobs. */
const longDraft = `${paragraph.repeat(120)}The first ending.\n`;
const longNotes = "A note that nobody publishes. ".repeat(400);

/** What the message says after the first commit, and after the second. */
export const firstText = longDraft;
export const finalText = `${longDraft.replace("The first ending.", "The second ending.")}One line more.`;

const call = (name: string, args: object) => ({ name: `workspace_${name}`, arguments: args });

const main = "output/main.md";

/** A few milliseconds between the turns, so that kills meet every kind of step. */
export const script = {
  format: "cahier.script/1",
  turns: [
    { text: "First a draft.", toolCalls: [call("write_file", { path: main, content: longDraft })] },
    {
      toolCalls: [
        call("write_file", { path: "scratch/notes.md", content: longNotes }),
        call("list_files", {}),
        call("search_files", { query: "ending" }),
      ],
    },
    { toolCalls: [call("read_file", { path: main })] },
    { error: { status: 503, body: "busy" } },
    { text: "Publish the draft.", toolCalls: [call("commit", { reason: "the draft stands" })] },
    {
      toolCalls: [
        call("apply_patch", { path: main, old_string: "The first ending.", new_string: "The second ending." }),
        call("write_file", { path: main, content: "One line more.", mode: "append" }),
      ],
    },
    { toolCalls: [call("read_file", { path: "scratch/notes.md" }), call("read_file", { path: "output/absent.md" })] },
    { toolCalls: [call("commit", { reason: "now it is finished" })] },
    { toolCalls: [call("finish", {})] },
  ].map((turn, index) => ({ ...turn, delayMs: 2 + (index % 3) * 2 })),
};

/** The default profile with a retry that does not wait. */
export const profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "crash-writer",
  displayName: "Crash writer",
  run: { presentation: "foreground", modelRetry: { maxRetries: 3, intervalMs: 5 } },
  tools: {
    maxRounds: 40,
    allow: ["list_files", "search_files", "read_file", "write_file", "apply_patch", "commit", "finish"].map(
      (name) => `builtin:workspace.${name}`,
    ),
  },
};
