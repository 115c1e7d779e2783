/**
 * Takes the message that a run published back to a checkpoint.
 *
 * Owns what the message is to be: what the run had published at the checkpoint, or nothing when that lies before its first
 * commit. Does not own asking the chat (`settleRollback`), nor the files of the workspace (`rollBack`).
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { CheckpointId, CommitId, RunId } from "@cahier/domain/identity/Identity";
import { type CheckpointReason, checkpointOf, checkpointsOf, nextCheckpointId } from "@cahier/domain/run/checkpoint";
import type { MessageRollback } from "@cahier/domain/run/event/rollback";
import * as Published from "@cahier/domain/run/published";
import { draft, isKnown, trust } from "@cahier/domain/run/RunEvent";
import { chatRevision, type CheckpointState } from "@cahier/domain/run/RunState";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { ChatHost } from "@cahier/ports/ChatHost";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Identifiers from "../identity/Identifiers.ts";
import * as Payloads from "../payload/Payloads.ts";
import { nameState } from "../persist/nameState.ts";
import { chatOf } from "../run/chatOf.ts";
import { claimRun, foregroundOf } from "../run/claimRun.ts";
import { loadWritable } from "../run/loadState.ts";
import type { Ownership } from "../run/Ownership.ts";
import * as paths from "../run/paths.ts";
import { absent } from "../run/RunPoint.ts";
import type { RunWriter } from "../run/RunWriter.ts";
import * as WorkspaceFiles from "../workspace/WorkspaceFiles.ts";
import { captured } from "./captured.ts";
import { letGo, release, requireRest, showRun } from "./atRest.ts";
import { settleRollback } from "./settleRollback.ts";

/**
 * `action` is what was done to the message, null when it is as it was at the checkpoint. `undo` is the checkpoint at which
 * the message was as before; null when nothing has changed.
 */
export interface RolledBackMessage {
  readonly runId: RunId;
  readonly checkpointId: CheckpointId;
  readonly action: MessageRollback | null;
  readonly undo: CheckpointId | null;
}

/**
 * Gives the message of a run that waits or has ended the text that the run had published at a checkpoint, withdraws it, or
 * makes it again. What a regenerate had replaced is given back when it is withdrawn. A run that works, or that is to be taken up, is `agent.rollback_unavailable`. A chat that is not as the run
 * left it is `chat.conflict`, and nothing is changed. The intent is on record before the chat is touched.
 */
export const rollBackMessage = Effect.fn("Runs.rollBackMessage")(function* (
  runId: RunId,
  checkpointId: string,
): Effect.fn.Return<RolledBackMessage, Fatal, RunJournal | BlobStore | ChatHost | DocumentStore | Ownership> {
  const { state } = yield* load(runId);
  yield* requireRest(runId, state);
  const checkpoint = checkpointOf(state, checkpointId);
  if (checkpoint === undefined) return yield* absent(checkpointId, state);
  const isPending = state.pendingRollback !== null;
  const nothing = { runId, checkpointId: checkpoint.id, action: null, undo: null };
  if (!isPending && (yield* decide(runId, checkpoint)) === undefined) return nothing;
  const writer = yield* claimRun(runId, "evenEnded");
  const done = yield* Effect.gen(function* () {
    // What a crash left open comes first: only then it is known what the message is.
    yield* settleRollback(writer);
    const decision = yield* decide(runId, checkpoint);
    if (decision === undefined) return nothing;
    const undo = yield* intend(writer, checkpoint, decision);
    yield* settleRollback(writer);
    yield* nameAgain(writer);
    return { runId, checkpointId: checkpoint.id, action: decision.action, undo };
  }).pipe(Effect.ensuring(Effect.ignore(release(writer, "rolled_back"))), Effect.ensuring(letGo(runId)));
  yield* showRun(runId);
  return done;
});

/** What is to be done, with the text that the message gets (null: none), and when the message was changed last. */
interface Decision {
  readonly action: MessageRollback;
  readonly text: string | null;
  readonly path: string;
  readonly lastChange: number;
}

const load = Effect.fnUntraced(function* (runId: RunId) {
  const journal = yield* RunJournal;
  const found = { publications: [] as Published.Publications };
  const { state } = yield* loadWritable(journal, runId, (stored, after) => {
    const event = trust(stored);
    if (isKnown(event)) found.publications = Published.observe(found.publications, event, after);
  });
  return { state, publications: found.publications };
});

const decide = Effect.fnUntraced(function* (
  runId: RunId,
  checkpoint: CheckpointState,
): Effect.fn.Return<Decision | undefined, Fatal, RunJournal | BlobStore> {
  const { publications, state } = yield* load(runId);
  const now = Published.at(publications, state.seq);
  const then = Published.at(publications, checkpoint.seq);
  const lastChange = Published.lastChange(publications);
  const files = WorkspaceFiles.make(yield* Payloads.make(runId));
  if (then === null) {
    if (now === null) return undefined;
    // A message that could not be given back, as that of a slim run, is not taken out.
    yield* textOf(files, now);
    const replaces = state.target?.replaces;
    if (replaces !== undefined) yield* (yield* Payloads.make(runId)).read(replaces);
    return { action: "withdraw", text: null, path: pathOf(now), lastChange };
  }
  const text = yield* textOf(files, then);
  if (now === null) return { action: "restore", text, path: pathOf(then), lastChange };
  return (yield* textOf(files, now)) === text ? undefined : { action: "replace", text, path: pathOf(then), lastChange };
});

const pathOf = (published: NonNullable<Published.Published>): string => published.at(-1)?.path ?? "";

const textOf = (
  files: WorkspaceFiles.WorkspaceFiles,
  published: NonNullable<Published.Published>,
): Effect.Effect<string, Fatal> => Effect.map(Effect.forEach(published, files.content), (texts) => texts.join(""));

/** Records a name for the present moment, unless there is one at which the message was the same, and the intent. */
const intend = Effect.fnUntraced(function* (
  writer: RunWriter,
  { id, seq }: CheckpointState,
  { action, lastChange, path, text }: Decision,
): Effect.fn.Return<CheckpointId, Fatal, RunJournal | BlobStore | ChatHost> {
  const invocationId = foregroundOf(writer);
  const reason: CheckpointReason = "rollback";
  const named = checkpointsOf(writer.state()).findLast((one) => one.seq >= lastChange);
  const undo = named?.id ?? nextCheckpointId(writer.state());
  if (named === undefined) writer.record(draft("checkpoint_created", invocationId, { checkpointId: undo, reason }));
  const commitId = Identifiers.commitId((yield* Identifiers.Identifiers).next());
  const payloads = yield* Payloads.make(writer.runId);
  const content = text === null ? {} : { content: yield* payloads.store(paths.rolledBackMessage(commitId), text) };
  const kept = action === "withdraw" ? yield* keepMessage(writer, payloads, commitId) : {};
  writer.record(
    draft("chat_rollback_requested", invocationId, {
      commitId,
      checkpointId: id,
      seq,
      action,
      path,
      ...content,
      ...kept,
      revision: chatRevision(writer.state()),
      at: new Date(writer.now()).toISOString(),
    }),
  );
  yield* writer.flush;
  return undo;
});

/** What a message that is withdrawn is made again of. */
const keepMessage = Effect.fnUntraced(function* (writer: RunWriter, payloads: Payloads.Payloads, commitId: CommitId) {
  const state = writer.state();
  const [first] = state.commits;
  if (first === undefined) return {};
  const { messageId, messageIndex } = first;
  const revision = chatRevision(state);
  const receipt = { commitId: first.commitId, messageId, messageIndex, revision };
  const message = yield* captured(yield* chatOf(state), receipt, revision);
  return message === undefined ? {} : { message: yield* payloads.store(paths.withdrawnMessage(commitId), message) };
});

/** A message that was made again names what its run published, as it did before; that it cannot takes nothing from it. */
const nameAgain = Effect.fnUntraced(function* (writer: RunWriter): Effect.fn.Return<void, Fatal, ChatHost> {
  if (writer.state().status !== "completed") return;
  const chatHost = yield* ChatHost;
  const chat = yield* chatOf(writer.state());
  yield* nameState({ writer, invocationId: foregroundOf(writer), chat, chatHost }).pipe(
    Effect.catch((failure) => Effect.logWarning(`The message does not name its state: ${failure.message}`)),
  );
});
