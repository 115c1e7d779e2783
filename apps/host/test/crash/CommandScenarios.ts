/**
 * What the trials of commands kill: a revision, rollbacks of a message, a fork, and copies of a storage.
 *
 * A chat shows what was published before or what is published in the end, once, and never a part of either.
 */
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Ended, objectOf } from "../support/Cahier.ts";
import * as Place from "../support/Place.ts";
import type { Ground, Prepared, Scenario } from "./CommandTrial.ts";
import type { Seen } from "./lookAt.ts";
import { finalText, firstText } from "./story.ts";

type Answer = Readonly<Record<string, unknown>>;
type Rows = ReadonlyArray<Answer>;

const revisedText = `${finalText}And then the ferry came.\n`;
const forkedText = `Another story. ${finalText}`;

/** A moment between the turns, so that kills meet every kind of step. */
const briefly = { delayMs: 3 };

/** A draft that is published, and another text that takes its place: both over 8 KiB, so that they are content of their own. */
const publishing = [
  Place.draft(firstText, briefly),
  Place.commit(briefly),
  Place.draft(finalText, briefly),
  Place.commit(briefly),
  Place.finish(briefly),
];

const revising = [
  Place.call("workspace_read_file", { path: "output/main.md" }, briefly),
  Place.draft(revisedText, briefly),
  Place.commit(briefly),
  Place.finish(briefly),
];

const forking = [Place.draft(forkedText, briefly), Place.commit(briefly), Place.finish(briefly)];

/** The story as a script; a run of it is revised by what follows it. */
const story = {
  ...Place.script(...publishing),
  agents: { "default-writer": [publishing, revising].map((turns) => ({ turns })) },
};

/** Every scenario. */
export const scenarios: ReadonlyArray<Scenario> = [
  { name: "runs revise", prepare: (ground) => revision(ground) },
  { name: "runs fork", prepare: (ground) => fork(ground) },
  { name: "runs rollback, replace", prepare: (ground) => rollback(ground, "replace") },
  { name: "runs rollback, withdraw", prepare: (ground) => rollback(ground, "withdraw") },
  { name: "runs rollback, restore", prepare: (ground) => rollback(ground, "restore") },
  { name: "storage copy to files", prepare: (ground) => copy(ground, "file:") },
  { name: "storage copy to SQLite", prepare: (ground) => copy(ground, "sqlite:") },
];

const revision = async (ground: Ground): Promise<Prepared> => {
  const { demand, place, run } = ground;
  const runId = await published(ground);
  const args = ["runs", "revise", runId, "Let the ferry come.", "--data", place.data, "--json"];
  const seen = async (when: string): Promise<Seen | undefined> => {
    const runs = await look(ground, when);
    demand(runs.length === 1, `${when}: there are ${runs.length} runs`);
    return runs[0];
  };
  return {
    args,
    written: () => journalBytes(place),
    look: async (when) => {
      const found = await seen(when);
      const texts = newTexts(ground, when);
      demand(texts.length === 1, `${when}: the chat has ${texts.length} messages of the run`);
      demand(
        texts[0] === revisedText || (texts[0] === finalText && found?.commits === 2),
        `${when}: the message is neither as before nor as revised`,
      );
      return found?.state ?? "no run";
    },
    goOn: async () => {
      const found = await seen("before going on");
      if (found?.isEnded !== true) completed(ground, await run("runs", "resume", runId, ...at(place)));
      else if (found.revision === undefined) completed(ground, await run(...args));
    },
    end: async () => {
      const found = await seen("in the end");
      demand(found?.state === "completed, revision completed", `in the end: ${found?.state ?? "no run"}`);
      demand(found?.commits === 3, `in the end: ${found?.commits ?? 0} commits are recorded`);
      demand(newTexts(ground, "in the end")[0] === revisedText, "in the end: the message is not the revised one");
    },
  };
};

const fork = async (ground: Ground): Promise<Prepared> => {
  const { demand, place, run } = ground;
  const runId = await published(ground);
  const journal = (): string => readFileSync(journalPath(place, runId), "utf8");
  const before = journal();
  const script = place.write("fork.json", Place.script(...forking));
  const args = ["runs", "fork", runId, "cp_000001", "--script", script, ...at(place)];
  const seen = async (when: string): Promise<Seen | undefined> => {
    const forks = (await look(ground, when)).filter((one) => one.runId !== runId);
    demand(forks.length <= 1, `${when}: there are ${forks.length} forks`);
    return forks[0];
  };
  return {
    args,
    written: () => journalBytes(place),
    look: async (when) => {
      const found = await seen(when);
      demand(journal() === before, `${when}: the journal of the run that was forked has changed`);
      const swipes = place.messages().at(-1)?.swipes;
      const isForked = swipes?.length === 2 && swipes[0] === finalText && swipes[1] === forkedText;
      const isBefore = (swipes === undefined || swipes.length === 1) && lastText(place) === finalText;
      demand(newTexts(ground, when).length === 1, `${when}: the chat has not one message of the run`);
      demand(
        isForked || (isBefore && (found?.commits ?? 0) === 0),
        `${when}: the message is neither as before nor with the fork's text`,
      );
      return found?.state ?? "no fork";
    },
    goOn: async () => {
      const found = await seen("before going on");
      if (found === undefined) completed(ground, await run(...args));
      else if (!found.isEnded) completed(ground, await run("runs", "resume", found.runId, ...at(place)));
    },
    end: async () => {
      const found = await seen("in the end");
      demand(found?.state === "completed", `in the end: ${found?.state ?? "no fork"}`);
      demand(lastText(place) === forkedText, "in the end: the chat does not show the fork's text");
    },
  };
};

/** The run has replaced the last message, so that taking its own out gives that one back. */
const rollback = async (ground: Ground, action: "replace" | "withdraw" | "restore"): Promise<Prepared> => {
  const { demand, place, run } = ground;
  const replaced = { name: "Mara", is_user: false, mes: "An old answer." };
  place.write("chat.jsonl", `${place.chatText()}\n${JSON.stringify(replaced)}`);
  const original = place.chatText();
  const runId = await published(ground, "--type", "regenerate");
  const { checkpoints } = objectOf(await run("runs", "show", runId, ...at(place)));
  const [early = "", late = ""] = (checkpoints as Rows)
    .filter(({ reason }) => reason === "chat_commit")
    .map(({ checkpointId }) => String(checkpointId));
  const to = (checkpoint: string): ReadonlyArray<string> => [
    "runs",
    "rollback",
    runId,
    checkpoint,
    "--scope",
    "committed-message",
    ...at(place),
  ];
  const undo = action === "restore" ? String(objectOf(await run(...to(early)))["undo"]) : "";
  const args = to({ replace: late, withdraw: early, restore: undo }[action]);
  const gone = null;
  const [before, after] = {
    replace: [finalText, firstText],
    withdraw: [finalText, gone],
    restore: [gone, finalText],
  }[action];
  const shows = (text: string | null | undefined): boolean =>
    text === gone ? place.chatText() === original : lastText(place) === text;
  return {
    args,
    written: () => journalBytes(place),
    look: async (when) => {
      await look(ground, when);
      const { length } = place.messages();
      demand(length === messagesIn(original), `${when}: the chat has ${length} messages`);
      demand(shows(before) || shows(after), `${when}: the chat is neither as before nor rolled back`);
      return shows(before) ? "the chat is as before" : "the chat is rolled back";
    },
    goOn: async () => {
      const again = await run(...args);
      demand(again.code === 0, `going on ends with ${again.code}: ${again.stdout}${again.stderr}`);
    },
    end: async () => {
      demand(shows(after), "in the end: the chat is not rolled back");
      const again = await run(...args);
      demand(again.code === 0 && objectOf(again)["action"] === null, `in the end: rolled back twice: ${again.stdout}`);
    },
  };
};

/** Every other trial gives the copy that was broken off up before it is made anew. */
const copy = async (ground: Ground, kind: "file:" | "sqlite:"): Promise<Prepared> => {
  const { demand, place, run, see } = ground;
  const runIds = [await published(ground), await published(ground)];
  const path = place.path("copy");
  const to = `${kind}${path}`;
  const args = ["storage", "copy", place.data, to, "--json"];
  const { hash } = objectOf(await run("storage", "copy", place.data, place.path("whole"), "--json"));
  const chat = place.chatText();
  const isThere = (): boolean => existsSync(kind === "file:" ? join(path, "documents") : path);
  const giveUp = async (): Promise<Ended> => await run("storage", "copy", "--abandon", to, "--json");
  return {
    args,
    written: () => bytesOf(place.folder, [`copy*`, `copy/**`]),
    look: async (when) => {
      demand(place.chatText() === chat, `${when}: the chat has changed`);
      if (!isThere()) return "nothing is there";
      const { runs, wrong } = await see(to);
      for (const what of wrong) demand(false, `${when}: ${what}`);
      const isOurs = runs.every(({ runId, state }) => runIds.includes(runId) && state === "completed");
      demand(isOurs, `${when}: a run of the copy is not as it was copied`);
      return `${runs.length} of ${runIds.length} runs are there`;
    },
    goOn: async (trial) => {
      if (trial % 2 === 1 && isThere()) {
        const given = await giveUp();
        demand(given.code === 0, `the copy cannot be given up: ${given.stdout}${given.stderr}`);
      }
      const again = await run(...args);
      demand(again.code === 0, `the copy cannot be made anew: ${again.stdout}${again.stderr}`);
      demand(objectOf(again)["hash"] === hash, "the copy that was made anew holds something else");
    },
    end: async () => {
      const { runs } = await see(to);
      demand(runs.length === runIds.length, `in the end: the copy has ${runs.length} runs`);
      const given = await giveUp();
      demand(objectOf(given)["abandoned"] === false, `in the end: the mark of the copy is left: ${given.stdout}`);
    },
  };
};

/** The words that say where the runs of a place are, and that one object is wanted. */
const at = ({ data }: Place.Place): ReadonlyArray<string> => ["--data", data, "--json"];

/** A run that has published twice and ended; gives its id. */
const published = async ({ place, run }: Ground, ...more: ReadonlyArray<string>): Promise<string> => {
  const script = place.write("script.json", story);
  const ended = await run("run", "--chat", place.chat, "--script", script, ...more, ...at(place));
  if (ended.code !== 0) throw new Error(`the run to begin with failed: ${ended.stdout}${ended.stderr}`);
  return String(objectOf(ended)["runId"]);
};

/** The runs of the place, nothing of which may be wrong. In the end nothing may lie beside the chat either. */
const look = async ({ demand, place, see }: Ground, when: string): Promise<ReadonlyArray<Seen>> => {
  const { runs, wrong } = await see(place.data);
  for (const what of wrong) demand(false, `${when}: ${what}`);
  const left = readdirSync(place.folder).filter((name) => name.startsWith("chat.jsonl") && name !== "chat.jsonl");
  demand(when !== "in the end" || left.length === 0, `${when}: there lies ${left.join(", ")} beside the chat`);
  return runs;
};

const completed = ({ demand }: Ground, ended: Ended): void => {
  const isDone = ended.code === 0 && objectOf(ended)["status"] === "completed";
  demand(isDone, `going on ends with ${ended.code}: ${ended.stdout}${ended.stderr}`);
};

/** The texts that the chat has more than in the beginning, whose bytes must all be there. */
const newTexts = ({ demand, place }: Ground, when: string): ReadonlyArray<string> => {
  demand(place.chatText().startsWith(Place.chatText), `${when}: a byte of the chat changed that was there before`);
  return place
    .messages()
    .slice(messagesIn(Place.chatText))
    .map(({ mes }) => mes);
};

const lastText = (place: Place.Place): string | undefined => place.messages().at(-1)?.mes;

const messagesIn = (text: string): number => text.trimEnd().split("\n").length - 1;

const journals = "agent-workspaces/chats/*/runs/*/events.jsonl";

const journalPath = (place: Place.Place, runId: string): string =>
  join(place.data, globSync(journals, { cwd: place.data }).find((path) => path.includes(runId)) ?? runId);

const journalBytes = ({ data }: Place.Place): number => bytesOf(data, [journals]);

/** A file may go while it is looked at, and a folder counts nothing. */
const bytesOf = (folder: string, patterns: ReadonlyArray<string>): number =>
  globSync(patterns, { cwd: folder })
    .map((path) => statSync(join(folder, path), { throwIfNoEntry: false }))
    .reduce((sum, found) => sum + (found?.isFile() === true ? found.size : 0), 0);
