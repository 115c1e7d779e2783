/**
 * A run's journal as lines for a person.
 *
 * Owns which events a person wants to see and in what words. What a model or a server said is made safe to print.
 */
import { styleText } from "node:util";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { isKnown, type KnownEvent, type PayloadOf, trust } from "@cahier/domain/run/RunEvent";
import type { NameOf } from "./AgentNames.ts";
import { isForPeople } from "./warningsForPeople.ts";
import { type Said, sayOfAgents, type Style } from "./sayOfAgents.ts";
import { printable, shortened, wrapped } from "../cli/printable.ts";

/**
 * Whether lines carry colours, how wide the terminal is that they are broken for (without it they are not), and what agents
 * other than the first are called.
 */
export interface TimelineOptions {
  readonly colours: boolean;
  readonly columns?: number;
  readonly nameOf?: NameOf;
}

/** The line of an event that a person wants to see while a run goes on, or undefined. */
export const lineOf = (stored: StoredEvent, options: TimelineOptions): string | undefined => {
  const event = trust(stored);
  if (!isKnown(event)) return render(options, stored, timelineLabel, "gray", stored.type, "(of a newer version)");
  if (event.type === "tool_call_completed" && saysItsResult.has(event.payload.toolId)) return undefined;
  // The call's result says it again.
  if (event.type === "tool_call_denied") return undefined;
  // Only what reaches outside can be left half done.
  if (event.type === "tool_call_started" && staysInside.has(event.payload.effectClass)) return undefined;
  // Those that nobody asked for stand behind a line that says what happened.
  if (event.type === "checkpoint_created" && event.payload.reason !== "tool") return undefined;
  // The run's own end says it again.
  if (event.type === "model_call_attempt_failed" && !event.payload.willRetry) return undefined;
  const said = say(event, options);
  if (said === undefined) return undefined;
  return [render(options, stored, timelineLabel, ...said), ...dimLines(stored, event, options, timelineLabel)].join(
    "\n",
  );
};

/** Any event as one line, headed by its type; what a gateway warned of stands in further lines. */
export const rowOf = (stored: StoredEvent, options: TimelineOptions): string => {
  const event = trust(stored);
  if (!isKnown(event)) return render(options, stored, typeLabel, "gray", stored.type, "");
  const [style, , text] = say(event, options) ?? ["gray", "", ""];
  return [
    render(options, stored, typeLabel, style, stored.type, text),
    ...dimLines(stored, event, options, typeLabel),
  ].join("\n");
};

/** What a model's answer came without, or had to be asked for anew. */
const dimLines = (
  stored: StoredEvent,
  event: KnownEvent,
  options: TimelineOptions,
  labelColumns: number,
): ReadonlyArray<string> =>
  event.type === "model_completed"
    ? (event.payload.warnings ?? [])
        .filter(isForPeople)
        .map((text) => render(options, stored, labelColumns, "gray", "warning", text))
    : [];

/** Columns for the names of the built-in tools and of most files, and for the types of events. */
const timelineLabel = 15;
const typeLabel = 28;

/** Tools whose effect has a line of its own. */
const saysItsResult = new Set([
  "builtin:workspace.write_file",
  "builtin:workspace.apply_patch",
  "builtin:workspace.commit",
]);

/** Effect classes of calls that happen with the record of them, or do not happen. */
const staysInside: ReadonlySet<string> = new Set(["pure", "internal"]);

/** What is printed of a text that somebody else wrote, in columns. */
const mostColumns = 120;

/** On a terminal that leaves less than this beside the label the lines are left to the terminal. */
const fewestColumns = 24;

const render = (
  { colours, columns = 0, nameOf }: TimelineOptions,
  event: StoredEvent,
  labelColumns: number,
  style: Style,
  label: string,
  own: string,
): string => {
  const agent = nameOf?.(event.eventScope.invocationId);
  const text = agent === undefined ? own : [excerpt(agent), ...(own === "" ? [] : [own])].join(": ");
  const paint = (with_: Style, what: string): string =>
    colours ? styleText(with_, what, { validateStream: false }) : what;
  const number = `${String(event.seq).padStart(4)} ${clockOf(event.timestamp)}`;
  const shown = printable(label);
  const head = `${paint("gray", number)}  ${paint(style, text === "" ? shown : shown.padEnd(labelColumns))}`;
  if (text === "") return head;
  const indent = number.length + 2 + Math.max(labelColumns, shown.length) + 2;
  const said = printable(text);
  const lines = columns - indent < fewestColumns ? [said] : wrapped(said, columns - indent);
  return `${head}  ${lines.join(`\n${" ".repeat(indent)}`)}`;
};

/** The time of day where the reader is. */
const clockOf = (timestamp: string): string => new Date(timestamp).toTimeString().slice(0, 8);

const say = (event: KnownEvent, options: TimelineOptions): Said | undefined => {
  switch (event.type) {
    case "run_created": {
      const { target, profileId } = event.payload;
      return ["cyan", "run", `${event.runId}, ${target.generationType}, ${profileId}`];
    }
    case "context_assembled": {
      const { request } = event.payload;
      const model =
        request.source === "scripted" ? "a script: no model is called" : `${request.model} (${request.source})`;
      return [
        "cyan",
        "context",
        `${count(request.messageCount, "message")}, ${count(request.toolCount, "tool")}, ${model}`,
      ];
    }
    case "model_completed": {
      const { round, toolCallCount, textChars, narration } = event.payload;
      const calls = toolCallCount === 0 ? "text only" : count(toolCallCount, "call");
      const words =
        narration === undefined
          ? textChars > 0
            ? `, ${count(textChars, "character")}`
            : ""
          : `: ${excerpt(narration.text)}`;
      return ["blue", `round ${round}`, `${calls}${words}`];
    }
    case "model_call_attempt_failed":
      return ["yellow", "model", `${event.payload.message} [${event.payload.code}]`];
    case "model_call_retry_scheduled":
      return ["yellow", "retry", `attempt ${event.payload.nextAttempt} in ${event.payload.intervalMs} ms`];
    case "tool_call_awaiting_approval": {
      const { argumentsSummary, title, toolId } = event.payload;
      return ["magenta", "asks", excerpt(`${title} (${nameOf(toolId)}): ${argumentsSummary}`)];
    }
    case "tool_question_asked":
      return ["magenta", nameOf(event.payload.toolId), excerpt(`asks: ${event.payload.message}`)];
    case "tool_question_answered": {
      const { action, by, toolId } = event.payload;
      return ["gray", nameOf(toolId), by === "user" ? `is answered: ${action}` : "is not answered: nobody is there"];
    }
    case "tool_call_approved": {
      const { by, reason, toolId } = event.payload;
      return ["green", nameOf(toolId), excerpt(`${allowed[by]}${reason === undefined ? "" : `: ${reason}`}`)];
    }
    case "tool_call_denied": {
      const { by, reason, toolId } = event.payload;
      return ["yellow", nameOf(toolId), excerpt(`denied by ${by === "user" ? "the user" : "policy"}: ${reason}`)];
    }
    case "checkpoint_created": {
      const { checkpointId, label, reason } = event.payload;
      return ["gray", "checkpoint", excerpt(`${checkpointId}: ${label ?? reason}`)];
    }
    case "tool_call_started":
      return ["gray", nameOf(event.payload.toolId), `begins: ${event.payload.effectClass}`];
    case "tool_call_failed": {
      const { toolId, message, errorCode } = event.payload;
      return ["yellow", nameOf(toolId), `${excerpt(message ?? "")} [${errorCode ?? ""}]`];
    }
    case "tool_call_completed":
      return ["gray", nameOf(event.payload.toolId), event.payload.resourceRefs.join(" ")];
    case "workspace_file_written": {
      const { bytes, chars, encoding, mode, path, words } = event.payload;
      const size =
        encoding === undefined
          ? `${count(chars, "character")}, ${count(words, "word")}`
          : `${count(bytes, "byte")}, no text`;
      return ["green", path, `${mode}: ${size}`];
    }
    case "workspace_file_removed":
      return ["yellow", event.payload.path, "removed"];
    case "workspace_patch_applied": {
      const { path, replacements, chars } = event.payload;
      return ["green", path, `${count(replacements, "place")} patched: ${count(chars, "character")}`];
    }
    case "direct_output_captured":
      return ["yellow", event.payload.path, "text without a tool call, kept beside the message"];
    case "drift_recovery_attempted":
      return ["yellow", "reminder", `${event.payload.attempt} of ${event.payload.maxAttempts}`];
    case "chat_commit_completed": {
      const { messageIndex, path, chars } = event.payload;
      return ["magenta", "chat", `message ${messageIndex} is ${path}, ${count(chars, "character")}`];
    }
    case "chat_commit_failed":
      return ["red", "chat", `${event.payload.message} [${event.payload.code}]`];
    case "run_resumed":
      return ["cyan", "resumed", `was ${event.payload.previousStatus}`];
    case "run_forked":
      return ["cyan", "forked", `${event.runId} goes on from ${event.payload.from} at event ${event.payload.seq}`];
    case "run_rolled_back": {
      const { changes, checkpointId } = event.payload;
      return ["yellow", "rolled back", `to ${checkpointId}: ${count(changes.length, "file")} changed`];
    }
    case "run_revision_started":
      return ["cyan", "revision", `of ${count(event.payload.chars, "character")}, kept in ${event.payload.path}`];
    case "chat_rollback_completed": {
      const { action, chars, checkpointId } = event.payload;
      const became = action === "withdraw" ? "is taken out" : `has ${count(chars, "character")} again`;
      return ["yellow", "chat", `back to ${checkpointId}: the message ${became}`];
    }
    case "chat_rollback_failed":
    case "persistent_state_metadata_update_failed":
      return ["red", "chat", `${event.payload.message} [${event.payload.code}]`];
    case "persistent_projection_initialized":
      return ["cyan", "remembers", rememberedIn(event.payload)];
    case "persistent_changes_committed":
      return ["green", "remembers", `${count(event.payload.changeCount, "change")} under persist/`];
    case "persistent_state_withdrawn":
      return ["yellow", "remembers", "nothing of this run"];
    case "run_cancel_requested":
      return ["yellow", "cancel", "asked for"];
    case "run_completed":
      return endOf(event.payload);
    case "run_cancelled":
      return ["yellow", "cancelled", ""];
    case "run_failed":
      return ["red", "failed", `${event.payload.message} [${event.payload.code}]`];
    case "run_partial_success": {
      const { preservedCommitCount, message, code } = event.payload;
      return ["yellow", "partial success", `${preservedCommitCount} kept in the chat; then: ${message} [${code}]`];
    }
    default:
      return sayOfAgents(event, options.nameOf ?? (() => undefined));
  }
};

/** What the agent begins with under persist/, and what it does not begin with because somebody has removed it. */
const rememberedIn = ({ fileCount, removed = [], stateId }: PayloadOf<"persistent_projection_initialized">): string => {
  const gone = removed.length === 0 ? [] : [`${removed.join(", ")} was removed on purpose`];
  return [stateId === null ? "nothing" : `${count(fileCount, "file")} of ${stateId}`, ...gone].join("; ");
};

/** A revision that came to nothing leaves the run as complete as it was. */
const endOf = ({ revision }: PayloadOf<"run_completed">): Said => {
  if (revision === undefined) return ["green", "completed", ""];
  return revision.outcome === "cancelled"
    ? ["yellow", "completed", "as before; its revision was cancelled"]
    : ["red", "completed", `as before; its revision failed: ${revision.message} [${revision.code}]`];
};

/** Who allowed a call. */
const allowed = {
  user: "allowed by the user",
  remembered: "allowed, as remembered for this run",
  unattended: "allowed by --approve",
} as const;

const excerpt = (text: string): string => shortened(printable(text), mostColumns);

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** A built-in tool goes by its bare name. */
const nameOf = (toolId: string): string => toolId.replace(/^builtin:(?:workspace\.)?/, "");
