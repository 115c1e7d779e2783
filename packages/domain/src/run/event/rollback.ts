/** Payloads of the events that take what a run published back to a checkpoint. */
import * as Schema from "effect/Schema";
import { CheckpointId, CommitId } from "../../identity/Identity.ts";
import { Payload } from "../../payload/Payload.ts";

/**
 * What is done to the message of the run: it gets another text (`replace`), is taken out of the chat (`withdraw`), or is
 * made again after it was taken out (`restore`).
 */
export const MessageRollback = Schema.Literals(["replace", "withdraw", "restore"]);
export type MessageRollback = typeof MessageRollback.Type;

const rollback = { commitId: CommitId, checkpointId: CheckpointId, seq: Schema.Int, action: MessageRollback };

/**
 * The intent before the chat is touched: its message is to be what it was at a checkpoint, the event `seq`. The host is asked
 * under `commitId`. `content` is the text, absent of a message that is withdrawn; `path` is the file that it was published
 * from, `message` is the message that is withdrawn as the chat host keeps it, to make it again of, `revision` names the state of
 * the chat that the run last saw, and `at` is an ISO 8601 time.
 */
export const ChatRollbackRequested = Schema.Struct({
  ...rollback,
  path: Schema.String,
  content: Schema.optionalKey(Payload),
  message: Schema.optionalKey(Payload),
  revision: Schema.String,
  at: Schema.String,
});

/**
 * The chat is as it was meant to be: `messageId` at `messageIndex` (from 0) has the text of `chars` characters, or is gone,
 * and then there is none, but for what a regenerate had replaced. `revision` names the state of the chat after it. Undone by rolling back to a later checkpoint.
 */
export const ChatRollbackCompleted = Schema.Struct({
  ...rollback,
  path: Schema.String,
  messageId: Schema.optionalKey(Schema.String),
  messageIndex: Schema.optionalKey(Schema.Int),
  chars: Schema.Int,
  revision: Schema.String,
});

/** The chat did not take the rollback and is unchanged. */
export const ChatRollbackFailed = Schema.Struct({ ...rollback, code: Schema.String, message: Schema.String });
