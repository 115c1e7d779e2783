/**
 * The memory adapters as the laws meet them: every view of a harness shares one storage object.
 */
import type { BlobStoreHarness } from "@cahier/testkit/laws/BlobStoreLaws";
import type { DocumentStoreHarness } from "@cahier/testkit/laws/DocumentStoreLaws";
import type { RunJournalHarness } from "@cahier/testkit/laws/RunJournalLaws";
import type { RunMirrorHarness } from "@cahier/testkit/laws/RunMirrorLaws";
import type { SecretStoreHarness } from "@cahier/testkit/laws/SecretStoreLaws";
import * as Effect from "effect/Effect";
import * as MemoryBlobStore from "../src/MemoryBlobStore.ts";
import * as MemoryDocumentStore from "../src/MemoryDocumentStore.ts";
import * as MemoryRunJournal from "../src/MemoryRunJournal.ts";
import * as MemoryRunMirror from "../src/MemoryRunMirror.ts";
import * as MemorySecretStore from "../src/MemorySecretStore.ts";

export const makeJournalHarness = Effect.sync((): RunJournalHarness => {
  const storage = MemoryRunJournal.makeStorage();
  return {
    open: Effect.sync(() => MemoryRunJournal.make(storage)),
    tear: (runId, tear) =>
      "cutBytes" in tear ? MemoryRunJournal.tear(storage, runId) : MemoryRunJournal.leaveHalfLine(storage, runId),
    damage: (runId, seq) => MemoryRunJournal.damage(storage, runId, seq),
  };
});

export const makeBlobHarness = Effect.sync((): BlobStoreHarness => {
  const storage = MemoryBlobStore.makeStorage();
  return {
    open: Effect.sync(() => MemoryBlobStore.make(storage)),
    damage: (scope, sha256) => MemoryBlobStore.damage(storage, scope, sha256),
  };
});

export const makeDocumentHarness = Effect.sync((): DocumentStoreHarness => {
  const storage = MemoryDocumentStore.makeStorage();
  return {
    open: Effect.sync(() => MemoryDocumentStore.make(storage)),
    damage: (collection, id) => MemoryDocumentStore.damage(storage, collection, id),
  };
});

export const makeMirrorHarness = Effect.sync((): RunMirrorHarness => {
  const storage = MemoryRunMirror.makeStorage();
  return { open: Effect.sync(() => MemoryRunMirror.make(storage)) };
});

export const makeSecretHarness = Effect.sync((): SecretStoreHarness => {
  const values: Record<string, string | undefined> = {};
  return {
    open: Effect.sync(() => MemorySecretStore.make(values)),
    set: (key, value) =>
      Effect.sync(() => {
        values[key] = value ?? undefined;
      }),
  };
});
