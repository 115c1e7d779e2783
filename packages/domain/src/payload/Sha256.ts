/**
 * SHA-256 of text and bytes as lower-case hex, without a platform module.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import * as Schema from "effect/Schema";

/** 64 lower-case hex digits. */
export const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)).pipe(Schema.brand("Sha256"));
export type Sha256 = typeof Sha256.Type;

/** Digest of raw bytes. */
export const ofBytes = (bytes: Uint8Array): Sha256 => bytesToHex(sha256(bytes)) as Sha256;

/** Digest of the UTF-8 encoding of `text`. */
export const ofText = (text: string): Sha256 => ofBytes(utf8ToBytes(text));

/** A digest under way: `with` gives the digest so far with more text, and leaves this one as it was. */
export interface Hashing {
  readonly digest: () => Sha256;
  readonly with: (text: string) => Hashing;
}

/** A digest of `text` that can go on. */
export const hashing = (text: string): Hashing => wrap(sha256.create().update(utf8ToBytes(text)));

const wrap = (state: ReturnType<typeof sha256.create>): Hashing => ({
  digest: () => bytesToHex(state.clone().digest()) as Sha256,
  with: (text) => wrap(state.clone().update(utf8ToBytes(text))),
});
