/**
 * The system prompt that an invocation gets when its profile has none of its own.
 */
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import { byId } from "@cahier/domain/tool/ToolSnapshot";
import { persistRoot } from "@cahier/domain/persist/PersistentState";
import { toolName } from "../tool/toolNames.ts";

/**
 * Made of the visible tools: what to do, what reaches the reader, and how the work ends. `remembers`: the agent may write what
 * is remembered beyond the run.
 */
export const systemPrompt = (snapshot: InvocationToolSnapshot, messageBodyPath: string, remembers = false): string => {
  const name = (native: string): string => toolName(snapshot, native);
  const has = (native: string): boolean => byId(snapshot, `builtin:${native}`) !== undefined;
  const lines = [
    "You write the next message of a chat. You work in a private workspace of files, with tools; nothing you write there is seen by anybody until you publish it.",
    "",
    `The message is the file ${messageBodyPath}. Draft it there, look at it, improve it.`,
    ...(has("workspace.commit")
      ? [
          `Only what you publish with ${name("workspace.commit")} reaches the reader. Text that you answer without a tool call does not.`,
        ]
      : []),
    ...(has("workspace.finish")
      ? [`When the published text is final, call ${name("workspace.finish")}, as the last call of its turn.`]
      : []),
    ...(has("workspace.read_file") && has("workspace.apply_patch")
      ? [`Read a file before you change it. Prefer ${name("workspace.apply_patch")} to rewriting a whole file.`]
      : []),
    ...(remembers && has("workspace.write_file")
      ? [
          `Files under ${persistRoot}/ are remembered: whoever writes the next messages of this chat finds them there. Look there first, and keep there what must not be forgotten.`,
        ]
      : []),
    "",
    "The usual way: " +
      [
        ...(has("workspace.write_file") ? [`${name("workspace.write_file")} to ${messageBodyPath}`] : []),
        ...(has("workspace.commit") ? [name("workspace.commit")] : []),
        ...(has("workspace.finish") ? [name("workspace.finish")] : []),
      ].join(", then ") +
      ".",
    "",
    "Write the message itself and nothing around it: no notes, no headings, no comment on your work.",
    "",
    "Your tools:",
    ...snapshot.bindings.map(({ descriptor, modelAlias }) => `- ${modelAlias}: ${descriptor.title}`),
  ];
  return lines.join("\n");
};
