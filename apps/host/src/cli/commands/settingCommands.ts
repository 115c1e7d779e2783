/**
 * The commands about tools, policies and connections.
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
  "connections list": {
    words: ["connections", "list"],
    positionals: [],
    summary: "list the stored connections to models, and whether each has its secret",
    options: { ...data, ...json },
  },
  "connections add": {
    words: ["connections", "add"],
    positionals: ["FILE.json"],
    summary: "store a connection, in place of the one with its id (- reads standard input)",
    options: {
      transport: { value: "websocket", help: "one WebSocket for each agent (format openai-responses)" },
      "prompt-cache": { value: "5m|1h", help: "how long the server is asked to keep prompts, where it can be asked" },
      network: { value: "private", help: "the server's name may lead to an address of this machine or its network" },
      ...data,
      ...json,
    },
  },
  "connections show": {
    words: ["connections", "show"],
    positionals: ["ID"],
    summary: "show a connection; its secret is only named",
    options: { ...data, ...json },
  },
  "connections remove": {
    words: ["connections", "remove"],
    positionals: ["ID"],
    summary: "remove a connection; runs that have it keep it",
    options: { ...data, ...json },
  },
  "connections test": {
    words: ["connections", "test"],
    positionals: ["ID"],
    summary: "make one tiny call by a connection and say what came back",
    options: { model: { value: "NAME", help: "model to call" }, ...data, ...json },
  },
} as const satisfies { readonly [name: string]: CommandUsage };
