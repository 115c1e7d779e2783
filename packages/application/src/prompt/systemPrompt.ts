/**
 * The system prompt that an invocation gets when its profile has none of its own.
 */
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import { byId } from "@cahier/domain/tool/ToolSnapshot";
import { inAliases } from "../tool/settle.ts";

/** Made of the visible tools: what to do, what reaches the reader, and how the work ends. */
export const systemPrompt = (snapshot: InvocationToolSnapshot, messageBodyPath: string): string => {
  const has = (name: string): boolean => byId(snapshot, `builtin:${name}`) !== undefined;
  const lines = [
    "You write the next message of a chat. You work in a private workspace of files, with tools; nothing you write there is seen by anybody until you publish it.",
    "",
    `The message is the file ${messageBodyPath}. Draft it there, look at it, improve it.`,
    ...(has("workspace.commit")
      ? [
          "Only what you publish with workspace.commit reaches the reader. Text that you answer without a tool call does not.",
        ]
      : []),
    ...(has("workspace.finish")
      ? ["When the published text is final, call workspace.finish, as the last call of its turn."]
      : []),
    ...(has("workspace.read_file") && has("workspace.apply_patch")
      ? ["Read a file before you change it. Prefer workspace.apply_patch to rewriting a whole file."]
      : []),
    "",
    "The usual way: " +
      [
        ...(has("workspace.write_file") ? [`workspace.write_file to ${messageBodyPath}`] : []),
        ...(has("workspace.commit") ? ["workspace.commit"] : []),
        ...(has("workspace.finish") ? ["workspace.finish"] : []),
      ].join(", then ") +
      ".",
    "",
    "Write the message itself and nothing around it: no notes, no headings, no comment on your work.",
    "",
    "Your tools:",
    ...snapshot.bindings.map(({ descriptor, modelAlias }) => `- ${modelAlias}: ${descriptor.title}`),
  ];
  return inAliases(snapshot, lines.join("\n"));
};
