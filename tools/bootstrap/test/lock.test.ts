import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, assert, beforeAll, describe, it } from "vitest";

const bootstrap = fileURLToPath(new URL("..", import.meta.url));

/** The lock belongs to a clone, so each test works in one of its own. */
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "cahier-lock-"));
const lockFolder = path.join(scratch, ".bootstrap", "lock");
const log = path.join(scratch, "log");

/** Takes the lock in several rounds, and yields while it holds it. */
const holder = (name: string, rounds: number): ReadonlyArray<string> => [
  "--input-type=module",
  "-e",
  `import fs from "node:fs";
   import { withLock } from ${JSON.stringify(path.join(scratch, "tools", "bootstrap", "lock.mjs"))};
   for (let round = 0; round < ${rounds}; round += 1) await withLock(async () => {
     fs.appendFileSync(${JSON.stringify(log)}, "in ${name}\\n");
     await new Promise((resolve) => setImmediate(resolve));
     fs.appendFileSync(${JSON.stringify(log)}, "out ${name}\\n");
   });`,
];

beforeAll(() => {
  fs.mkdirSync(path.join(scratch, "tools", "bootstrap"), { recursive: true });
  for (const name of ["lock.mjs", "repository.mjs"]) {
    fs.copyFileSync(path.join(bootstrap, name), path.join(scratch, "tools", "bootstrap", name));
  }
});

afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

describe("the lock of a clone", () => {
  it("lets one process in after the other", async () => {
    fs.writeFileSync(log, "");
    const processes = ["a", "b", "c", "d"].map((name) => spawn(process.execPath, holder(name, 5)));
    await Promise.all(processes.map((child) => once(child, "close")));
    const lines = fs.readFileSync(log, "utf8").trim().split("\n");
    assert.lengthOf(lines, 40);
    for (const [index, line] of lines.entries()) {
      if (index % 2 === 1) assert.strictEqual(line, lines[index - 1]?.replace("in ", "out "));
    }
    assert.isFalse(fs.existsSync(lockFolder));
  });

  it("is taken over from an owner that is dead", () => {
    fs.writeFileSync(log, "");
    const dead = spawnSync(process.execPath, ["-e", ""]).pid;
    fs.mkdirSync(lockFolder, { recursive: true });
    fs.writeFileSync(path.join(lockFolder, String(dead)), "");
    assert.strictEqual(spawnSync(process.execPath, [...holder("heir", 1)]).status, 0);
    assert.strictEqual(fs.readFileSync(log, "utf8"), "in heir\nout heir\n");
    assert.isFalse(fs.existsSync(lockFolder));
  });
});
