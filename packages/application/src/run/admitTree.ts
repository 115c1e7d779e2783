/**
 * Whether what a call has changed of many files may still be applied.
 */
import type { RunState } from "@cahier/domain/run/RunState";
import { staleFiles } from "@cahier/domain/run/staleFiles";
import { quote } from "@cahier/domain/workspace/Refusal";
import type { Done } from "../tool/Tool.ts";

/**
 * The outcome as it may be applied to the run as it is now. Where a file has changed since the call saw it nothing that the
 * call changed of files is kept: its result is `workspace.write_stale_file`, and says which files those are.
 */
export const admitTree = (state: RunState, outcome: Done): Done => {
  const stale = (outcome.changes ?? []).flatMap((change) =>
    change._tag === "Tree"
      ? staleFiles(
          state.files,
          change.seen,
          change.changes.flatMap(({ bytes, path }) => (bytes === null ? [] : [path])),
        )
      : [],
  );
  if (stale.length === 0) return outcome;
  const { changes, resourceRefs: _refs, structured: _structured, ...rest } = outcome;
  const shown = stale.slice(0, mostNamed).map(quote).join(", ");
  const more = stale.length > mostNamed ? ` and ${stale.length - mostNamed} more` : "";
  const told = `Nothing that this call changed was kept, for somebody else has changed meanwhile: ${shown}${more}. Look at what is there now, then do it again.`;
  return {
    ...rest,
    content:
      typeof outcome.content === "string"
        ? `${told}\n\n${outcome.content}`
        : [{ type: "text", text: told }, ...outcome.content],
    structured: { stale },
    errorCode: "workspace.write_stale_file",
    changes: (changes ?? []).filter(({ _tag }) => _tag !== "Tree"),
  };
};

/** Files that a message names. */
const mostNamed = 20;
