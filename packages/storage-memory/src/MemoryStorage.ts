/**
 * Every storage port in memory, in one layer: what an application test stands on.
 */
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import type { RunMirror } from "@cahier/ports/RunMirror";
import type { SecretStore } from "@cahier/ports/SecretStore";
import * as Layer from "effect/Layer";
import * as MemoryBlobStore from "./MemoryBlobStore.ts";
import * as MemoryDocumentStore from "./MemoryDocumentStore.ts";
import * as MemoryRunJournal from "./MemoryRunJournal.ts";
import * as MemoryRunMirror from "./MemoryRunMirror.ts";
import * as MemorySecretStore from "./MemorySecretStore.ts";

/** The five storage ports, each with a storage of its own; `secrets` are the values of the secret store. */
export const layer = (
  secrets: MemorySecretStore.Values = {},
): Layer.Layer<RunJournal | BlobStore | DocumentStore | RunMirror | SecretStore> =>
  Layer.mergeAll(
    MemoryRunJournal.layer,
    MemoryBlobStore.layer,
    MemoryDocumentStore.layer,
    MemoryRunMirror.layer,
    MemorySecretStore.layer(secrets),
  );
