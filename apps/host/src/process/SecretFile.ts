/**
 * The file that holds secrets: one JSON object of key and value, which only its owner may read.
 *
 * Owns reading it, and refusing it in words that never repeat what stands in it. Does not own which secret is wanted.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Effect from "effect/Effect";

/** Values by key. */
export type Secrets = ReadonlyMap<string, string>;

/** The secrets of the file as it is now. A file that others may read, or that is no such object, is refused. */
export const read = (path: string): Effect.Effect<Secrets, Fatal> =>
  Effect.flatMap(textOf(path), ({ mode, text }) => {
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      return Effect.fail(
        fatal(
          "llm_connection.secrets_file_exposed",
          `Other users may read or write the secrets in ${path}. Make it yours alone: chmod 600 ${path}`,
        ),
      );
    const secrets = secretsIn(text);
    return secrets === undefined
      ? Effect.fail(unusable(path, "It must hold one JSON object of names and values, each value a text."))
      : Effect.succeed(secrets);
  });

/** The mode of what was opened, so that nothing can be put in its place in between. */
const textOf = (path: string): Effect.Effect<{ readonly mode: number; readonly text: string }, Fatal> =>
  Effect.tryPromise({
    try: async () => {
      // A pipe without a writer would never open.
      const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
      try {
        const status = await file.stat();
        if (!status.isFile()) throw new Error("not a file");
        return { mode: status.mode, text: await file.readFile("utf8") };
      } finally {
        await file.close();
      }
    },
    catch: () => unusable(path, "It cannot be read: check the path."),
  });

/** Undefined when it is no object of texts. The parser's own complaint would quote the secrets. */
const secretsIn = (text: string): Secrets | undefined => {
  const parsed = parse(text.replace(/^\ufeff/, ""));
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
  const entries = Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return entries.length === Object.keys(parsed).length ? new Map(entries) : undefined;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const unusable = (path: string, why: string): Fatal =>
  fatal("llm_connection.secrets_file_invalid", `The secrets file ${path} (CAHIER_SECRETS) cannot be used. ${why}`);
