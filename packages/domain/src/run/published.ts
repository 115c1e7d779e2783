/**
 * What a run has published at each of its moments.
 *
 * The text itself is never here: the files that it was made of are, each as it stood then.
 */
import * as PathMap from "./PathMap.ts";
import type { KnownEvent } from "./RunEvent.ts";
import type { FileState, RunState } from "./RunState.ts";

/** The files whose contents, joined, are the message of the run; null while there is none. */
export type Published = ReadonlyArray<FileState> | null;

/** Each change of what is published, in order, by the number of its event. */
export type Publications = ReadonlyArray<{ readonly seq: number; readonly published: Published }>;

/** The publications after `event`, which has led to `state`. */
export const observe = (before: Publications, event: KnownEvent, state: RunState): Publications => {
  const { seq } = event;
  switch (event.type) {
    case "chat_commit_completed": {
      const file = PathMap.get(state.files, event.payload.path);
      if (file === undefined) return before;
      const present = event.payload.mode === "append" ? (at(before, seq) ?? []) : [];
      return [...before, { seq, published: [...present, file] }];
    }
    case "chat_rollback_completed":
      return [
        ...before,
        { seq, published: event.payload.action === "withdraw" ? null : at(before, event.payload.seq) },
      ];
    case "run_forked":
      return [...before, { seq, published: null }];
    default:
      return before;
  }
};

/** What is published after the event `seq`. */
export const at = (publications: Publications, seq: number): Published =>
  publications.findLast((one) => one.seq <= seq)?.published ?? null;

/** The number of the event that changed last what is published; 0 when nothing ever was. */
export const lastChange = (publications: Publications): number => publications.at(-1)?.seq ?? 0;
