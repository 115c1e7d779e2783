/**
 * The files of an agent as a shell command sees them, and what of its changes the workspace can take.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import { isPersistent } from "@cahier/domain/persist/PersistentState";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as WorkspaceRoot from "@cahier/domain/workspace/WorkspaceRoot";
import type { ShellChange, ShellFile } from "@cahier/ports/Shell";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import { contentOf } from "../../workspace/fileContent.ts";
import type { ToolChange, ToolContext } from "../Tool.ts";
import { filesBelow } from "./skillFiles.ts";
import { filesUnder } from "./visiblePaths.ts";

/** `digests` are of the files of the workspace: what a command changes is told from them. */
export interface ShellView {
  readonly files: ReadonlyArray<ShellFile>;
  readonly digests: ReadonlyMap<string, Sha256.Sha256>;
}

/** What a command changed: `change` is to be applied, the paths of `outside` and `notText` are not kept. */
export interface KeptChanges {
  readonly change: Extract<ToolChange, { readonly _tag: "Tree" }> | undefined;
  readonly written: ReadonlyArray<string>;
  readonly removed: ReadonlyArray<string>;
  readonly outside: ReadonlyArray<string>;
  readonly notText: ReadonlyArray<string>;
}

/** The files of the visible roots, long results and Skills. */
export const viewOf = Effect.fnUntraced(function* (context: ToolContext): Effect.fn.Return<ShellView, Fatal> {
  const own = filesUnder(context, Option.none());
  const mounts = context.access.readOnlyMounts.flatMap((mount) =>
    Option.toArray(Result.getSuccess(WorkspacePath.parse(mount))),
  );
  const results = mounts.flatMap((mount) => filesUnder(context, Option.some(mount)));
  const workspace = yield* Effect.forEach([...own, ...results], ({ file, path }) =>
    Effect.map(context.files.bytes(file), (bytes): ShellFile => ({ path, bytes })),
  );
  const skills = yield* Effect.forEach(mounts, (mount) => filesBelow(context, mount));
  const ofSkills = yield* Effect.forEach(
    skills.flat(),
    ({ file, path, skill }) => Effect.map(context.skills.bytes(skill, file), (bytes): ShellFile => ({ path, bytes })),
    { concurrency: readConcurrency },
  );
  return {
    files: [...workspace, ...ofSkills],
    digests: new Map(own.map(({ file, path }) => [path as string, file.sha256])),
  };
});

const readConcurrency = 8;

/** What is left of the changes when those are out that change nothing or that the workspace does not take. */
export const keptOf = (
  { access }: ToolContext,
  { digests }: ShellView,
  changes: ReadonlyArray<ShellChange>,
): KeptChanges => {
  const judged = changes.map(({ bytes, path }) => {
    const before = digests.get(path) ?? null;
    const after = bytes === null ? null : Sha256.ofBytes(bytes);
    const fate = fateOf(access, path, bytes);
    const isSame = before === after && (after !== null || fate !== "outside");
    return { path, bytes, before, fate: isSame ? "same" : fate } as const;
  });
  const kept = judged.filter(({ fate }) => fate === "kept").toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const pathsOf = (fate: (typeof judged)[number]["fate"]) =>
    judged.filter((one) => one.fate === fate).map(({ path }) => path);
  return {
    change:
      kept.length === 0
        ? undefined
        : {
            _tag: "Tree",
            seen: kept.map(({ before, path }) => ({ path, sha256: before })),
            changes: kept.map(({ bytes, path }) => ({ path, bytes })),
          },
    written: kept.filter(({ bytes }) => bytes !== null).map(({ path }) => path),
    removed: kept.filter(({ bytes }) => bytes === null).map(({ path }) => path),
    outside: pathsOf("outside"),
    notText: pathsOf("notText"),
  };
};

const fateOf = (
  access: WorkspaceRoot.WorkspaceAccess,
  path: string,
  bytes: Uint8Array | null,
): "kept" | "notText" | "outside" => {
  const parsed = WorkspacePath.parse(path);
  const isWritable =
    Result.isSuccess(parsed) &&
    parsed.success === path &&
    Result.isSuccess(WorkspaceRoot.admitWrite(access, parsed.success));
  if (!isWritable) return "outside";
  // What is remembered is kept as text beyond the run.
  return bytes !== null && isPersistent(path) && contentOf(bytes).encoding !== undefined ? "notText" : "kept";
};
