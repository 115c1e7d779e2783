export * as MemoryBlobStore from "./MemoryBlobStore.ts";
export * as MemoryDocumentStore from "./MemoryDocumentStore.ts";
export * as MemoryRunJournal from "./MemoryRunJournal.ts";
export * as MemoryRunMirror from "./MemoryRunMirror.ts";
export * as MemorySecretStore from "./MemorySecretStore.ts";
export * as MemoryStorage from "./MemoryStorage.ts";
