/** The step by which a successor takes the place of whoever is in the foreground. */
import { draft } from "@cahier/domain/run/RunEvent";
import { taskOf } from "@cahier/domain/run/tasks";
import { changeStatus, invocationOf, record, type RunContext } from "../RunContext.ts";
import { closeInvocation, completeTask } from "./endTask.ts";

/** Records that the invocation has left the foreground; a handoff that had brought it there is completed by that. */
export const transfer = (context: RunContext): void => {
  const { invocationId, writer } = context;
  const incoming = taskOf(writer.state(), invocationId);
  const { turn } = invocationOf(context);
  closeInvocation(writer, invocationId, "transferred");
  record(
    context,
    draft("agent_loop_finished", invocationId, {
      round: turn?.round ?? 0,
      invocationId,
      commitCount: writer.state().commits.length,
    }),
  );
  if (incoming !== undefined) completeTask(writer, incoming, {});
  changeStatus(writer, invocationId, "assembling_context", "handoff");
};
