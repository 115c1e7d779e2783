/**
 * One trial of the crash suite: a run in a fresh folder is killed, looked at, perhaps killed again while it is resumed,
 * and carried on to its end.
 *
 * Owns what must hold after a kill and after a resume. Does not own when the kills happen.
 */
/* oxlint-disable eslint/no-await-in-loop -- a process is looked at after it has ended */
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Finding } from "../../src/cli/checkRuns.ts";
import { cahier, type Ended, objectOf, start } from "../support/Cahier.ts";
import { chatBefore, finalText, firstText, profile, script } from "./story.ts";

/**
 * When a process is killed: so many milliseconds after the run's journal has so many bytes, or after the start. Bytes
 * count the run's own progress, so that a busy machine does not move all kills to its beginning.
 */
export interface Kill {
  readonly journalBytes: number;
  readonly delayMs: number;
}

/** `command` starts a Node and a bundle that nobody replaces meanwhile; `folder` is where trials have their folders. */
export interface TrialOptions {
  readonly command: readonly [node: string, bundle: string];
  readonly folder: string;
  /** Whether everything is there that the journals of a data folder name: one finding a run. */
  readonly checkContent: (data: string) => Promise<ReadonlyArray<Finding>>;
  /** The kill of the run, then kills of the processes that resume it. */
  readonly kills: ReadonlyArray<Kill>;
}

/** `state` is how the run stood after the first kill; `violations` are empty when everything held. */
export interface TrialResult {
  readonly state: string;
  readonly killsThatHit: number;
  /** From the start of the first process to its end. */
  readonly spanMs: number;
  /** The size of the journal in the end; 0 where there is none. */
  readonly journalBytes: number;
  readonly committedBefore: boolean;
  readonly violations: ReadonlyArray<string>;
}

type Answer = Readonly<Record<string, unknown>>;

/** Runs a trial. Its folder is removed when nothing was violated, else kept and named. */
export const trial = async ({ command, folder, checkContent, kills }: TrialOptions): Promise<TrialResult> => {
  const place = mkdtempSync(join(folder, "trial-"));
  const paths = {
    chat: join(place, "chats", "chat.jsonl"),
    script: join(place, "script.json"),
    profile: join(place, "profile.json"),
    data: join(place, "data"),
  };
  const run = (...args: ReadonlyArray<string>): Promise<Ended> =>
    cahier([...args, "--data", paths.data, "--json"], { command });
  layOut(place, paths);
  const violations: Array<string> = [];
  const demand = (holds: boolean, what: string): void => {
    if (!holds) violations.push(what);
  };

  const killed = async (args: ReadonlyArray<string>, kill: Kill | undefined) => {
    const running = start([...args, "--data", paths.data, "--json"], { command });
    const before = performance.now();
    if (kill !== undefined) {
      await reaches(paths.data, kill.journalBytes, running.exit);
      await Promise.race([wait(kill.delayMs), running.exit]);
      running.child.kill("SIGKILL");
    }
    return { ended: await running.ended, spanMs: performance.now() - before };
  };

  /** What must hold at any moment: the journal opens and folds, content is there, the chat is whole. */
  const look = async (when: string): Promise<Answer | undefined> => {
    const lines = messagesAfter(paths.chat);
    demand(lines !== undefined, `${when}: a byte of the chat changed that was there before`);
    demand((lines ?? []).length <= 1, `${when}: the chat has ${lines?.length ?? 0} new messages`);
    demand(
      (lines ?? []).every((text) => text === firstText || text === finalText),
      `${when}: the new message is neither of the two texts`,
    );
    for (const { check, outcome, detail } of await checkContent(paths.data))
      demand(outcome === "passed", `${when}: ${check}: ${detail ?? ""}`);
    const listed = await run("runs", "list");
    demand(listed.code === 0, `${when}: runs list ends with ${listed.code}: ${listed.stderr}${listed.stdout}`);
    if (listed.code !== 0) return undefined;
    const runs = objectOf(listed)["runs"] as ReadonlyArray<Answer>;
    demand(runs.length <= 1, `${when}: ${runs.length} runs`);
    const runId = runs[0]?.["runId"];
    if (typeof runId !== "string") return undefined;
    const shown = await run("runs", "show", runId);
    demand(shown.code === 0, `${when}: runs show ends with ${shown.code}: ${shown.stderr}${shown.stdout}`);
    if (shown.code !== 0) return undefined;
    const described = objectOf(shown);
    demand(described["damage"] === undefined, `${when}: the journal is damaged`);
    const committed = described["committed"] as ReadonlyArray<unknown>;
    demand(committed.length === 0 || lines?.length === 1, `${when}: a recorded commit is not in the chat`);
    return described;
  };

  const [first, ...others] = kills;
  const startArgs = ["run", "--chat", paths.chat, "--script", paths.script, "--profile", paths.profile];
  const { ended, spanMs } = await killed(startArgs, first);
  let hits = ended.signal === "SIGKILL" ? 1 : 0;
  let described = await look("after the kill");
  const state = stateOf(described);
  const committedBefore = (messagesAfter(paths.chat) ?? []).length === 1;
  for (const kill of others) {
    if (described === undefined || described["standing"] !== "interrupted") break;
    const resumed = await killed(["runs", "resume", String(described["runId"])], kill);
    if (resumed.ended.signal === "SIGKILL") hits += 1;
    described = await look(`after kill ${hits}`);
  }

  if (described === undefined || described["createdAt"] === null) {
    // Killed before its admission was durable: there is no run to carry on, and nothing was touched.
    demand(readFileSync(paths.chat, "utf8") === chatBefore, "a run that was never admitted changed the chat");
    if (described !== undefined) {
      const refused = await run("runs", "resume", String(described["runId"]));
      demand(codeIn(refused) === "agent.resume_unavailable", `resume of a run never admitted: ${refused.stdout}`);
    }
  } else {
    const resumed = await run("runs", "resume", String(described["runId"]));
    if (described["standing"] === "ended") {
      demand(described["status"] === "completed", `ended as ${String(described["status"])}`);
      demand(codeIn(resumed) === "agent.resume_unavailable", `resume of an ended run: ${resumed.stdout}`);
    } else {
      demand(
        resumed.code === 0 && statusIn(resumed) === "completed",
        `resume ends with ${resumed.code}: ${resumed.stdout}${resumed.stderr}`,
      );
    }
    const last = await look("after the resume");
    demand(last?.["status"] === "completed", `after the resume the run is ${String(last?.["status"])}`);
    demand(messagesAfter(paths.chat)?.[0] === finalText, "after the resume the chat does not have the final text");
    const left = readdirSync(join(place, "chats")).filter((name) => name !== "chat.jsonl");
    demand(left.length === 0, `after the resume there lies ${left.join(", ")} beside the chat`);
  }
  const journalBytes = journalSize(paths.data);
  if (violations.length === 0) rmSync(place, { recursive: true, force: true });
  return {
    state,
    killsThatHit: hits,
    spanMs,
    journalBytes,
    committedBefore,
    violations: violations.map((what) => `${what} (${place})`),
  };
};

const layOut = (place: string, paths: Readonly<Record<"chat" | "script" | "profile", string>>): void => {
  mkdirSync(join(place, "chats"));
  writeFileSync(paths.chat, chatBefore);
  writeFileSync(paths.script, JSON.stringify(script));
  writeFileSync(paths.profile, JSON.stringify(profile));
};

/** Resolves once the run's journal has so many bytes, or the process that writes it has ended. */
const reaches = async (data: string, bytes: number, exit: Promise<unknown>): Promise<void> => {
  const over = { yet: false };
  void exit.then(() => (over.yet = true));
  while (journalSize(data) < bytes && !over.yet) await wait(1);
};

/** The bytes of the only journal of a data folder. */
const journalSize = (data: string): number => {
  const [path] = globSync("agent-workspaces/chats/*/runs/*/events.jsonl", { cwd: data });
  return path === undefined ? 0 : (statSync(join(data, path), { throwIfNoEntry: false })?.size ?? 0);
};

/** The texts of the messages that the chat has more than before; undefined when what was there changed. */
const messagesAfter = (path: string): ReadonlyArray<string> | undefined => {
  const text = readFileSync(path, "utf8");
  if (text === chatBefore) return [];
  if (!text.startsWith(`${chatBefore}\n`)) return undefined;
  return text
    .slice(chatBefore.length + 1)
    .split("\n")
    .map((line) => String((JSON.parse(line) as Answer)["mes"]));
};

const stateOf = (described: Answer | undefined): string => {
  if (described === undefined) return "no run yet";
  if (described["createdAt"] === null) return "never admitted";
  return described["standing"] === "ended"
    ? String(described["status"])
    : `interrupted, ${String(described["status"])}`;
};

const codeIn = (ended: Ended): unknown => (objectOf(ended)["error"] as Answer | undefined)?.["code"];
const statusIn = (ended: Ended): unknown => objectOf(ended)["status"];
