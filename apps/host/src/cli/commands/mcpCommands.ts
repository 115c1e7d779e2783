/**
 * The commands about MCP servers.
 */
import { type CommandUsage, data, json } from "./CommandUsage.ts";

export const mcpCommands = {
  "mcp list": {
    words: ["mcp", "list"],
    positionals: [],
    summary: "list the registered MCP servers, how each is reached, and how many of its tools are permitted",
    options: { ...data, ...json },
  },
  "mcp add": {
    words: ["mcp", "add"],
    positionals: ["FILE.json"],
    summary: "register an MCP server, paused (- reads standard input)",
    options: {
      replace: { value: "ID", help: "change this server instead; where it is reached otherwise then, it is paused" },
      ...data,
      ...json,
    },
  },
  "mcp show": {
    words: ["mcp", "show"],
    positionals: ["ID"],
    optional: ["TOOL"],
    summary: "show a server in full: what is started or asked, and what of its tools is permitted",
    options: { ...data, ...json },
  },
  "mcp resume": {
    words: ["mcp", "resume"],
    positionals: ["ID"],
    summary: "activate a server; before a program may be started it is shown, and you are asked",
    options: { yes: { help: "start the program that is shown, without asking" }, ...data, ...json },
  },
  "mcp pause": {
    words: ["mcp", "pause"],
    positionals: ["ID"],
    summary: "reach a server no more, and offer none of its tools",
    options: { ...data, ...json },
  },
  "mcp remove": {
    words: ["mcp", "remove"],
    positionals: ["ID"],
    summary: "remove a server and what is known of it; secrets stay where they are",
    options: { ...data, ...json },
  },
  "mcp discover": {
    words: ["mcp", "discover"],
    positionals: ["ID"],
    summary: "ask a server for its tools, keep them, and say which of them have changed",
    options: {
      login: { help: "where the server wants it, show the page on which you let Cahier use it, and wait" },
      ...data,
      ...json,
    },
  },
  "mcp permit": {
    words: ["mcp", "permit"],
    positionals: ["ID", "TOOL", "off|ask|allow"],
    summary: "permit a tool as it is described now, or take the permission back",
    options: {
      "as-of": {
        value: "TIME",
        help: "only if no other description is known than at this time, which discover prints",
      },
      ...data,
      ...json,
    },
  },
  "mcp call": {
    words: ["mcp", "call"],
    positionals: ["ID", "TOOL"],
    summary: "call a tool yourself, permitted or not, and print what it answers",
    options: {
      arguments: { value: "JSON", help: "arguments of the call, one JSON object (default {})" },
      timeout: { value: "SECONDS", help: "the longest that the call may take, 1 to 3600 (default 60)" },
      ...data,
      ...json,
    },
  },
  "mcp resources": {
    words: ["mcp", "resources"],
    positionals: ["ID"],
    summary: "list the resources of a server, or print one",
    options: { read: { value: "URI", help: "print this resource" }, ...data, ...json },
  },
  "mcp prompts": {
    words: ["mcp", "prompts"],
    positionals: ["ID"],
    summary: "list the prompts of a server, or print one",
    options: {
      get: { value: "NAME", help: "print this prompt" },
      arguments: { value: "JSON", help: "arguments of the prompt, one JSON object of texts (default {})" },
      ...data,
      ...json,
    },
  },
  "mcp serve": {
    words: ["mcp", "serve"],
    positionals: [],
    summary: "serve runs, their files and the tool catalogue to other MCP clients, on standard input and output",
    carriesRunOn: true,
    options: {
      http: { value: "PORT", help: "serve over HTTP on loopback instead; 0 is a free port (token: CAHIER_MCP_TOKEN)" },
      allow: {
        value: "ACTION",
        repeats: true,
        help: "let clients do this: start_run, resume_run, cancel_run, guide_run or answer_approval; may be given again",
      },
      ...data,
    },
  },
} as const satisfies { readonly [name: string]: CommandUsage };
