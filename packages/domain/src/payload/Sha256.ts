/**
 * SHA-256 of text and bytes as lower-case hex, on every platform.
 *
 * A run takes several digests a step, and a platform that brings one of its own (Node, Bun, Deno) computes it some ten
 * times as fast. It is asked for at run time and never imported, so that this also runs where there is none.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import * as Schema from "effect/Schema";

/** 64 lower-case hex digits. */
export const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)).pipe(Schema.brand("Sha256"));
export type Sha256 = typeof Sha256.Type;

/** What is used of the platform's own module: a digest of bytes, or of the UTF-8 encoding of a text, in one call. */
interface PlatformDigest {
  readonly hash?: (algorithm: "sha256", data: Uint8Array | string, encoding: "hex") => string;
}

interface Platform {
  readonly process?: { readonly getBuiltinModule?: (name: string) => PlatformDigest | undefined };
}

const platformHash = (globalThis as Platform).process?.getBuiltinModule?.("node:crypto")?.hash;

/** The digest in plain JavaScript, for platforms without one of their own. */
export const portable = (data: Uint8Array | string): Sha256 =>
  bytesToHex(sha256(typeof data === "string" ? utf8ToBytes(data) : data)) as Sha256;

const digest: (data: Uint8Array | string) => Sha256 =
  platformHash === undefined ? portable : (data) => platformHash("sha256", data, "hex") as Sha256;

/** Digest of raw bytes. */
export const ofBytes = (bytes: Uint8Array): Sha256 => digest(bytes);

/** Digest of the UTF-8 encoding of `text`; half a character counts as U+FFFD. */
export const ofText = (text: string): Sha256 => digest(text);

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
