/** Payloads of the events about prompts that a host is asked to make. */
import * as Schema from "effect/Schema";
import { InvocationId, ProfileId } from "../../identity/Identity.ts";

const assembly = { assemblyId: Schema.String, invocationId: InvocationId, profileId: ProfileId };

/**
 * A host is to make the prompt of the invocation. The request is read by its id and is not in the event; `requestFingerprint`
 * names it. `requestKind` and `requestSchemaVersion` say which form it has.
 */
export const PromptAssemblyRequested = Schema.Struct({
  ...assembly,
  scope: Schema.Literals(["subagent", "handoff"]),
  requestKind: Schema.String,
  requestSchemaVersion: Schema.Int,
  requestFingerprint: Schema.String,
});

/** The host has made the prompt; `messageCount` is how many messages it has. */
export const PromptAssemblyCompleted = Schema.Struct({ ...assembly, messageCount: Schema.Int });

/** There is no prompt, and `message` says why. */
export const PromptAssemblyFailed = Schema.Struct({ ...assembly, code: Schema.String, message: Schema.String });
