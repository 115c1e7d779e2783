/**
 * How taking a published message back changes what a run knows of its chat.
 */
import type { KnownEvent } from "./RunEvent.ts";
import type { CommitRecord, RunState } from "./RunState.ts";

type RollbackEvent = Extract<
  KnownEvent,
  { readonly type: "chat_rollback_requested" | "chat_rollback_completed" | "chat_rollback_failed" }
>;

/** The state after `event`: its next commit updates the message that there is, or makes one where there is none. */
export const evolveRollback = (state: RunState, event: RollbackEvent): RunState => {
  switch (event.type) {
    case "chat_rollback_requested": {
      const { content, message, ...intent } = event.payload;
      return { ...state, pendingRollback: { ...intent, content: content ?? null, message: message ?? null } };
    }
    case "chat_rollback_failed":
      return { ...state, pendingRollback: null };
    case "chat_rollback_completed":
      return { ...completed(state, event.payload), pendingRollback: null };
    default:
      return event satisfies never;
  }
};

type Completed = Extract<RollbackEvent, { readonly type: "chat_rollback_completed" }>["payload"];

const completed = (state: RunState, payload: Completed): RunState => {
  const { action, chars, commitId, messageId, messageIndex, path, revision } = payload;
  const { pendingRollback, target } = state;
  const [first] = state.commits;
  if (action === "withdraw" || messageId === undefined || messageIndex === undefined)
    return {
      ...state,
      commits: [],
      withdrawn:
        pendingRollback === null || pendingRollback.message === null || first === undefined
          ? null
          : { message: pendingRollback.message, first },
      // What was regenerated and is not given back went with the message: another one would replace what comes before.
      target:
        target === null
          ? null
          : {
              ...target,
              revision,
              generationType:
                target.generationType === "regenerate" && target.replaces === undefined
                  ? "normal"
                  : target.generationType,
            },
    };
  const record: CommitRecord = { commitId, path, mode: "replace", round: 0, messageId, messageIndex, revision, chars };
  return { ...state, withdrawn: null, commits: action === "restore" ? [record] : [...state.commits, record] };
};
