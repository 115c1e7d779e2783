import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { assert, describe, it } from "vitest";

const modulePath = new URL("../program.mjs", import.meta.url).href;

/** Prints `ready` and each signal that it gets, and ends with code 7 after its standard input ended. */
const listener = `
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => console.log(signal));
  process.stdin.on("end", () => process.exit(7)).resume();
  console.log("ready");
`;

/** A process group of its own, as a terminal gives one to a command. */
const start = (program: string): ChildProcess & { readonly text: () => string } => {
  const source = `import { runProgram } from ${JSON.stringify(modulePath)};
    await runProgram(process.execPath, ["-e", ${JSON.stringify(program)}], {});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const chunks: Array<string> = [];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  return Object.assign(child, { text: () => chunks.join("") });
};

const printed = async (child: ReturnType<typeof start>, text: string): Promise<void> => {
  if (child.text().includes(text)) return;
  await once(child.stdout ?? child, "data");
  await printed(child, text);
};

const end = async (child: ReturnType<typeof start>): Promise<ReadonlyArray<unknown>> => {
  const closed = once(child, "close");
  child.stdin?.end();
  return await closed;
};

describe.skipIf(process.platform === "win32")("a program that a command of the repository stands for", () => {
  it("gives its standard input and its exit code", async () => {
    const child = start(listener);
    await printed(child, "ready");
    assert.deepStrictEqual(await end(child), [7, null]);
  });

  it("ends the command by the signal that ended it", async () => {
    const child = start(`process.kill(process.pid, "SIGKILL")`);
    assert.deepStrictEqual(await once(child, "close"), [null, "SIGKILL"]);
  });

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`gets a ${signal} once when the command alone was signalled`, async () => {
      const child = start(listener);
      await printed(child, "ready");
      child.kill(signal);
      await printed(child, signal);
      await end(child);
      assert.strictEqual(child.text(), `ready\n${signal}\n`);
    });

    it(`gets a ${signal} once when its whole group was signalled`, async () => {
      const child = start(listener);
      await printed(child, "ready");
      process.kill(-(child.pid ?? Number.NaN), signal);
      await printed(child, signal);
      // A second signal to the command alone passes through after the first has settled, so a repetition would show.
      child.kill(signal === "SIGINT" ? "SIGTERM" : "SIGINT");
      await printed(child, signal === "SIGINT" ? "SIGTERM" : "SIGINT");
      await end(child);
      assert.strictEqual(child.text().split(signal).length - 1, 1);
    });
  }
});
