/**
 * The commands about tools and policies.
 */
import { type CommandUsage, data, json, profile } from "./CommandUsage.ts";

export const settingCommands = {
  "tools list": {
    words: ["tools", "list"],
    positionals: [],
    summary: "list the tools that an agent would get, under the names that the model sees",
    options: {
      scene: { value: "chat|session", help: "what the run is for (default chat)" },
      ...profile,
      ...data,
      ...json,
    },
  },
  "policy explain": {
    words: ["policy", "explain"],
    positionals: [],
    summary: "say for every tool what policy allows, and which layer and rule decided it",
    options: { ...profile, tool: { value: "ID", help: "only this tool, in full" }, ...data, ...json },
  },
  "policy show": {
    words: ["policy", "show"],
    positionals: [],
    optional: ["user|platform"],
    summary: "show the stored policies",
    options: { ...data, ...json },
  },
  "policy set": {
    words: ["policy", "set"],
    positionals: ["user|platform", "FILE.json"],
    summary: "put a policy file in place of the stored policy (- reads standard input)",
    options: { ...data, ...json },
  },
} as const satisfies { readonly [name: string]: CommandUsage };
