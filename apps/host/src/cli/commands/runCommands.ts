/**
 * The commands that make, carry on, end and look at runs.
 */
import { approve, type CommandUsage, connection, data, json, profile, quiet } from "./CommandUsage.ts";

export const runCommands = {
  run: {
    words: ["run"],
    positionals: [],
    summary: "write the next message of a SillyTavern chat",
    carriesRunOn: true,
    options: {
      chat: { value: "FILE.jsonl", help: "the chat to write to" },
      "group-id": { value: "ID", help: "the chat is that of this group" },
      "chat-id": { value: "ID", help: "stable id for a chat that has none of its own" },
      card: { value: "FILE", help: "character card, PNG or JSON" },
      type: { value: "TYPE", help: "normal (default), regenerate or swipe" },
      message: { value: "TEXT", help: "a line that the user says first" },
      ...profile,
      "world-info": { value: "FILE.json", help: "activated world info that the agent may read" },
      ...approve,
      ...connection,
      script: { value: "FILE.json", help: "play this script instead of calling a model" },
      model: {
        value: "NAME",
        help: "model to call (with OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or OPENAI_BASE_URL)",
      },
      "log-requests": {
        help: "keep what models are sent and answer, without secrets, for runs show --requests (also: CAHIER_LOG_REQUESTS=1)",
      },
      ...data,
      ...json,
      ...quiet,
    },
  },
  "runs list": {
    words: ["runs", "list"],
    positionals: [],
    summary: "list runs, newest first",
    options: { limit: { value: "N", help: "most runs, 1 to 200 (default 50)" }, ...data, ...json },
  },
  "runs show": {
    words: ["runs", "show"],
    positionals: ["ID"],
    summary: "show how a run stands",
    options: {
      requests: { help: "show what was sent to models and what came back, where run --log-requests logged it" },
      ...data,
      ...json,
    },
  },
  "runs events": {
    words: ["runs", "events"],
    positionals: ["ID"],
    summary: "show a run's journal",
    options: {
      after: { value: "N", help: "events after this number" },
      before: { value: "N", help: "the last events before this number" },
      limit: { value: "N", help: "most events, 1 to 500 (default 100)" },
      invocation: { value: "ID", help: "only events that concern this invocation" },
      follow: {
        help: "go on with new events until the run ends or waits for a decision; with --json one event a line",
      },
      ...data,
      ...json,
    },
  },
  "runs cancel": {
    words: ["runs", "cancel"],
    positionals: ["ID"],
    summary: "stop a run, wherever it is carried on",
    carriesRunOn: true,
    options: { ...data, ...json },
  },
  "runs resume": {
    words: ["runs", "resume"],
    positionals: [],
    optional: ["ID"],
    summary: "carry on a run whose process is gone, or with --all every one",
    carriesRunOn: true,
    options: {
      all: { help: "every interrupted run but those whose profile says run.resume manual" },
      ...approve,
      ...data,
      ...json,
      ...quiet,
    },
  },
  "runs approve": {
    words: ["runs", "approve"],
    positionals: ["ID", "CALL"],
    summary: "allow a call that a run waits for, and carry the run on",
    carriesRunOn: true,
    options: {
      reason: { value: "TEXT", help: "why; kept in the journal" },
      remember: {
        value: "run|profile",
        help: "allow further calls of the tool: in this run, or in the stored profile",
      },
      "arguments-sha256": { value: "HEX", help: "allow the call only with these arguments, as runs show prints them" },
      ...data,
      ...json,
      ...quiet,
    },
  },
  "runs deny": {
    words: ["runs", "deny"],
    positionals: ["ID", "CALL"],
    summary: "refuse a call that a run waits for, and carry the run on",
    carriesRunOn: true,
    options: { reason: { value: "TEXT", help: "why; the model reads it" }, ...data, ...json, ...quiet },
  },
  "runs file": {
    words: ["runs", "file"],
    positionals: ["ID", "PATH"],
    summary: "print a file of a run's workspace",
    options: { ...data, ...json },
  },
  "runs diff": {
    words: ["runs", "diff"],
    positionals: ["ID"],
    optional: ["FROM", "TO"],
    further: "PATH",
    summary: "show what changed in a run's workspace, from the start until now or between two events or checkpoints",
    options: { ...data, ...json },
  },
  "runs fork": {
    words: ["runs", "fork"],
    positionals: ["ID", "EVENT|CHECKPOINT"],
    summary: "make a new run that goes on from a moment of a run, and carry it on",
    carriesRunOn: true,
    options: {
      message: { value: "TEXT", help: "what the user says to the agent before it goes on" },
      profile: { value: "ID|FILE.json", help: "go on with the tools and limits of this profile" },
      ...approve,
      ...connection,
      script: { value: "FILE.json", help: "go on with this script instead of the run's own model" },
      model: {
        value: "NAME",
        help: "go on with this model (with OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or OPENAI_BASE_URL)",
      },
      ...data,
      ...json,
      ...quiet,
    },
  },
  "runs revise": {
    words: ["runs", "revise"],
    positionals: ["ID", "TEXT"],
    summary: "have the message of a completed run changed as TEXT says, by the agent that wrote it",
    carriesRunOn: true,
    options: { ...approve, ...data, ...json, ...quiet },
  },
  "runs rollback": {
    words: ["runs", "rollback"],
    positionals: ["ID", "CHECKPOINT"],
    summary: "take a run that waits or has ended back to a checkpoint: its workspace, or its message in the chat",
    options: {
      scope: { value: "workspace|committed-message", help: "what is taken back (default workspace)" },
      ...data,
      ...json,
    },
  },
} as const satisfies { readonly [name: string]: CommandUsage };
