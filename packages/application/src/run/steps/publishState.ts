/** The steps about what agents remember: published when a run finishes, taken back when it does not come to its end. */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import {
  nextStateId,
  type PersistentChange,
  persistentChanges,
  persistentFiles,
  unsettledState,
} from "@cahier/domain/run/remembered";
import type { Step } from "@cahier/domain/run/nextStep";
import { draft } from "@cahier/domain/run/RunEvent";
import * as Effect from "effect/Effect";
import { isHostTrouble } from "../../failure/hostTrouble.ts";
import { lookUpName, nameState } from "../../persist/nameState.ts";
import { changeStatus, record, type RunContext } from "../RunContext.ts";
import { lookUpDeadlineMs } from "./settleCommit.ts";

/**
 * Publishes what the run changed under `persist/`, and lets its message name the state. The same after a crash: what was done
 * is not done again. When the message cannot name it nobody is to find the state, and it is taken back.
 */
export const publishState = Effect.fnUntraced(function* (context: RunContext): Effect.fn.Return<void, Fatal> {
  const { invocationId, writer } = context;
  changeStatus(writer, invocationId, "finishing", "finish");
  const changes = persistentChanges(writer.state());
  if (changes.length > 0) {
    yield* writer.flush;
    yield* Effect.uninterruptible(publish(context, changes));
  }
  yield* nameState(context).pipe(
    // While the chat may still come to name the state, it stays: also when another host, or this one later, goes on.
    Effect.tapError((failure) =>
      writer.state().persist.naming === null && !isHostTrouble(failure) ? takeBack(context) : Effect.void,
    ),
  );
});

/**
 * Takes back the state of a run that was cancelled after it had published. One that the message names, or may name because
 * the host cannot be asked, stays: a message never names what is not there.
 */
export const withdrawState = Effect.fnUntraced(function* (
  context: RunContext,
  { stateId }: Extract<Step, { _tag: "WithdrawState" }>,
): Effect.fn.Return<void, Fatal> {
  const { writer } = context;
  const { commits, persist } = writer.state();
  const [message] = commits;
  if (persist.naming !== stateId || message === undefined) return yield* takeBack(context);
  const found = yield* lookUpName(context, message, stateId).pipe(
    Effect.timeout(lookUpDeadlineMs),
    Effect.orElseSucceed(() => ({ isNamed: true, revision: "" })),
  );
  if (!found.isNamed) return yield* takeBack(context);
  const { commitId, messageId } = message;
  record(
    context,
    draft("persistent_state_metadata_updated", context.invocationId, {
      stateId,
      commitId,
      messageId,
      revision: found.revision,
    }),
  );
});

/**
 * The decision is on record before the state goes: only whoever still owns the run may take anything back, and another owner
 * may have let the message name the state by now. A crash in between leaves a state that nobody begins with (`chooseBase`).
 */
const takeBack = Effect.fnUntraced(function* (context: RunContext): Effect.fn.Return<void, Fatal> {
  const state = context.writer.state();
  const stateId = unsettledState(state);
  if (stateId === undefined || state.workspaceId === null) return;
  record(context, draft("persistent_state_withdrawn", context.invocationId, { stateId }));
  yield* context.writer.flush;
  yield* context.states.withdraw(state.workspaceId, stateId, context.writer.runId);
});

const publish = Effect.fnUntraced(function* (
  context: RunContext,
  changes: ReadonlyArray<PersistentChange>,
): Effect.fn.Return<void, Fatal> {
  const { files, states, writer } = context;
  const state = writer.state();
  const { workspaceId } = state;
  if (workspaceId === null)
    return yield* fatal("journal.corrupt", "The journal does not say which chat the run is of.");
  const stateId = nextStateId(state);
  const baseStateId = state.persist.stateId;
  const present = persistentFiles(state);
  yield* states.publish(
    {
      schemaVersion: 1,
      stateId,
      workspaceId,
      runId: writer.runId,
      baseStateId,
      createdAt: new Date(writer.now()).toISOString(),
      files: present.map(({ bytes, chars, path, sha256, words }) => ({ path, sha256, bytes, chars, words })),
      deleted: changes.filter(({ kind }) => kind === "deleted").map(({ path }) => path),
    },
    yield* Effect.forEach(present, files.content),
  );
  record(
    context,
    draft("persistent_changes_committed", context.invocationId, {
      stateId,
      baseStateId,
      changeCount: changes.length,
      changes,
    }),
  );
  yield* writer.flush;
});
