/**
 * A run's journal as lines for a person.
 */
import { styleText } from "node:util";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { isKnown, type KnownEvent, trust } from "@cahier/domain/run/RunEvent";

type Style = Parameters<typeof styleText>[0];

/** Whether lines carry colours. */
export interface TimelineOptions {
  readonly colours: boolean;
}

/** The line of an event that a person wants to see, or undefined. */
export const lineOf = (stored: StoredEvent, options: TimelineOptions): string | undefined => {
  const event = trust(stored);
  if (!isKnown(event)) return render(options, stored, "gray", stored.type, "(of a newer version)");
  const said = say(event);
  return said === undefined ? undefined : render(options, stored, ...said);
};

/** Every event as one line, whatever its type. */
export const rowOf = (stored: StoredEvent, options: TimelineOptions): string => {
  const event = trust(stored);
  const said = isKnown(event) ? say(event) : undefined;
  return render(options, stored, said?.[0] ?? "gray", stored.type, said?.[2] ?? "");
};

const render = (
  { colours }: TimelineOptions,
  event: StoredEvent,
  style: Style,
  label: string,
  text: string,
): string => {
  const paint = (with_: Style, what: string): string => (colours ? styleText(with_, what) : what);
  const number = paint("gray", `${String(event.seq).padStart(4)} ${event.timestamp.slice(11, 19)}`);
  return `${number}  ${paint(style, label)}${text === "" ? "" : `  ${text}`}`;
};

type Said = readonly [Style, string, string];

const say = (event: KnownEvent): Said | undefined => {
  switch (event.type) {
    case "run_created":
      return [
        "cyan",
        "run",
        `${event.runId}, ${event.payload.target.generationType}, profile ${event.payload.profileId}`,
      ];
    case "context_assembled": {
      const { request } = event.payload;
      const model =
        request.source === "scripted" ? "a script: no model is called" : `${request.model} (${request.source})`;
      return ["cyan", "context", `${request.messageCount} messages, ${request.toolCount} tools, ${model}`];
    }
    case "model_completed": {
      const { round, toolCallCount, textChars, narration } = event.payload;
      const calls = toolCallCount === 0 ? "text only" : `${toolCallCount} ${toolCallCount === 1 ? "call" : "calls"}`;
      const words =
        narration === undefined ? (textChars > 0 ? `, ${textChars} characters` : "") : `: ${oneLine(narration.text)}`;
      return ["blue", `round ${round}`, `${calls}${words}`];
    }
    case "model_call_attempt_failed":
      return ["yellow", "model", `${event.payload.message} [${event.payload.code}]`];
    case "model_call_retry_scheduled":
      return ["yellow", "retry", `attempt ${event.payload.nextAttempt} in ${event.payload.intervalMs} ms`];
    case "tool_call_failed":
      return [
        "yellow",
        event.payload.toolId,
        `${oneLine(event.payload.message ?? "")} [${event.payload.errorCode ?? ""}]`,
      ];
    case "tool_call_completed":
      return ["gray", event.payload.toolId, event.payload.resourceRefs.join(" ")];
    case "workspace_file_written":
      return [
        "green",
        event.payload.path,
        `${event.payload.mode}: ${event.payload.chars} characters, ${event.payload.words} words`,
      ];
    case "workspace_patch_applied":
      return [
        "green",
        event.payload.path,
        `patched in ${event.payload.replacements}: ${event.payload.chars} characters`,
      ];
    case "direct_output_captured":
      return ["yellow", event.payload.path, "text without a tool call, kept beside the message"];
    case "drift_recovery_attempted":
      return ["yellow", "reminder", `${event.payload.attempt} of ${event.payload.maxAttempts}`];
    case "chat_commit_completed":
      return [
        "magenta",
        "chat",
        `message ${event.payload.messageIndex} is ${event.payload.path}, ${event.payload.chars} characters`,
      ];
    case "chat_commit_failed":
      return ["red", "chat", `${event.payload.message} [${event.payload.code}]`];
    case "run_resumed":
      return ["cyan", "resumed", `was ${event.payload.previousStatus}`];
    case "run_cancel_requested":
      return ["yellow", "cancel", "asked for"];
    case "run_completed":
      return ["green", "completed", ""];
    case "run_cancelled":
      return ["yellow", "cancelled", ""];
    case "run_failed":
      return ["red", "failed", `${event.payload.message} [${event.payload.code}]`];
    case "run_partial_success":
      return [
        "yellow",
        "partial success",
        `${event.payload.preservedCommitCount} kept in the chat; then: ${event.payload.message} [${event.payload.code}]`,
      ];
    default:
      return undefined;
  }
};

const oneLine = (text: string): string => {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat.length > 120 ? `${flat.slice(0, 119)}…` : flat;
};
