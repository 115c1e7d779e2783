/**
 * A run of five agents: three work at once for a lead that goes on, waits for the first and then for all of them, and hands
 * over to an editor. Two commits, one while the others work and one behind the handoff.
 *
 * Each of them reaches outside; one falls silent for a while, one is reminded and asks people. Only the lead and the editor
 * write the message, and only the others what is remembered, so that the order in which they work changes no effect.
 */
import {
  append,
  long,
  main,
  outside,
  profileOf,
  remember,
  resultMark,
  type SweepStory,
  workspace,
} from "./SweepStory.ts";

const delegate = (agentId: string, objective: string) => ({
  name: "agent_delegate",
  arguments: { agentId, task: { objective } },
});
const wait = (mode: string) => ({ name: "agent_await", arguments: { mode } });
const give = (mark: string, more: object = {}) => ({ name: "task_return", arguments: { summary: mark, ...more } });

const files = ["workspace.read_file", "workspace.write_file"];
const publishing = ["workspace.commit", "workspace.finish"];
const subagent = { callable: true, allowAsSubagent: true };

export const teamStory: SweepStory = {
  profile: profileOf(
    "swept-lead",
    [...files, ...publishing, ...["delegate", "await", "handoff"].map((name) => `agent.${name}`)],
    { canDelegate: true, canHandoff: true },
  ),
  turns: [
    {
      toolCalls: [
        append(`[[line 1]]\n${long}`),
        delegate("swept-critic", "Find gaps."),
        delegate("swept-critic", "Find slips."),
        delegate("swept-reader", "Read it."),
      ],
    },
    { toolCalls: [workspace("commit", { reason: "the draft stands" }), outside("irreversible", "irreversible-1")] },
    { toolCalls: [wait("nextCompleted")] },
    { toolCalls: [wait("allCompleted")] },
    { toolCalls: [append("[[line 2]]\n"), outside("keyed", "keyed-1")] },
    {
      toolCalls: [
        { name: "agent_handoff", arguments: { agentId: "swept-editor", handoff: { objective: "Publish it." } } },
      ],
    },
  ],
  agents: {
    "swept-critic": [
      [
        { toolCalls: [workspace("read_file", { path: main }), outside("irreversible", "irreversible-2")] },
        { error: { status: 503, body: "busy" } },
        { toolCalls: [give(resultMark("gaps"))] },
      ],
      [
        { toolCalls: [remember("[[slip 1]]\n"), outside("reconciled", "reconciled-1")] },
        { toolCalls: [give(resultMark("slips"), { findings: [{ place: "all of it", problem: long }] })] },
      ],
    ],
    "swept-reader": [
      [
        { text: "It reads well.", delayMs: 20 },
        { toolCalls: [remember("[[memory 1]]\n"), outside("keyed", "keyed-2")] },
        { toolCalls: [give(resultMark("reading"))] },
      ],
    ],
    "swept-editor": [
      [
        { toolCalls: [workspace("read_file", { path: main }), outside("idempotent", "idempotent-1")] },
        { toolCalls: [append("[[line 3]]\n"), outside("irreversible", "irreversible-3")] },
        { toolCalls: [workspace("commit", { mode: "append" })] },
        { toolCalls: [workspace("finish", {})] },
      ],
    ],
  },
  profiles: [
    profileOf("swept-critic", files, subagent),
    profileOf("swept-reader", files, subagent),
    profileOf("swept-editor", [...files, ...publishing], { callable: true, allowAsHandoffTarget: true }),
  ],
};
