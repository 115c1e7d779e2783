/** Codes about where runs are kept. */
import type { FailureEntry } from "../FailureCode.ts";

export const storageCodes = {
  "blob.hash_mismatch": { class: "fatal", meaning: "Stored content is not what its hash says." },
  "blob.missing": { class: "fatal", meaning: "Stored content that the journal names is gone." },
  "journal.conflict": { class: "fatal", meaning: "Another writer appended to the run." },
  "journal.corrupt": { class: "fatal", meaning: "The journal is damaged." },
  "journal.fenced": { class: "fatal", meaning: "Another process has taken the run over." },
  "journal.version_unsupported": { class: "fatal", meaning: "The journal was written by a newer version." },
  "storage.copy_conflict": { class: "host", meaning: "The storage to copy to has something else of the same name." },
  "storage.copy_unverified": { class: "host", meaning: "What a copy wrote is not what it was made of." },
  "storage.failed": { class: "fatal", meaning: "The storage cannot be used." },
  "storage.full": { class: "fatal", meaning: "The storage has no room." },
  "storage.in_use": { class: "host", meaning: "A living process works in the storage." },
  "storage.read_only": { class: "fatal", meaning: "The storage cannot be written." },
} as const satisfies Record<string, FailureEntry>;
