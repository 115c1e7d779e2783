/**
 * Where new ids come from. A reference, so that a test can make them predictable.
 */
import { CommitId, type EventId, InvocationId, OwnerId, RunId } from "@cahier/domain/identity/Identity";
import * as Context from "effect/Context";

/** `next` gives 32 hex digits, never the same twice: those of a random version 4 UUID unless a test provides others. */
export const Identifiers = Context.Reference<{ readonly next: () => string }>("@cahier/application/Identifiers", {
  defaultValue: () => ({ next: randomHex() }),
});

export const runId = (hex: string): RunId => RunId.make(`run_${hex}`);
export const eventId = (hex: string): EventId => `evt_${hex}` as EventId;
export const commitId = (hex: string): CommitId => CommitId.make(`commit_${hex}`);
export const ownerId = (hex: string): OwnerId => OwnerId.make(`owner_${hex}`);
export const invocationId = (hex: string): InvocationId => InvocationId.make(`inv_${hex}`);

/** Random bytes are drawn for many ids at once: a journal makes ten ids a round. */
const randomHex = (): (() => string) => {
  const pool = new Uint8Array(16 * 128);
  const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      globalThis.crypto.getRandomValues(pool);
      used = 0;
    }
    let hex = "";
    for (let index = 0; index < 16; index += 1) hex += digits[versioned(index, pool[used + index] ?? 0)];
    used += 16;
    return hex;
  };
};

/** The version and variant bits of a version 4 UUID (RFC 9562, section 5.4). */
const versioned = (index: number, byte: number): number => {
  if (index === 6) return (byte & 0x0f) | 0x40;
  return index === 8 ? (byte & 0x3f) | 0x80 : byte;
};
