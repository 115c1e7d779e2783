/**
 * Every built-in tool. A new one is a file beside this one and a line here.
 */
import type { Tool } from "../Tool.ts";
import { applyPatch } from "./applyPatch.ts";
import { commit } from "./commit.ts";
import { createCheckpoint } from "./createCheckpoint.ts";
import { finish } from "./finish.ts";
import { listFiles } from "./listFiles.ts";
import { readActivated } from "./readActivated.ts";
import { readFile } from "./readFile.ts";
import { readMessages } from "./readMessages.ts";
import { rollDice } from "./rollDice.ts";
import { searchChat } from "./searchChat.ts";
import { searchFiles } from "./searchFiles.ts";
import { writeFile } from "./writeFile.ts";

export const builtinTools: ReadonlyArray<Tool> = [
  listFiles,
  searchFiles,
  readFile,
  writeFile,
  applyPatch,
  commit,
  finish,
  createCheckpoint,
  searchChat,
  readMessages,
  readActivated,
  rollDice,
];
