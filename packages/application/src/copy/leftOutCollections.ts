/**
 * The collections of documents that belong to processes and not to what is stored: they are never copied.
 */
import { hostsCollection } from "../run/Ownership.ts";
import { summariesCollection } from "../run/RunSummary.ts";

/** Where a copy under way says at its destination that the destination is not whole yet. */
export const copiesCollection = "storage-copies";

/** Heartbeats of processes, summaries that are made of journals again, and marks of copies under way. */
export const leftOutCollections: ReadonlyArray<string> = [hostsCollection, summariesCollection, copiesCollection];
