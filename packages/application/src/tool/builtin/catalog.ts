/**
 * Every built-in tool. A new one is a file beside this one and a line here.
 */
import type { Shell } from "@cahier/ports/Shell";
import type { Tool } from "../Tool.ts";
import { agentList } from "./agentList.ts";
import { applyPatch } from "./applyPatch.ts";
import { awaitTasks } from "./awaitTasks.ts";
import { cancelTask } from "./cancelTask.ts";
import { commit } from "./commit.ts";
import { createCheckpoint } from "./createCheckpoint.ts";
import { delegate } from "./delegate.ts";
import { finish } from "./finish.ts";
import { handoff } from "./handoff.ts";
import { listFiles } from "./listFiles.ts";
import { readActivated } from "./readActivated.ts";
import { readFile } from "./readFile.ts";
import { readMessages } from "./readMessages.ts";
import { rollDice } from "./rollDice.ts";
import { searchChat } from "./searchChat.ts";
import { searchFiles } from "./searchFiles.ts";
import { shellTool } from "./shell.ts";
import { skillList } from "./skillList.ts";
import { skillRead } from "./skillRead.ts";
import { skillSearch } from "./skillSearch.ts";
import { taskReturn } from "./taskReturn.ts";
import { writeFile } from "./writeFile.ts";

/** Those that need nothing but the runtime. */
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
  skillList,
  skillSearch,
  skillRead,
  rollDice,
  agentList,
  delegate,
  awaitTasks,
  handoff,
  cancelTask,
  taskReturn,
];

/** Those of a process; what runs shell commands is there or not. */
export const builtinToolsWith = (shell: Shell["Service"] | undefined): ReadonlyArray<Tool> =>
  shell === undefined ? builtinTools : [...builtinTools, shellTool(shell)];
