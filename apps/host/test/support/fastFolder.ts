/**
 * Where tests keep what nobody needs after them: nothing of it has to outlive the machine, and a file system in memory syncs
 * at once. A process that is killed leaves there what it leaves on a disk.
 */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";

const inMemory = "/dev/shm";

/** The folder in which tests make their own; whoever sets TMPDIR has the last word. */
export const fastFolder = process.env["TMPDIR"] === undefined && existsSync(inMemory) ? inMemory : tmpdir();
