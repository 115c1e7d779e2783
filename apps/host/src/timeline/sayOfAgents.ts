/**
 * What a timeline says of agents that work for one another, and of what their user tells them.
 *
 * Who gave the work stands before a line where it was another than the first; here stands who does it.
 */
import type { styleText } from "node:util";
import type { InvocationId } from "@cahier/domain/identity/Identity";
import type { KnownEvent } from "@cahier/domain/run/RunEvent";
import { printable, shortened } from "../cli/printable.ts";
import type { NameOf } from "./AgentNames.ts";

export type Style = Parameters<typeof styleText>[0];

/** How a line looks, what it is about, and what it says. */
export type Said = readonly [Style, string, string];

/** The line of an event about agents or guidance; undefined for any other, and where another line says it. */
export const sayOfAgents = (event: KnownEvent, nameOf: NameOf): Said | undefined => {
  const called = (id: InvocationId, otherwise: string): string => excerpt(nameOf(id) ?? otherwise);
  switch (event.type) {
    case "agent_delegate_started": {
      const { childInvocationId, targetProfileId, workspaceKey } = event.payload;
      return ["cyan", "gives work", `to ${called(childInvocationId, targetProfileId)} (${workspaceKey})`];
    }
    case "agent_await_started":
      return ["gray", "waits", `for ${tasks(event.payload.taskIds.length)}`];
    case "agent_task_completed":
      return event.payload.resultRef === undefined
        ? undefined
        : ["green", "work done", `by ${called(event.payload.childInvocationId, "another agent")}`];
    case "agent_task_failed": {
      const { childInvocationId, error } = event.payload;
      return [
        "yellow",
        "work failed",
        `${called(childInvocationId, "another agent")}: ${excerpt(error.message)} [${error.code}]`,
      ];
    }
    case "agent_task_cancelled": {
      const { childInvocationId, error } = event.payload;
      return ["yellow", "work cancelled", `${called(childInvocationId, "another agent")}: ${excerpt(error)}`];
    }
    case "agent_handoff_accepted": {
      const { newInvocationId, targetProfileId } = event.payload;
      return ["cyan", "hands over", `to ${called(newInvocationId, targetProfileId)}`];
    }
    case "user_guidance_submitted":
      return ["magenta", "you", excerpt(event.payload.preview)];
    case "user_guidance_applied":
      return ["magenta", "told", `${event.payload.count} of yours, before round ${event.payload.round}`];
    case "user_guidance_discarded":
      return ["yellow", "not told", `${event.payload.guidanceIds.length} of yours: ${reasons[event.payload.reason]}`];
    default:
      return undefined;
  }
};

const reasons = {
  run_cancel_requested: "the run was cancelled",
  run_failed_before_next_model_request: "the run failed first",
  run_partial_success_before_next_model_request: "the run ended early",
  run_finished_before_next_model_request: "the agent had finished",
} as const;

const tasks = (count: number): string => (count === 1 ? "1 task" : `${count} tasks`);

/** What is printed of a text that somebody else wrote, in columns. */
const mostColumns = 120;

const excerpt = (text: string): string => shortened(printable(text), mostColumns);
