/** What an agent is told between two of its requests: results of its tasks, and what the user has said. */
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Guidance from "@cahier/domain/guidance/Guidance";
import type { Step } from "@cahier/domain/run/nextStep";
import { draft } from "@cahier/domain/run/RunEvent";
import { capsule } from "@cahier/domain/task/capsule";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import * as Effect from "effect/Effect";
import * as paths from "../paths.ts";
import { endingOf, shownTask } from "../readResult.ts";
import { invocationOf, record, type RunContext } from "../RunContext.ts";

/** Records one user message with the results. */
export const deliverResults = Effect.fnUntraced(function* (
  context: RunContext,
  { round, tasks }: Extract<Step, { _tag: "DeliverResults" }>,
): Effect.fn.Return<void, Fatal> {
  const { invocationId, payloads } = context;
  const shown = yield* Effect.forEach(tasks, (task) => shownTask(payloads, task));
  const message = yield* payloads.store(paths.taskResults(invocationId, round), capsule(shown, endingOf(context)));
  context.writer.record({
    ...draft("agent_task_results_delivered", invocationId, {
      parentInvocationId: invocationId,
      taskIds: tasks.map(({ taskId }) => taskId),
      message,
    }),
    related: tasks.map(({ child }) => child),
  });
});

/** Records one user message with everything that has waited. */
export const applyGuidance = Effect.fnUntraced(function* (
  context: RunContext,
  { round }: Extract<Step, { _tag: "ApplyGuidance" }>,
): Effect.fn.Return<void, Fatal> {
  const { invocationId, payloads, writer } = context;
  const { pending } = writer.state().guidance;
  const { messages, userMessage } = invocationOf(context);
  const texts = yield* Effect.forEach(pending, ({ text }) => payloads.read(text));
  const joined = texts.join("\n\n");
  const message = yield* payloads.store(paths.appliedGuidance(invocationId, round), Guidance.toldAs(texts));
  record(
    context,
    draft("user_guidance_applied", invocationId, {
      guidanceIds: pending.map(({ guidanceId }) => guidanceId),
      clientGuidanceIds: pending.flatMap(({ clientGuidanceId }) =>
        clientGuidanceId === null ? [] : [clientGuidanceId],
      ),
      invocationId,
      round,
      count: pending.length,
      ...TextMetrics.measure(joined),
      preview: Guidance.previewOf(joined),
      messageIndex: messages.length,
      requestMessageCount: context.window.promptLength + messages.length + 1 + (userMessage === null ? 0 : 1),
      message,
      status: "applied",
    }),
  );
});
