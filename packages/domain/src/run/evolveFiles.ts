/**
 * How writes, patches and removals change the files of a run.
 */
import * as PathMap from "./PathMap.ts";
import type { KnownEvent } from "./RunEvent.ts";
import type { FileDelta, FileState, RunState } from "./RunState.ts";
import * as Log from "./Log.ts";
import type { Payload } from "../payload/Payload.ts";

type FileEvent = Extract<
  KnownEvent,
  {
    readonly type:
      | "direct_output_captured"
      | "persistent_file_projected"
      | "run_revision_started"
      | "workspace_file_removed"
      | "workspace_file_written"
      | "workspace_patch_applied";
  }
>;

/** The files after `event`. A whole content replaces; an append or patch adds a delta to what is there. A removed file is gone. */
export const evolveFiles = (files: RunState["files"], event: FileEvent): RunState["files"] => {
  const { path } = event.payload;
  if (event.type === "workspace_file_removed") return PathMap.remove(files, path);
  const next = nextFile(PathMap.get(files, path), event);
  return next === undefined ? files : PathMap.set(files, path, next);
};

const nextFile = (
  before: FileState | undefined,
  event: Exclude<FileEvent, { readonly type: "workspace_file_removed" }>,
): FileState | undefined => {
  switch (event.type) {
    case "direct_output_captured":
    case "persistent_file_projected":
    case "run_revision_started": {
      const { path, chars, words, content } = event.payload;
      return whole({ path, chars, words, bytes: content.bytes, sha256: content.sha256 }, content, event.seq);
    }
    case "workspace_file_written": {
      const { mode, content } = event.payload;
      return mode === "replace"
        ? whole(event.payload, content, event.seq)
        : changed(before, event.payload, { kind: "append", content }, event.seq);
    }
    case "workspace_patch_applied":
      return before === undefined
        ? undefined
        : changed(before, event.payload, { kind: "patch", edits: event.payload.edits }, event.seq);
    default:
      return event satisfies never;
  }
};

type Described = Pick<FileState, "path" | "sha256" | "bytes" | "chars" | "words" | "encoding">;

const describe = ({ path, sha256, bytes, chars, words, encoding }: Described): Described => ({
  path,
  sha256,
  bytes,
  chars,
  words,
  ...(encoding === undefined ? {} : { encoding }),
});

const whole = (described: Described, base: Payload, writtenBySeq: number): FileState => ({
  ...describe(described),
  base,
  deltas: Log.empty(),
  writtenBySeq,
});

const changed = (
  before: FileState | undefined,
  described: Described,
  delta: FileDelta,
  writtenBySeq: number,
): FileState => ({
  ...describe(described),
  base: before?.base ?? null,
  deltas: Log.append(before?.deltas ?? Log.empty(), delta),
  writtenBySeq,
});
