/** Asks the chat host for a commit whose intent is journalled, and records what became of it. */
import * as PathMap from "@cahier/domain/run/PathMap";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { draft } from "@cahier/domain/run/RunEvent";
import type { RunTarget } from "@cahier/domain/run/event/lifecycle";
import { checkpointsOf } from "@cahier/domain/run/checkpoint";
import type { FileState, PendingCommit } from "@cahier/domain/run/RunState";
import type { Step } from "@cahier/domain/run/nextStep";
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import { ChatFault, type CommitReceipt, type CommitRequest } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import type * as Schema from "effect/Schema";
import * as Result from "effect/Result";
import { chatTrouble, classifyChat } from "../../failure/classifyChat.ts";
import { errorResult } from "../../tool/settle.ts";
import { toolName } from "../../tool/toolNames.ts";
import { changeStatus, record, type RunContext } from "../RunContext.ts";
import { closeCall, identityOf } from "./closeCall.ts";

/** How long a chat host may take to answer a commit. */
export const commitDeadlineMs = 600_000;

/** How long it may take to say whether a cancelled run's commit was applied: a cancel ends within a second. */
export const lookUpDeadlineMs = 900;

/**
 * The same step before and after a crash: the commit carries its id, so a host that has applied it gives the same
 * receipt again instead of a second message. Only the wait for the host's answer can be interrupted; an answer is
 * always recorded. A cancel that ends the wait leads back here to look up what became of the commit.
 */
export const settleCommit = (
  context: RunContext,
  step: Extract<Step, { _tag: "SettleCommit" }>,
): Effect.Effect<void, Fatal> => Effect.uninterruptibleMask((restore) => settle(context, step, restore));

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>;

const settle = Effect.fnUntraced(function* (
  context: RunContext,
  { commit, turn, call, onlyLookUp }: Extract<Step, { _tag: "SettleCommit" }>,
  restore: Restore,
): Effect.fn.Return<void, Fatal> {
  const { writer } = context;
  const startedAt = writer.now();
  yield* writer.exclusively(
    Effect.suspend(() => {
      if (!onlyLookUp) changeStatus(writer, context.invocationId, "awaiting_host_commit", "resumed");
      return writer.flush;
    }),
  );
  const file = yield* intendedFile(context, commit);
  const request = yield* requestOf(context, commit, file);
  const answer = yield* restore(ask(context, request, onlyLookUp));
  const elapsedMs = writer.now() - startedAt;
  if (Result.isSuccess(answer))
    return yield* writer.exclusively(
      Effect.gen(function* () {
        recordApplied(context, commit, file, answer.success);
        const result = confirmed(commit, file, answer.success, identityOf(call), context.setup.snapshot);
        yield* closeCall(context, turn, call, result, { elapsedMs });
        yield* writer.flush;
      }),
    );
  const trouble = chatTrouble(answer.failure);
  // The commit stays intended, and whoever carries the run on asks for it again.
  if (trouble !== undefined && !onlyLookUp) return yield* trouble;
  const failure = classifyChat(answer.failure);
  const { code } = failure.reason;
  // Of a host that did not answer it is not known whether the commit failed.
  yield* writer.exclusively(
    Effect.suspend(() => {
      if (code !== "agent.host_timeout")
        record(
          context,
          draft("chat_commit_failed", context.invocationId, { ...idsOf(commit), code, message: failure.message }),
        );
      return closeCall(context, turn, call, errorResult(identityOf(call), code, failure.message), { elapsedMs });
    }),
  );
  // A cancelled run ends as cancelled, whether or not the host could say what became of its commit.
  if (failure._tag !== "Recoverable" && !onlyLookUp)
    return yield* fatal(code, failure.message, { cause: failure.cause });
});

/** The receipt, or the fact that kept the host from giving one. */
const ask = (
  context: RunContext,
  request: CommitRequest,
  onlyLookUp: boolean,
): Effect.Effect<Result.Result<CommitReceipt, ChatFault>> => {
  const asked = onlyLookUp
    ? Effect.filterOrFail(
        context.chatHost.lookup(request.chat, request.commitId),
        (receipt) => receipt !== null,
        () =>
          new ChatFault({
            reason: { _tag: "Refused" },
            detail: "The run was cancelled before this commit was applied.",
          }),
      )
    : context.chatHost.commit(request);
  return asked.pipe(
    Effect.timeoutOrElse({
      duration: onlyLookUp ? lookUpDeadlineMs : commitDeadlineMs,
      orElse: () =>
        Effect.fail(
          new ChatFault({
            reason: { _tag: "Silent" },
            detail: "The chat host did not answer in time. Look into the chat whether the commit was applied.",
          }),
        ),
    }),
    Effect.result,
  );
};

const idsOf = ({ commitId, round, invocationId, callId, path, mode }: PendingCommit) => ({
  commitId,
  round,
  invocationId,
  callId,
  path,
  mode,
});

/** What was to be published when the commit was intended, which has a name; others may have changed or removed the file since. */
const intendedFile = (
  context: RunContext,
  { commitId, path, sha256 }: PendingCommit,
): Effect.Effect<FileState, Fatal> => {
  const state = context.writer.state();
  const present = PathMap.get(state.files, path);
  const file =
    present?.sha256 === sha256
      ? present
      : checkpointsOf(state)
          .map(({ files }) => PathMap.get(files, path))
          .findLast((version) => version?.sha256 === sha256);
  return file === undefined ? Effect.fail(unsaid(commitId)) : Effect.succeed(file);
};

const unsaid = (commitId: string): Fatal =>
  fatal("journal.corrupt", `The journal does not say what commit ${commitId} publishes.`);

const requestOf = Effect.fnUntraced(function* (
  context: RunContext,
  commit: PendingCommit,
  file: FileState,
): Effect.fn.Return<CommitRequest, Fatal> {
  const state = context.writer.state();
  const { target, workspaceId, profileId } = state;
  if (target === null || workspaceId === null || profileId === null) return yield* unsaid(commit.commitId);
  const text = yield* context.files.content(file);
  const first = state.commits[0];
  const chatState = first === undefined ? yield* chatStateOf(context, target) : undefined;
  const revision = commit.revision;
  return {
    commitId: commit.commitId,
    chat: context.chat,
    generationType: target.generationType,
    mode: commit.mode,
    text,
    characterName: target.characterName,
    revision,
    ...(first === undefined
      ? {}
      : {
          previous: {
            commitId: first.commitId,
            messageId: first.messageId,
            messageIndex: first.messageIndex,
            revision,
          },
        }),
    // What the prompt leaves to the next one is the chat's as soon as the run has said anything in it.
    ...(chatState === undefined ? {} : { chatState }),
    metadata: {
      runId: context.writer.runId,
      workspaceId,
      stableChatId: target.stableChatId,
      profileId,
      path: commit.path,
      model: context.setup.binding.modelId,
    },
    at: commit.at,
  };
});

/** What the chat is to keep. A fork may come long after its prompt was made, and then takes nothing back that the chat has kept since. */
const chatStateOf = Effect.fnUntraced(function* (
  { chat, chatHost, setup, writer }: RunContext,
  { generationType }: RunTarget,
): Effect.fn.Return<CommitRequest["chatState"]> {
  const { chatState } = setup;
  if (chatState === undefined || writer.state().forkedFrom === null) return chatState?.values;
  const present = yield* Effect.option(chatHost.freeze(chat, generationType));
  if (Option.isNone(present)) return undefined;
  const { metadata = {} } = present.value;
  const isSame = Object.entries(chatState.before).every(([key, value]) => isEqual(metadata[key] ?? null, value));
  return isSame ? chatState.values : undefined;
});

const isEqual = (one: Schema.Json, other: Schema.Json): boolean => JSON.stringify(one) === JSON.stringify(other);

const recordApplied = (context: RunContext, commit: PendingCommit, file: FileState, receipt: CommitReceipt): void => {
  const { invocationId, writer } = context;
  record(
    context,
    draft("chat_commit_completed", invocationId, {
      ...idsOf(commit),
      messageId: receipt.messageId,
      messageIndex: receipt.messageIndex,
      revision: receipt.revision,
      chars: file.chars,
    }),
  );
  record(
    context,
    draft("chat_commit_recorded", invocationId, {
      invocationId,
      commitCount: writer.state().commits.length,
      path: commit.path,
      mode: commit.mode,
      messageId: receipt.messageId,
    }),
  );
};

const confirmed = (
  commit: PendingCommit,
  file: FileState,
  receipt: CommitReceipt,
  identity: ReturnType<typeof identityOf>,
  snapshot: InvocationToolSnapshot,
) => ({
  ...identity,
  content: `${commit.path} is published: ${file.chars} characters, ${file.words} words. When nothing is left to do, end with ${toolName(snapshot, "workspace.finish")}.`,
  isError: false,
  structured: {
    path: commit.path,
    mode: commit.mode,
    messageId: receipt.messageId,
    messageIndex: receipt.messageIndex,
    chars: file.chars,
    words: file.words,
  },
  resourceRefs: [`chat:current#${receipt.messageIndex}`],
});
