/**
 * Asks the chat host for a rollback whose intent is journalled, and records what became of it: the same before and after a
 * crash.
 */
import type { GenerationType } from "@cahier/domain/chat/Chat";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { draft } from "@cahier/domain/run/RunEvent";
import type { CommitRecord, PendingRollback, RunState } from "@cahier/domain/run/RunState";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { ChatFault, ChatHost, type ChatLocation, type CommitReceipt, type CommitRequest } from "@cahier/ports/ChatHost";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as Payloads from "../payload/Payloads.ts";
import { chatOf } from "../run/chatOf.ts";
import { foregroundOf } from "../run/claimRun.ts";
import type { RunWriter } from "../run/RunWriter.ts";
import { chatRefusal } from "../failure/classifyChat.ts";
import { commitDeadlineMs } from "../run/steps/settleCommit.ts";

/**
 * Settles the rollback that the run has pending, if it has one. What the chat refuses is recorded and fails with its code; a
 * host that cannot be asked fails as well and leaves the rollback pending. Only the wait for the host can be interrupted.
 */
export const settleRollback = (writer: RunWriter): Effect.Effect<void, Fatal, ChatHost | RunJournal | BlobStore> =>
  Effect.suspend(() => {
    const pending = writer.state().pendingRollback;
    return pending === null ? Effect.void : Effect.uninterruptibleMask((restore) => settle(writer, pending, restore));
  });

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>;

const settle = Effect.fnUntraced(function* (
  writer: RunWriter,
  pending: PendingRollback,
  restore: Restore,
): Effect.fn.Return<void, Fatal, ChatHost | RunJournal | BlobStore> {
  const state = writer.state();
  const chat = yield* chatOf(state);
  const payloads = yield* Payloads.make(writer.runId);
  const text = pending.content === null ? null : yield* payloads.read(pending.content);
  const { action, at: _at, checkpointId, commitId, path, seq } = pending;
  const ids = { commitId, checkpointId, seq, action };
  const asked =
    text === null
      ? withdraw(chat, state, pending, yield* replacedBy(state, payloads))
      : publish(yield* requestOf(chat, state, pending, text, payloads));
  const answer = yield* restore(inTime(asked)).pipe(Effect.result);
  if (Result.isFailure(answer)) {
    const failure = chatRefusal(answer.failure);
    if (leavesOpen.has(answer.failure.reason._tag)) return yield* failure;
    const { code } = failure.reason;
    writer.record(draft("chat_rollback_failed", foregroundOf(writer), { ...ids, code, message: failure.message }));
    yield* writer.flush;
    return yield* failure;
  }
  const { receipt, revision } = answer.success;
  writer.record(
    draft("chat_rollback_completed", foregroundOf(writer), {
      ...ids,
      path,
      ...(receipt === undefined ? {} : { messageId: receipt.messageId, messageIndex: receipt.messageIndex }),
      chars: text === null ? 0 : TextMetrics.measure(text).chars,
      revision,
    }),
  );
  yield* writer.flush;
});

/** Whether the host did it is not known, or it can be asked at another time. */
const leavesOpen: ReadonlySet<ChatFault["reason"]["_tag"]> = new Set(["Silent", "Unreachable", "Busy", "Missing"]);

interface Settled {
  readonly revision: string;
  readonly receipt?: CommitReceipt;
}

/** A commit that the host was asked for under this id before gives the same receipt again. */
const publish = Effect.fnUntraced(function* (request: CommitRequest): Effect.fn.Return<Settled, ChatFault, ChatHost> {
  const chatHost = yield* ChatHost;
  const receipt = yield* chatHost.commit(request);
  return { receipt, revision: receipt.revision };
});

const requestOf = Effect.fnUntraced(function* (
  chat: ChatLocation,
  state: RunState,
  { action, at, commitId, path, revision }: PendingRollback,
  text: string,
  payloads: Payloads.Payloads,
): Effect.fn.Return<CommitRequest, Fatal> {
  const { profileId, runId, target, withdrawn, workspaceId } = state;
  if (target === null || workspaceId === null || profileId === null || runId === null)
    return yield* fatal("journal.corrupt", "The journal does not say which chat the run writes to.");
  const first = firstReceipt(action === "restore" && withdrawn !== null ? [withdrawn.first] : state.commits, revision);
  return {
    commitId,
    chat,
    generationType: target.generationType,
    mode: "replace",
    text,
    characterName: target.characterName,
    revision,
    ...(first === undefined ? {} : { previous: first }),
    ...(action === "restore" && withdrawn !== null ? { message: yield* payloads.read(withdrawn.message) } : {}),
    metadata: {
      runId,
      workspaceId,
      stableChatId: target.stableChatId,
      profileId,
      path,
      model: yield* modelOf(state, payloads),
    },
    at,
  };
});

/** The model that a message which is made anew was written by; a slim run does not know it any more. */
const modelOf = ({ foreground, invocations }: RunState, payloads: Payloads.Payloads): Effect.Effect<string> => {
  const binding = foreground === null ? null : (invocations[foreground]?.binding ?? null);
  return binding === null
    ? Effect.succeed("")
    : payloads.read(binding).pipe(
        Effect.map((text) => Option.getOrElse(decodeModel(text), () => ({ modelId: "" })).modelId),
        Effect.orElseSucceed(() => ""),
      );
};

const decodeModel = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ modelId: Schema.String })));

/** The message that the run's first commit took the place of, as the chat host keeps it. */
const replacedBy = ({ target }: RunState, payloads: Payloads.Payloads): Effect.Effect<string | undefined, Fatal> =>
  target?.replaces === undefined ? Effect.undefined : payloads.read(target.replaces);

/** A message that is gone is withdrawn: then a crash came between. */
const withdraw = Effect.fnUntraced(function* (
  chat: ChatLocation,
  state: RunState,
  { revision }: PendingRollback,
  replaced: string | undefined,
): Effect.fn.Return<Settled, ChatFault, ChatHost> {
  const chatHost = yield* ChatHost;
  const first = firstReceipt(state.commits, revision);
  if (first === undefined) return { revision };
  const found = yield* chatHost.lookup(chat, first.commitId);
  if (found !== null) return { revision: yield* chatHost.withdraw(chat, first, revision, replaced) };
  return { revision: yield* revisionWithout(chat, state) };
});

/**
 * The revision of a chat that is again as the run saw it at its start. One that has gone on has none that the run could
 * go on from: whatever it asks of the chat next is `chat.conflict`.
 */
const revisionWithout = Effect.fnUntraced(function* (
  chat: ChatLocation,
  { target }: RunState,
): Effect.fn.Return<string, ChatFault, ChatHost> {
  const chatHost = yield* ChatHost;
  const type: GenerationType =
    target?.generationType === "swipe" || target?.replaces !== undefined ? target.generationType : "normal";
  return yield* chatHost.freeze(chat, type).pipe(
    Effect.map(({ messages, revision }) => (messages.length === target?.inputMessageCount ? revision : "")),
    Effect.catchIf(
      ({ reason }) => reason._tag === "TargetInvalid",
      () => Effect.succeed(""),
    ),
  );
});

const firstReceipt = (commits: ReadonlyArray<CommitRecord>, revision: string): CommitReceipt | undefined => {
  const [first] = commits;
  if (first === undefined) return undefined;
  const { commitId, messageId, messageIndex } = first;
  return { commitId, messageId, messageIndex, revision };
};

const inTime = <A, E, R>(asked: Effect.Effect<A, E, R>): Effect.Effect<A, E | ChatFault, R> =>
  Effect.timeoutOrElse(asked, {
    duration: commitDeadlineMs,
    orElse: () =>
      Effect.fail(
        new ChatFault({
          reason: { _tag: "Silent" },
          detail: "The chat host did not answer in time. Look into the chat whether the message was taken back.",
        }),
      ),
  });
