/**
 * A chat file on disk: read whole, replaced whole or not at all.
 *
 * Owns that a reader, and a crash, meets the old bytes or the new ones. Does not own who may write: `ChatLock` does.
 */
import { constants } from "node:fs";
import { access, type FileHandle, lstat, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as ChatHost from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";

/** The bytes of a regular file. A symbolic link in the file's own place is refused. */
export const read = Effect.fnUntraced(function* (path: string) {
  const found = yield* attempt(path, () => lstat(path));
  if (found.isSymbolicLink()) {
    return yield* unreachable("symlink", "The chat file is a symbolic link. Give the file that it points to.");
  }
  if (!found.isFile()) {
    return yield* new ChatHost.ChatFault({
      reason: { _tag: "Malformed" },
      detail: "The chat is not a file. Give a .jsonl chat file of SillyTavern.",
    });
  }
  return yield* attempt(path, () => bytesOf(path));
});

/**
 * Puts `next` in the place of `expected`: durable when it succeeds, nothing changed when it fails. Fails with `Moved` if
 * another program has changed the file. Keeps the file's mode and, where allowed, its owner. Not interruptible.
 */
export const replace = Effect.fnUntraced(function* (path: string, expected: Uint8Array, next: Uint8Array) {
  const written = yield* attempt(path, () => exchange(path, expected, next));
  if (!written) return yield* moved();
}, Effect.uninterruptible);

/** The fault of a chat that is not as it was. */
export const moved = (): ChatHost.ChatFault =>
  new ChatHost.ChatFault({
    reason: { _tag: "Moved" },
    detail:
      "The chat has changed since the run read it, and nothing was written. Start the run again on the chat as it is.",
  });

/** The fault of a host that cannot do its work. */
export const unreachable = (
  kind: Extract<ChatHost.ChatFaultReason, { readonly _tag: "Unreachable" }>["kind"],
  detail: string,
  cause?: unknown,
): ChatHost.ChatFault =>
  new ChatHost.ChatFault({
    reason: { _tag: "Unreachable", kind },
    detail,
    ...(cause === undefined ? {} : { cause }),
  });

/** The fault that an error of the operating system is. */
export const faultOf = (path: string, error: unknown): ChatHost.ChatFault => {
  const code = codeOf(error);
  const kind = kinds[code] ?? "other";
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new ChatHost.ChatFault({
      reason: { _tag: "Missing" },
      detail: `There is no chat file at ${path}. Check the path.`,
      cause: error,
    });
  }
  return unreachable(kind, `${advice[kind]} (${path}${code === "" ? "" : `, ${code}`})`, error);
};

/** The code of an error of the operating system, or an empty string. */
export const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : "";

/** A file beside the chat, hidden, with the chat's name in its own as far as a name may be long. */
export const beside = (path: string, suffix: string): string => {
  const name = basename(path);
  const short = Buffer.byteLength(name) <= longestName ? name : Buffer.from(name).toString("hex").slice(-longestName);
  return join(dirname(path), `.${short}.${suffix}`);
};

type Kind = Parameters<typeof unreachable>[0];

const kinds: Readonly<Record<string, Kind>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EFBIG: "full",
  EROFS: "readOnly",
  EACCES: "denied",
  EPERM: "denied",
  ELOOP: "symlink",
};

const advice: Readonly<Record<Kind, string>> = {
  full: "There is no space left for the chat. Free some space and try again.",
  readOnly: "The chat lies on a read-only file system. Make it writable.",
  denied: "The chat file or its folder may not be read or written. Give the user that runs Cahier access to both.",
  symlink: "The chat file is a symbolic link. Give the file that it points to.",
  other: "The chat file cannot be read or written.",
};

/** Leaves room for suffixes within the 255 bytes that file systems allow. */
const longestName = 150;

const attempt = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, ChatHost.ChatFault> =>
  Effect.tryPromise({ try: work, catch: (error) => faultOf(path, error) });

const bytesOf = async (path: string): Promise<Buffer> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
};

const exchange = async (path: string, expected: Uint8Array, next: Uint8Array): Promise<boolean> => {
  const status = await lstat(path);
  await access(path, constants.W_OK);
  const temporary = beside(path, "cahier-tmp");
  await discard(temporary);
  const file = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await fill(file, next, status);
    const isUnchanged = (await bytesOf(path)).equals(expected);
    if (!isUnchanged) {
      await discard(temporary);
      return false;
    }
    await rename(temporary, path);
  } catch (error) {
    await discard(temporary);
    throw error;
  }
  await synchroniseFolder(dirname(path));
  return true;
};

const fill = async (
  file: FileHandle,
  bytes: Uint8Array,
  status: { readonly mode: number; readonly uid: number; readonly gid: number },
): Promise<void> => {
  try {
    await file.writeFile(bytes);
    await file.chown(status.uid, status.gid).catch(ignored);
    await file.chmod(status.mode & 0o7777);
    await file.sync();
  } finally {
    await file.close();
  }
};

const synchroniseFolder = async (path: string): Promise<void> => {
  const folder = await open(path, constants.O_RDONLY).catch(ignored);
  if (folder === undefined) return;
  try {
    await folder.sync().catch(ignored);
  } finally {
    await folder.close();
  }
};

const discard = async (path: string): Promise<void> => {
  await unlink(path).catch(ignored);
};

/** Owner and folder synchronisation are not to be had on every file system; a leftover that is not there needs no removal. */
const ignored = (): undefined => undefined;
