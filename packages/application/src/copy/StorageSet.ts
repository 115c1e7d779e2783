/**
 * The storage ports of one storage, as values: a copy has two of each at once.
 */
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import type { RunMirror } from "@cahier/ports/RunMirror";

/** `mirror` is there where the storage shows people the trees of its runs. */
export interface StorageSet {
  readonly journal: RunJournal["Service"];
  readonly blobs: BlobStore["Service"];
  readonly documents: DocumentStore["Service"];
  readonly mirror?: RunMirror["Service"];
}
