/**
 * The content of a run's files, rebuilt from the journal's deltas when it is not at hand.
 *
 * Owns content by version. Does not own which files exist: the folded state does.
 */
import * as PathMap from "@cahier/domain/run/PathMap";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { FileState, ReadableView, RunState } from "@cahier/domain/run/RunState";
import * as Log from "@cahier/domain/run/Log";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import * as TextPatch from "@cahier/domain/workspace/TextPatch";
import { byteLength } from "@cahier/domain/workspace/Utf8";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import type { Payloads } from "../payload/Payloads.ts";
import { bytesOf } from "./fileContent.ts";

/** A file as an append makes it. */
export interface AppendedFile extends TextMetrics.TextMetrics {
  readonly sha256: Sha256.Sha256;
  readonly bytes: number;
}

export interface WorkspaceFiles {
  /** The text of a version, checked against its hash; of a file that is no text what stands for it in the record. */
  readonly content: (file: FileState) => Effect.Effect<string, Fatal>;
  /** The bytes of a version, checked against its hash. */
  readonly bytes: (file: FileState) => Effect.Effect<Uint8Array, Fatal>;
  /** What a version becomes with `text` at its end: costs what the added text costs, however long the file is. */
  readonly appended: (file: FileState, text: string) => Effect.Effect<AppendedFile, Fatal>;
  /** Tells that the present version of a file was appended to as `appended` said. */
  readonly rememberAppended: (file: FileState, text: string, after: AppendedFile) => void;
  /** Tells the text of the present version of a path, so that it need not be rebuilt. */
  readonly remember: (path: string, sha256: string, text: string) => void;
}

const decodeEdits = Schema.decodeUnknownResult(TextPatch.TextEdits);

/** The files of one run over its payloads. */
export const make = (payloads: Payloads): WorkspaceFiles => {
  const present = new Map<string, Present>();

  const remember: WorkspaceFiles["remember"] = (path, sha256, text) => {
    present.set(path, { sha256, text, end: undefined });
  };

  const endOf = Effect.fnUntraced(function* (file: FileState): Effect.fn.Return<End, Fatal> {
    const text = yield* content(file);
    const known = present.get(file.path)?.end;
    if (known !== undefined) return known;
    const end = { hashing: Sha256.hashing(text), tally: TextMetrics.tally(TextMetrics.nothing, text) };
    present.set(file.path, { sha256: file.sha256, text, end });
    return end;
  });

  const appended: WorkspaceFiles["appended"] = Effect.fnUntraced(function* (file: FileState, text: string) {
    const { hashing, tally } = yield* endOf(file);
    const { chars, words } = TextMetrics.tally(tally, text);
    return { chars, words, bytes: file.bytes + byteLength(text), sha256: hashing.with(text).digest() };
  });

  const rememberAppended: WorkspaceFiles["rememberAppended"] = (file, text, after) => {
    const before = present.get(file.path);
    if (before?.end === undefined || before.sha256 !== file.sha256) return;
    present.set(file.path, {
      sha256: after.sha256,
      text: before.text + text,
      end: { hashing: before.end.hashing.with(text), tally: TextMetrics.tally(before.end.tally, text) },
    });
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
    if (digestOf(file, text) !== file.sha256) return yield* damaged(file);
    remember(file.path, file.sha256, text);
    return text;
  });

  const bytes: WorkspaceFiles["bytes"] = Effect.fnUntraced(function* (file: FileState) {
    const { encoding } = file;
    const found = bytesOf({ text: yield* content(file), ...(encoding === undefined ? {} : { encoding }) });
    return found ?? (yield* damaged(file));
  });

  return { bytes, content, appended, remember, rememberAppended };
};

/** What is kept of a text so that more can follow it. */
interface End {
  readonly hashing: Sha256.Hashing;
  readonly tally: TextMetrics.Tally;
}

/** The present version of a file; `end` is made when it is first appended to. */
interface Present {
  readonly sha256: string;
  readonly text: string;
  readonly end: End | undefined;
}

/** The files of a state in the order of their paths. */
export const filesOf = (state: RunState): ReadonlyArray<FileState> =>
  PathMap.values(state.files).toSorted((one, other) => (one.path < other.path ? -1 : 1));

/** The digest of a version is that of its bytes, however they are written down. */
/** Long results as files, in the order of their paths. */
export const viewsOf = (state: RunState): ReadonlyArray<FileState> =>
  Object.values(state.readableViews)
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map(asFile);

/** A long result, or a thing of one, as a file. */
export const asFile = ({ chars, content, encoded, path, words }: ReadableView): FileState => ({
  path,
  sha256: content.sha256,
  bytes: content.bytes,
  ...encoded,
  chars,
  words,
  base: content,
  deltas: Log.empty(),
  writtenBySeq: 0,
});

const digestOf = ({ encoding }: FileState, text: string): Sha256.Sha256 | undefined => {
  if (encoding === undefined) return Sha256.ofText(text);
  const bytes = bytesOf({ text, encoding });
  return bytes === undefined ? undefined : Sha256.ofBytes(bytes);
};

const damaged = ({ path }: FileState): Fatal =>
  fatal("blob.hash_mismatch", `The rebuilt content of ${path} is not what its hash says.`);

const redo = (path: string, text: string, edits: string): Effect.Effect<string, Fatal> =>
  Effect.fromResult(Result.flatMap(decodeEdits(JSON.parse(edits)), (decoded) => TextPatch.redo(text, decoded))).pipe(
    Effect.mapError((cause) =>
      fatal("blob.hash_mismatch", `A recorded change of ${path} does not fit the file.`, { cause }),
    ),
  );
