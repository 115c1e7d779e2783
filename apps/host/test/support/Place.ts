/**
 * A folder with a chat and scripts, for one test.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import * as material from "../../src/demonstration/material.ts";
import { fastFolder } from "./fastFolder.ts";

/** `path` names a file of the folder; the data folder does not exist before the first run. */
export interface Place {
  readonly folder: string;
  readonly chat: string;
  readonly data: string;
  readonly path: (name: string) => string;
  /** Writes a file of the folder, objects as JSON, and gives its path. */
  readonly write: (name: string, content: string | Uint8Array | object) => string;
  readonly chatText: () => string;
  /** The messages of the chat, without its header. */
  readonly messages: () => ReadonlyArray<Message>;
}

export interface Message {
  readonly name: string;
  readonly mes: string;
  readonly is_user: boolean;
  readonly swipes?: ReadonlyArray<string>;
}

/** The text of the demonstration's chat: a header and two messages. */
export const chatText = material.chat;

const made: Array<string> = [];

/** Removes every folder that was made; each test file that makes some does so after all its tests. */
export const removeAll = async (): Promise<void> => {
  await Promise.all(made.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
};

/** A fresh folder with a chat in it. */
export const make = async (chat: string = chatText): Promise<Place> => {
  const folder = await mkdtemp(join(fastFolder, "cahier-host-test-"));
  made.push(folder);
  const path = (name: string): string => join(folder, name);
  const write = (name: string, content: string | Uint8Array | object): string => {
    const plain = typeof content === "string" || content instanceof Uint8Array;
    writeFileSync(path(name), plain ? content : JSON.stringify(content));
    return path(name);
  };
  const place = {
    folder,
    chat: write("chat.jsonl", chat),
    data: path("data"),
    path,
    write,
    chatText: () => readFileSync(path("chat.jsonl"), "utf8"),
  };
  return {
    ...place,
    messages: () =>
      place
        .chatText()
        .split("\n")
        .slice(1)
        .filter((line) => line !== "")
        .map((line): Message => JSON.parse(line)),
  };
};

type Turn = Readonly<Record<string, unknown>>;

/** A script of these turns. */
export const script = (...turns: ReadonlyArray<Turn>) => ({ format: "cahier.script/1", turns });

/** A turn that calls one tool. */
export const call = (name: string, args: object = {}, more: Turn = {}): Turn => ({
  ...more,
  toolCalls: [{ name, arguments: args }],
});

/** A turn that writes the message. */
export const draft = (content: string, more: Turn = {}): Turn =>
  call("workspace_write_file", { path: "output/main.md", content }, more);

export const commit = (more: Turn = {}): Turn => call("workspace_commit", {}, more);
export const finish = (more: Turn = {}): Turn => call("workspace_finish", {}, more);

/** Writes, commits, finishes. */
export const short = (content = "A short answer."): ReturnType<typeof script> =>
  script(draft(content), commit(), finish());

/** Writes and then waits for a minute, so that there is time to stop the run. */
export const slow = (): ReturnType<typeof script> => script(draft("A draft."), commit({ delayMs: 60_000 }), finish());
