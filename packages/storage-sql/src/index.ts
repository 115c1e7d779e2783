export * as SqlBlobStore from "./SqlBlobStore.ts";
export * as SqlDatabase from "./SqlDatabase.ts";
export * as SqlDocumentStore from "./SqlDocumentStore.ts";
export * as SqlMaintenance from "./SqlMaintenance.ts";
export * as SqlRunJournal from "./SqlRunJournal.ts";
export * as SqlStorage from "./SqlStorage.ts";
export * as SqliteClient from "./SqliteClient.ts";
export * as VersionUnsupported from "./VersionUnsupported.ts";
