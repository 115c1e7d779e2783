/** `agent.list`: whom the caller can give work to. */
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { callerOf } from "../../delegation/callerOf.ts";
import { defineTool } from "../defineTool.ts";

const defaultLimit = 8;
const maxLimit = 20;

export const agentList = defineTool({
  name: "agent.list",
  title: "List agents",
  description:
    "Lists other agents that you can give a task with agent.delegate or hand your work over to with agent.handoff, with what each is for.",
  parameters: Schema.Struct({
    purpose: Schema.optionalKey(
      Schema.Literals(["any", "delegate", "handoff"]).annotate({
        description: "Only agents that take tasks (delegate) or take work over (handoff). Default any.",
      }),
    ),
    query: Schema.optionalKey(Schema.String.annotate({ description: "Words that the name or purpose must contain." })),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxLimit })).annotate({
        description: `Most agents to list, 1 to ${maxLimit}. Default ${defaultLimit}.`,
      }),
    ),
  }),
  annotations: { readOnly: true, idempotent: true },
  effectClass: "pure",
  run: Effect.fnUntraced(function* (parameters, { agents, invocation, state }) {
    const caller = callerOf(state, invocation);
    const { limit = defaultLimit, purpose = "any", query = "" } = parameters;
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = (yield* agents.callable(caller)).filter(
      (agent) =>
        (purpose === "any" || agent.operations.includes(purpose)) &&
        words.every((word) => `${agent.id} ${agent.purpose}`.toLowerCase().includes(word)),
    );
    const shown = fitting.slice(0, limit);
    const lines = shown.map((agent) => `- ${agent.id} (${agent.operations.join(", ")}): ${agent.purpose}`);
    const left = fitting.length - shown.length;
    return {
      _tag: "Done" as const,
      content:
        lines.length === 0
          ? `There is no agent that you can call${query.trim() === "" ? "" : ` and that fits ${quote(query)}`}.`
          : [...lines, ...(left > 0 ? [`${left} more: ask with a query, or for more of them.`] : [])].join("\n"),
      structured: {
        agents: shown.map((agent) => ({
          agentId: agent.id,
          purpose: agent.purpose,
          operations: [...agent.operations],
        })),
        truncated: left > 0,
      },
    };
  }),
});
