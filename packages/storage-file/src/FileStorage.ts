/**
 * All storage ports on the files of one data folder.
 *
 * Owns nothing but the sum; see each adapter for its part of the folder.
 */
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import type { RunMirror } from "@cahier/ports/RunMirror";
import * as Layer from "effect/Layer";
import type * as Disk from "./Disk.ts";
import * as FileBlobStore from "./FileBlobStore.ts";
import * as FileDocumentStore from "./FileDocumentStore.ts";
import * as FileRunJournal from "./FileRunJournal.ts";
import * as FileRunMirror from "./FileRunMirror.ts";

/** `directory` is made when something is first stored. `disk` stands in for this machine's disk in tests. */
export interface Options {
  readonly directory: string;
  readonly disk?: Disk.Disk;
}

/** RunJournal, BlobStore, DocumentStore and RunMirror over one data folder. */
export const layer = (options: Options): Layer.Layer<RunJournal | BlobStore | DocumentStore | RunMirror> =>
  Layer.mergeAll(
    FileRunJournal.layer(options),
    FileBlobStore.layer(options),
    FileDocumentStore.layer(options),
    FileRunMirror.layer(options),
  );
