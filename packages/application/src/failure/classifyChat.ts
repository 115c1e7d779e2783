/**
 * What a chat fact means: one total function, for admission and for commits alike.
 */
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import { type Failure, type Fatal, fatal, recoverable } from "@cahier/domain/failure/Failure";
import type { ChatFault, ChatFaultReason } from "@cahier/ports/ChatHost";

/** A refused commit is for the model to deal with; everything else ends the run or refuses its start. */
export const classifyChat = (fault: ChatFault): Failure => {
  const code = codeOf(fault.reason);
  return fault.reason._tag === "Refused"
    ? recoverable(code, fault.detail, { cause: fault })
    : fatal(code, fault.detail, { cause: fault });
};

/** What a fact about the chat means to whoever asks for something on the run's behalf: nothing of it is for the model. */
export const chatRefusal = (fault: ChatFault): Fatal => {
  const failure = classifyChat(fault);
  return failure._tag === "Fatal" ? failure : fatal(failure.reason.code, failure.message, { cause: fault });
};

/**
 * The trouble of this host that keeps it from writing a chat, as one of its storage: what was asked for can be asked for again
 * once it is put right. Undefined for every other fact.
 */
export const chatTrouble = (fault: ChatFault): Fatal | undefined => {
  const { detail, reason } = fault;
  if (reason._tag !== "Unreachable" || reason.kind === "symlink" || reason.kind === "other") return undefined;
  return fatal(troubles[reason.kind], detail, { cause: fault });
};

const troubles = {
  full: "storage.full",
  readOnly: "storage.read_only",
  denied: "storage.failed",
} as const satisfies { readonly [kind: string]: FailureCode };

const codeOf = (reason: ChatFaultReason): FailureCode => {
  switch (reason._tag) {
    case "Missing":
      return "chat.not_found";
    case "Malformed":
      return "chat.malformed";
    case "StableIdMissing":
      return "agent.stable_chat_id_required";
    case "StableIdInvalid":
      return "agent.invalid_chat_integrity";
    case "TargetInvalid":
      return "agent.swipe_target_invalid";
    case "GenerationTypeUnsupported":
      return "agent.generation_type_unsupported";
    case "GroupUnsupported":
      return "agent.group_unsupported";
    case "Moved":
      return "chat.conflict";
    case "Refused":
      return "agent.chat_commit_failed";
    case "Busy":
      return "chat.busy";
    case "Unreachable":
      return "chat.unreachable";
    case "Silent":
      return "agent.host_timeout";
    default:
      return reason satisfies never;
  }
};
