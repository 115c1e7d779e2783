/**
 * One bootstrap at a time per clone.
 *
 * The lock is a folder that holds one file named by the owner's process id. It appears whole (a folder is prepared and
 * renamed), and a dead owner's lock is taken over by renaming that file, which exactly one waiter can do.
 */
import fs from "node:fs";
import path from "node:path";
import { at } from "./repository.mjs";

const folder = at(".bootstrap", "lock");
const pollMs = 100;

/** Runs `work` while holding the lock; waits for a living owner, says so once on stderr. Released in any outcome. */
export const withLock = async (work) => {
  await acquire();
  try {
    return await work();
  } finally {
    release();
  }
};

const acquire = async () => {
  const draft = `${folder}.${process.pid}`;
  fs.mkdirSync(draft, { recursive: true });
  fs.writeFileSync(path.join(draft, String(process.pid)), "");
  const attempt = async (announced) => {
    if (succeeds(() => fs.renameSync(draft, folder))) return;
    const owner = ownerOf();
    if (owner !== undefined && !isAlive(owner) && takeOver(owner)) {
      fs.rmSync(draft, { recursive: true, force: true });
      return;
    }
    if (owner !== undefined && !announced) {
      process.stderr.write(`Waiting for process ${owner}, which prepares this clone (its lock is ${folder}).\n`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    await attempt(announced || owner !== undefined);
  };
  await attempt(false);
};

const release = () => {
  fs.rmSync(path.join(folder, String(process.pid)), { force: true });
  // Another process may have renamed its own lock into the emptied folder already; that one stays.
  succeeds(() => fs.rmdirSync(folder));
};

const takeOver = (owner) =>
  succeeds(() => fs.renameSync(path.join(folder, String(owner)), path.join(folder, String(process.pid))));

const ownerOf = () => {
  try {
    const [name] = fs.readdirSync(folder);
    return name === undefined ? undefined : Number(name);
  } catch {
    return undefined;
  }
};

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
};

const succeeds = (action) => {
  try {
    action();
    return true;
  } catch (error) {
    if (["ENOENT", "EEXIST", "ENOTEMPTY", "EPERM", "EACCES", "EBUSY"].includes(error.code)) return false;
    throw error;
  }
};
