/**
 * Looks, while a command runs, whether its writable folders outgrow its limits.
 *
 * Does not see what has no name any more: a file that is deleted while a program of the command has it open.
 */
import type { ShellRequest } from "@cahier/ports/Shell";
import * as Effect from "effect/Effect";
import * as fs from "node:fs/promises";
import * as nodePath from "node:path";
import * as ViewFolder from "./ViewFolder.ts";

/** How long there is nothing done between two looks, in milliseconds. */
const apart = 100;

/** Completes once there is more than the limits allow, or a part that cannot be looked at. */
export const outgrown = (folder: string, request: ShellRequest): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.promise(() => isOutgrown(folder, request)),
    (is) => (is ? Effect.void : Effect.delay(outgrown(folder, request), apart)),
  );

const isOutgrown = async (folder: string, request: ShellRequest): Promise<boolean> => {
  const count = new ViewFolder.Count(request);
  const walk = async (path: string): Promise<void> => {
    for await (const entry of await fs.opendir(nodePath.join(folder, path))) {
      if (count.isOver) return;
      const inner = `${path}/${entry.name}`;
      if (entry.isFile()) count.addFile(await sizeOf(nodePath.join(folder, inner)));
      if (!entry.isDirectory()) continue;
      count.addFolder(inner);
      if (!count.isOver) await unlessGone(walk(inner), undefined);
    }
  };
  try {
    await Promise.all(request.writableRoots.map(walk));
    return count.isOver;
  } catch (error) {
    if (ViewFolder.isRefusal(error)) return true;
    throw error;
  }
};

const sizeOf = async (path: string): Promise<number> =>
  unlessGone(
    fs.lstat(path).then(({ size }) => size),
    0,
  );

/** The command goes on meanwhile, and takes away what was just seen. */
const unlessGone = async <A>(looking: Promise<A>, otherwise: A): Promise<A> => {
  try {
    return await looking;
  } catch (error) {
    if (ViewFolder.isRefusal(error) && (error.code === "ENOENT" || error.code === "ENOTDIR")) return otherwise;
    throw error;
  }
};
