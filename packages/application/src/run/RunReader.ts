/**
 * Looks at runs without touching them: lists, states, events, model turns, files. Reading never carries a run on.
 */
import * as PathMap from "@cahier/domain/run/PathMap";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { InvocationId, rootInvocation, RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import * as Message from "@cahier/domain/model/Message";
import type { Payload } from "@cahier/domain/payload/Payload";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { FileState } from "@cahier/domain/run/RunState";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import { type ListOptions, type Page, type ReadOptions, RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import * as Stream from "effect/Stream";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as Payloads from "../payload/Payloads.ts";
import { readResponse } from "../payload/readResponse.ts";
import * as WorkspaceFiles from "../workspace/WorkspaceFiles.ts";
import { type LoadedRun, loadState } from "./loadState.ts";
import * as RunSummary from "./RunSummary.ts";
import { workspacePathOf } from "./workspacePathOf.ts";

/** A run with its folded state. `standing` says in one word how it stands for a person. */
export interface ShownRun extends LoadedRun {
  readonly standing: RunSummary.Standing;
}

/** A file of a run as it stands now. */
export interface ReadFile {
  readonly path: string;
  readonly text: string;
  readonly chars: number;
  readonly words: number;
  readonly sha256: string;
}

/** One answer of the model, without signatures or other provider-private parts. */
export interface ModelTurn {
  readonly round: number;
  readonly invocationId: InvocationId;
  readonly modelResponsePath: string;
  readonly model: string;
  readonly assistant: string;
  readonly reasoning: string;
  readonly toolCalls: ReadonlyArray<{ readonly callId: string; readonly name: string; readonly arguments: string }>;
  readonly truncated: boolean;
}

const decodeRunId = Schema.decodeUnknownOption(RunId);
const decodeInvocationId = Schema.decodeUnknownOption(InvocationId);

/** A run id from outside, or what is wrong with it. */
export const parseRunId = (text: string): Effect.Effect<RunId, Fatal> =>
  Effect.mapError(Effect.fromOption(decodeRunId(text)), () =>
    fatal("agent.invalid_run_id", `"${text}" is not a run id; "cahier runs list" shows those there are.`),
  );

/** Newest runs first, each with its summary. A run that cannot be read is listed as such beside the others. */
export const listRuns = Effect.fn("RunReader.list")(function* (options: ListOptions = {}) {
  const journal = yield* RunJournal;
  const records = yield* journal.list(options).pipe(Effect.mapError(classifyStorage));
  return yield* Effect.forEach(records, (record) =>
    RunSummary.summaryOf(record).pipe(
      Effect.catch((failure) => Effect.succeed(RunSummary.unreadable(record, failure))),
    ),
  );
});

/** The run as its journal tells it. A damaged journal is shown up to the damage. */
export const showRun = Effect.fn("RunReader.show")(function* (runId: RunId) {
  const journal = yield* RunJournal;
  const loaded = yield* loadState(journal, runId);
  return { ...loaded, standing: yield* RunSummary.standingOf(loaded) } satisfies ShownRun;
});

/** The summary of one run, as a list has it. */
export const summarizeRun = Effect.fn("RunReader.summary")(function* (runId: RunId) {
  const { createdAt, workspaceId } = (yield* loadState(yield* RunJournal, runId)).state;
  // One that was never admitted has neither.
  return yield* RunSummary.summaryOf({
    runId,
    workspaceId: workspaceId ?? WorkspaceId.make("none"),
    createdAt: createdAt ?? new Date(0).toISOString(),
  });
});

/** The bytes of a file in the run's workspace, whatever they are. */
export const readFileBytes = Effect.fn("RunReader.bytes")(function* (runId: RunId, argument: string) {
  const path = yield* workspacePathOf(argument);
  const file = yield* fileOf(runId, path);
  const bytes = yield* WorkspaceFiles.make(yield* Payloads.make(runId)).bytes(file);
  return { path, bytes, sha256: file.sha256, isText: file.encoding === undefined };
});

/** One page of events, as stored. */
export const readEvents = Effect.fn("RunReader.events")(function* (
  runId: RunId,
  options: ReadOptions & { readonly invocation?: string },
): Effect.fn.Return<Page, Fatal, RunJournal> {
  const journal = yield* RunJournal;
  const { invocation, ...rest } = options;
  if (invocation === undefined) return yield* journal.read(runId, rest).pipe(Effect.mapError(classifyStorage));
  const invocationId = decodeInvocationId(invocation);
  if (Option.isNone(invocationId))
    return yield* fatal("agent.event_scope_invalid", `"${invocation}" is not an invocation id, such as inv_root.`);
  return yield* journal
    .read(runId, { ...rest, invocationId: invocationId.value })
    .pipe(Effect.mapError(classifyStorage));
});

/**
 * Every event after `afterSeq`, then new ones as they are appended, until nobody carries the run on: it has ended or waits.
 * A run that went on after that, by an answer, a revision or a rollback, is followed to where it stands now.
 */
export const subscribe = (runId: RunId, afterSeq: number): Stream.Stream<StoredEvent, Fatal, RunJournal> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const journal = yield* RunJournal;
      const { events, lastSeq } = yield* journal.read(runId, { beforeSeq: afterSeq + 1, limit: 1 });
      const [last] = events;
      if (last?.seq === lastSeq && isLetGo(last)) return Stream.empty;
      return Stream.takeUntilEffect(journal.tail(runId, afterSeq), (event) =>
        isLetGo(event)
          ? Effect.map(
              journal.read(runId, { beforeSeq: event.seq + 1, limit: 1 }),
              (page) => page.lastSeq === event.seq,
            )
          : Effect.succeed(false),
      );
    }),
  ).pipe(Stream.mapError(classifyStorage));

/** The text of a file in the run's workspace. What the runtime keeps for itself is not read through here. */
export const readWorkspaceFile = Effect.fn("RunReader.file")(function* (runId: RunId, argument: string) {
  const path = yield* workspacePathOf(argument);
  const file = yield* fileOf(runId, path);
  if (file.encoding !== undefined)
    return yield* fatal(
      "workspace.file_not_text",
      `${path} holds ${file.bytes} bytes that are no text. The readable tree of the run has them as they are.`,
    );
  const text = yield* WorkspaceFiles.make(yield* Payloads.make(runId)).content(file);
  return { path, text, ...TextMetrics.measure(text), sha256: file.sha256 } satisfies ReadFile;
});

const fileOf = Effect.fnUntraced(function* (
  runId: RunId,
  path: string,
): Effect.fn.Return<FileState, Fatal, RunJournal> {
  const { state } = yield* loadState(yield* RunJournal, runId);
  const file = PathMap.get(state.files, path);
  if (file !== undefined) return file;
  const known = WorkspaceFiles.filesOf(state).map((one) => one.path);
  return yield* fatal(
    "workspace.file_not_found",
    `The run has no file ${path}. It has: ${known.join(", ") || "none yet"}.`,
  );
});

/** What the model answered in one round; texts are cut at `maxChars` (default 40 000). */
export const readModelTurn = Effect.fn("RunReader.modelTurn")(function* (
  runId: RunId,
  round: number,
  options: { readonly invocation?: string; readonly maxChars?: number } = {},
) {
  const invocationId = decodeInvocationId(options.invocation ?? rootInvocation);
  const maxChars = options.maxChars ?? 40_000;
  if (!Number.isSafeInteger(round) || round < 1)
    return yield* fatal("agent.model_turn_round_invalid", "round is a whole number from 1.");
  if (Option.isNone(invocationId))
    return yield* fatal("agent.model_turn_invocation_id_invalid", "This is not an invocation id, such as inv_root.");
  if (!Number.isSafeInteger(maxChars) || maxChars < 1)
    return yield* fatal("agent.model_turn_max_chars_invalid", "maxChars is a whole number from 1.");
  const journal = yield* RunJournal;
  const found: { payload?: Payload } = {};
  yield* loadState(journal, runId, (event) => {
    if (event.type !== "model_response_stored" || event.eventScope.invocationId !== invocationId.value) return;
    const stored = event.payload as unknown as {
      readonly round: number;
      readonly response: Payload;
    };
    if (stored.round === round) found.payload = stored.response;
  });
  if (found.payload === undefined)
    return yield* fatal("agent.model_turn_round_invalid", `${invocationId.value} has no answer of round ${round}.`);
  const payloads = yield* Payloads.make(runId);
  const response = yield* readResponse(payloads, found.payload);
  const assistant = Message.textOf(response.message);
  const reasoning = Message.reasoningOf(response.message);
  const toolCalls = Message.toolCallsOf(response.message);
  const texts = [assistant, reasoning, ...toolCalls.map((call) => call.arguments)];
  return {
    round,
    invocationId: invocationId.value,
    modelResponsePath: found.payload.path,
    model: response.model,
    assistant: cut(assistant, maxChars),
    reasoning: cut(reasoning, maxChars),
    toolCalls: toolCalls.map((call) => ({
      callId: call.callId,
      name: call.name,
      arguments: cut(call.arguments, maxChars),
    })),
    truncated: texts.some((text) => text.length > maxChars),
  } satisfies ModelTurn;
});

const cut = (text: string, maxChars: number): string => text.slice(0, maxChars).toWellFormed();

/** The last event of a run's life with an owner: nothing follows until somebody claims it. */
const isLetGo = (event: StoredEvent): boolean =>
  event.type === "run_owner_changed" && (event.payload as { readonly owner: unknown }).owner === null;
