/**
 * Where new ids come from. A reference, so that a test can make them predictable.
 */
import { CommitId, type EventId, InvocationId, OwnerId, RunId } from "@cahier/domain/identity/Identity";
import * as Context from "effect/Context";

/** `next` gives 32 hex digits, never the same twice: those of a random version 4 UUID unless a test provides others. */
export const Identifiers = Context.Reference<{ readonly next: () => string }>("@cahier/application/Identifiers", {
  defaultValue: () => ({ next: () => globalThis.crypto.randomUUID().replaceAll("-", "") }),
});

export const runId = (hex: string): RunId => RunId.make(`run_${hex}`);
export const eventId = (hex: string): EventId => `evt_${hex}` as EventId;
export const commitId = (hex: string): CommitId => CommitId.make(`commit_${hex}`);
export const ownerId = (hex: string): OwnerId => OwnerId.make(`owner_${hex}`);
export const invocationId = (hex: string): InvocationId => InvocationId.make(`inv_${hex}`);
