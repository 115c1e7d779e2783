/**
 * The content of a run's files, rebuilt from the journal's deltas when it is not at hand.
 *
 * Owns content by version. Does not own which files exist: the folded state does.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { FileState, RunState } from "@cahier/domain/run/RunState";
import * as Log from "@cahier/domain/run/Log";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import * as TextPatch from "@cahier/domain/workspace/TextPatch";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import type { Payloads } from "../payload/Payloads.ts";

export interface WorkspaceFiles {
  /** The text of a version, checked against its hash. */
  readonly content: (file: FileState) => Effect.Effect<string, Fatal>;
  /** Tells the text of the present version of a path, so that it need not be rebuilt. */
  readonly remember: (path: string, sha256: string, text: string) => void;
}

const decodeEdits = Schema.decodeUnknownResult(TextPatch.TextEdits);

/** The files of one run over its payloads. */
export const make = (payloads: Payloads): WorkspaceFiles => {
  const present = new Map<string, { readonly sha256: string; readonly text: string }>();

  const remember: WorkspaceFiles["remember"] = (path, sha256, text) => {
    present.set(path, { sha256, text });
  };

  const content = Effect.fnUntraced(function* (file: FileState): Effect.fn.Return<string, Fatal> {
    const known = present.get(file.path);
    if (known?.sha256 === file.sha256) return known.text;
    let text = file.base === null ? "" : yield* payloads.read(file.base);
    for (const delta of Log.toArray(file.deltas)) {
      text =
        delta.kind === "append"
          ? text + (yield* payloads.read(delta.content))
          : yield* redo(file.path, text, yield* payloads.read(delta.edits));
    }
    if (Sha256.ofText(text) !== file.sha256)
      return yield* fatal("blob.hash_mismatch", `The rebuilt content of ${file.path} is not what its hash says.`);
    remember(file.path, file.sha256, text);
    return text;
  });

  return { content, remember };
};

/** The files of a state in the order of their paths. */
export const filesOf = (state: RunState): ReadonlyArray<FileState> =>
  Object.values(state.files).toSorted((one, other) => (one.path < other.path ? -1 : 1));

const redo = (path: string, text: string, edits: string): Effect.Effect<string, Fatal> =>
  Effect.fromResult(Result.flatMap(decodeEdits(JSON.parse(edits)), (decoded) => TextPatch.redo(text, decoded))).pipe(
    Effect.mapError((cause) =>
      fatal("blob.hash_mismatch", `A recorded change of ${path} does not fit the file.`, { cause }),
    ),
  );
