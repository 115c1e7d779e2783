/**
 * A host that is killed in the middle of a shell command: all of the command's changes or none, and no process is left behind.
 */
/* oxlint-disable eslint/no-await-in-loop -- each look comes after the one before */
import { globSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf, type Running, start, type StartOptions } from "../support/Cahier.ts";
import * as Place from "../support/Place.ts";
import * as Descendants from "./Descendants.ts";

type Answer = Readonly<Record<string, unknown>>;

const written = ["a", "b", "c", "d"].map((name) => `scratch/${name}.txt`);

/** Two of the files are written before the time that the command takes, and two after it. */
const command = (seconds: number): string =>
  `echo 1 > scratch/a.txt; echo 2 > scratch/b.txt; sleep ${seconds}; echo 3 > scratch/c.txt; cat scratch/[abc].txt > scratch/d.txt`;

/** `timeoutMs` is of a call of the shell, the start of its processes included. */
const profileOf = (timeoutMs: number) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "shell-writer",
  displayName: "Shell writer",
  run: { presentation: "foreground" },
  tools: {
    maxRounds: 10,
    allow: ["shell", "write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
    timeoutMs: { "builtin:workspace.shell": timeoutMs },
  },
});

const begin = async (shellCommand: string, timeoutMs = 60_000, options: StartOptions = {}) => {
  const place = await Place.make();
  const temporary = place.path("temporary");
  mkdirSync(temporary);
  const script = Place.script(
    Place.call("workspace_shell", { command: shellCommand }),
    Place.draft("A draft."),
    Place.commit(),
    Place.finish(),
  );
  const running = start(
    [
      "run",
      "--chat",
      place.chat,
      "--data",
      place.data,
      "--profile",
      place.write("profile.json", profileOf(timeoutMs)),
      "--script",
      place.write("script.json", script),
    ],
    { ...options, environment: { TMPDIR: temporary } },
  );
  const [runId] = await running.says(/run_[0-9a-f]{32}/);
  return { place, runId, running, temporary };
};

/** Resolves when the journal says that the command has begun. */
const hasBegun = async ({ data }: Place.Place, { exit }: Running): Promise<void> => {
  const over = { yet: false };
  void exit.then(() => (over.yet = true));
  const says = (): boolean =>
    globSync("agent-workspaces/chats/*/runs/*/events.jsonl", { cwd: data }).some((path) =>
      readFileSync(join(data, path), "utf8").includes('"tool_call_started"'),
    );
  while (!says() && !over.yet) await wait(2);
};

/** Resolves when the processes have worked so much more than they had. */
const hasWorked = async (processes: ReadonlyArray<number>, work: number): Promise<void> => {
  const atWork = (): number => processes.reduce((sum, each) => sum + Descendants.workOf(each), 0);
  const before = atWork();
  while (atWork() - before < work) await wait(5);
};

/** The paths of the command's files that a run has, and how often the journal says that they were written. */
const filesOf = async ({ data }: Place.Place, runId: string) => {
  const ask = async (...args: ReadonlyArray<string>): Promise<Answer> =>
    objectOf(await cahier([...args, "--data", data, "--json"]));
  const { files } = await ask("runs", "show", runId);
  const { events } = await ask("runs", "events", runId, "--limit", "500");
  const isOurs = (path: unknown): boolean => written.includes(String(path));
  return {
    kept: (files as ReadonlyArray<Answer>).map(({ path }) => String(path)).filter(isOurs),
    writes: (events as ReadonlyArray<Answer>).filter(
      ({ payload, type }) => type === "workspace_file_written" && isOurs((payload as Answer)["path"]),
    ).length,
  };
};

const resume = ({ data }: Place.Place, runId: string) => cahier(["runs", "resume", runId, "--data", data]);

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe.skipIf(!Descendants.areKnown)("a host that is stopped during a shell command", () => {
  it("by Ctrl-C cancels the run, keeps what the command had done by then, and leaves no process behind", async () => {
    const unending = "echo 1 > scratch/a.txt; echo 2 > scratch/b.txt; while true; do :; done; echo 3 > scratch/c.txt";
    const { place, runId, running } = await begin(unending, 60_000, { detached: true });
    await hasBegun(place, running);
    const pid = running.child.pid ?? 0;
    while (Descendants.of(pid).length < 2) await wait(5);
    const processes = Descendants.of(pid);
    // More than it takes until they are ready.
    await hasWorked(processes, 250);
    // As the terminal does it: whoever is in the foreground is told, and not this process alone.
    process.kill(-pid, "SIGINT");
    assert.strictEqual((await running.ended).code, 130);
    await Descendants.ended(processes);
    assert.deepStrictEqual(await filesOf(place, runId), { kept: written.slice(0, 2), writes: 2 });
    const shown = await cahier(["runs", "events", runId, "--data", place.data, "--json"]);
    assert.include(shown.stdout, "workspace.shell_cancelled");
    assert.strictEqual(place.chatText(), Place.chatText);
  });
});

describe("a host that is killed during a shell command", () => {
  it("has kept nothing of a command that goes on, which is run again by whoever resumes", async () => {
    const { place, runId, running } = await begin(command(2));
    await hasBegun(place, running);
    running.child.kill("SIGKILL");
    await running.ended;
    assert.deepStrictEqual(await filesOf(place, runId), { kept: [], writes: 0 });
    const resumed = await resume(place, runId);
    assert.strictEqual(resumed.code, 0, resumed.stdout + resumed.stderr);
    assert.deepStrictEqual(await filesOf(place, runId), { kept: written, writes: 4 });
    assert.strictEqual(
      (await cahier(["runs", "file", runId, "scratch/d.txt", "--data", place.data])).stdout,
      "1\n2\n3\n",
    );
  });

  it("has kept all of its changes or none, whenever that is, and each is made once", async () => {
    for (const delayMs of [0, 150, 300, 450, 600, 750]) {
      const { place, runId, running } = await begin(command(0.1));
      await hasBegun(place, running);
      await Promise.race([wait(delayMs), running.exit]);
      running.child.kill("SIGKILL");
      const { signal } = await running.ended;
      const title = `${delayMs} ms after it began`;
      const { kept, writes } = await filesOf(place, runId);
      assert.oneOf(kept.length, [0, 4], title);
      assert.strictEqual(writes, kept.length, title);
      if (signal === "SIGKILL") await resume(place, runId);
      assert.deepStrictEqual(await filesOf(place, runId), { kept: written, writes: 4 }, title);
      assert.strictEqual(place.messages().at(-1)?.mes, "A draft.", title);
    }
  });

  it.skipIf(!Descendants.areKnown).for([
    ["sleep 4", 0],
    ["while true; do :; done", 30],
    ["python -c 'while True: pass'", 30],
    ["js -e 'for (;;) {}'", 30],
  ] as const)(
    "leaves no process and no folder of the shell behind, at the latest when the time of its command is over: %s",
    async ([endless, work]) => {
      const { place, running, temporary } = await begin(endless, 6000);
      await hasBegun(place, running);
      const pid = running.child.pid ?? 0;
      while (Descendants.of(pid).length < 2) await wait(5);
      const processes = Descendants.of(pid);
      await hasWorked(processes, work);
      running.child.kill("SIGKILL");
      await running.ended;
      await Descendants.ended(processes);
      assert.deepStrictEqual(
        readdirSync(temporary).filter((name) => name.startsWith("cahier-command-")),
        [],
      );
    },
  );
});
