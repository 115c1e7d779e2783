export * as Disk from "./Disk.ts";
export * as FileBlobStore from "./FileBlobStore.ts";
export * as FileDocumentStore from "./FileDocumentStore.ts";
export * as FileRunJournal from "./FileRunJournal.ts";
export * as FileRunMirror from "./FileRunMirror.ts";
export * as FileStorage from "./FileStorage.ts";
export * as JournalLine from "./JournalLine.ts";
export * as NodeDisk from "./NodeDisk.ts";
