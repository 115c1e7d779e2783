/**
 * Files that a command writes for its user.
 */
import { rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Effect from "effect/Effect";

/**
 * Writes a file whole or not at all. One that is there already is replaced only when `replaces` says so; else it stays and the
 * command is refused.
 */
export const writeOut = Effect.fn("cli.writeOut")(function* (
  path: string,
  content: string | Uint8Array,
  { replaces }: { readonly replaces: boolean },
): Effect.fn.Return<void, Fatal> {
  const target = resolve(path);
  yield* Effect.tryPromise({
    try: () => (replaces ? replace(target, content) : create(target, content)),
    catch: (cause) =>
      codeOf(cause) === "EEXIST"
        ? fatal("usage.invalid", `${path} is there already. Name another file, or give --force to replace it.`, {
            cause,
          })
        : fatal("usage.invalid", `${path} cannot be written. Check the folder, and that you may write there.`, {
            cause,
          }),
  });
});

/** A file that is broken off is removed: it was made here. */
const create = async (target: string, content: string | Uint8Array): Promise<void> => {
  try {
    await writeFile(target, content, { flag: "wx" });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") await rm(target, { force: true }).catch(() => undefined);
    throw error;
  }
};

const replace = async (target: string, content: string | Uint8Array): Promise<void> => {
  const beside = `${target}.${process.pid}.part`;
  try {
    await writeFile(beside, content, { flag: "wx" });
    await rename(beside, target);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") await rm(beside, { force: true }).catch(() => undefined);
    throw error;
  }
};

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);
