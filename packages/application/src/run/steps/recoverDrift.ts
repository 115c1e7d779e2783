/** A text-only answer: kept as a file beside the message body, then the model is reminded how to go on. */
import * as PathMap from "@cahier/domain/run/PathMap";
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Repetition from "@cahier/domain/budget/Repetition";
import { textOf } from "@cahier/domain/model/Message";
import { draft } from "@cahier/domain/run/RunEvent";
import type { Step } from "@cahier/domain/run/nextStep";
import { taskOf } from "@cahier/domain/run/tasks";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import * as Effect from "effect/Effect";
import { readResponse } from "../../payload/readResponse.ts";
import { toolName } from "../../tool/toolNames.ts";
import * as paths from "../paths.ts";
import { type InvocationSetup, invocationOf, record, recordCheckpoint, type RunContext } from "../RunContext.ts";

/** Records the captured text and the reminder as one change. An answer without any text is only reminded. */
export const recoverDrift = Effect.fnUntraced(function* (
  context: RunContext,
  { turn, attempt }: Extract<Step, { _tag: "RecoverDrift" }>,
): Effect.fn.Return<void, Fatal> {
  const { invocationId, payloads, setup, writer } = context;
  const response = yield* readResponse(payloads, turn.response);
  const text = textOf(response.message).toWellFormed();
  const task = invocationOf(context).kind === "subagent" ? taskOf(writer.state(), invocationId) : undefined;
  const path =
    task === undefined ? directOutputPath(setup.messageBodyPath) : `summaries/${task.workspaceKey}-direct-output.md`;
  if (text !== "") {
    const content = yield* payloads.store(path, text);
    const before = PathMap.get(writer.state().files, path)?.sha256;
    context.files.remember(path, content.sha256, text);
    record(
      context,
      draft("direct_output_captured", invocationId, {
        round: turn.round,
        invocationId,
        path,
        ...TextMetrics.measure(text),
        sha256: content.sha256,
        modelResponsePath: turn.response.path,
        content,
      }),
    );
    if (content.sha256 !== before) recordCheckpoint(context, "direct_output_capture");
  }
  const { context: frozen, repetition } = invocationOf(context);
  const limits = frozen?.limits;
  const isCircle = limits?.repetition !== undefined && Repetition.judge(repetition, limits.repetition) === "warn";
  const committedCount = writer.state().commits.length;
  const reminder = yield* payloads.store(
    paths.reminder(invocationId, turn.round),
    [
      task === undefined
        ? reminderText(setup, path, text !== "", committedCount)
        : taskReminder(setup, path, text !== ""),
      ...(isCircle ? [Repetition.describe(repetition, limits.repetition)] : []),
    ].join(" "),
  );
  record(
    context,
    draft("drift_recovery_attempted", invocationId, {
      round: turn.round,
      invocationId,
      attempt,
      maxAttempts: limits?.driftRecoveryMaxAttempts ?? attempt,
      maxRounds: limits?.maxRounds ?? turn.round,
      committedCount,
      reasonCode: "model.tool_call_required",
      reminder,
    }),
  );
});

/** `direct_output.md` beside the message body. */
export const directOutputPath = (messageBodyPath: string): string =>
  `${messageBodyPath.slice(0, messageBodyPath.lastIndexOf("/") + 1)}direct_output.md`;

/** A delegated agent is reminded of its task; it publishes nothing. */
const taskReminder = ({ snapshot }: InvocationSetup, path: string, captured: boolean): string =>
  [
    "Your last answer was text without a tool call; such text reaches nobody.",
    ...(captured ? [`It was kept in ${path}.`] : []),
    `Go on with your tools, and when the task is done, or cannot be done, call ${toolName(snapshot, "task.return")} with the result.`,
  ].join(" ");

const reminderText = (
  { snapshot, messageBodyPath }: InvocationSetup,
  path: string,
  captured: boolean,
  committedCount: number,
): string =>
  [
    "Your last answer was text without a tool call; such text does not reach the reader.",
    ...(captured ? [`It was kept in ${path}.`] : []),
    committedCount > 0
      ? `Text has been published already. If nothing is left to do, call ${toolName(snapshot, "workspace.finish")}; otherwise go on with the tools.`
      : `Put the text of the message into ${messageBodyPath} with ${toolName(snapshot, "workspace.write_file")}, publish it with ${toolName(snapshot, "workspace.commit")}, then call ${toolName(snapshot, "workspace.finish")}.`,
  ].join(" ");
