/**
 * What a benchmark runs agents in: the model server, the whole runtime over a fresh storage, and a chat.
 */
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as fs from "node:fs";
import * as path from "node:path";
import { makeFolder } from "../measure/folder.ts";
import type { ConversationKind } from "../model/replies.ts";
import { type ModelServer, startModelServer } from "../model/startModelServer.ts";
import * as Storage from "../storage/Storage.ts";
import { agentRun } from "./agentRun.ts";
import { writeChat } from "./chatFile.ts";
import * as EchoTool from "./EchoTool.ts";
import * as Runtime from "./Runtime.ts";

export interface Workshop extends AsyncDisposable {
  readonly server: ModelServer;
  /** The temporary folder; the data folder is in it. */
  readonly folder: string;
  readonly data: string;
  readonly storage: Storage.Storage;
  readonly effects: ManagedRuntime.ManagedRuntime<Effects, never>;
  /** A name of a session of the model server that nobody has used. */
  readonly newSession: () => string;
  /** Carries one run of so many tool rounds to its end; gives the session it talked in. `chat` is another chat's number. */
  readonly run: (kind: ConversationKind, rounds: number, chat?: number) => Promise<string>;
}

type Effects = Runtime.Services;

/** Everything started; disposing of it stops the server and removes the folder. */
export const open = async (name: string, kind: Storage.StorageKind = { name: "files" }): Promise<Workshop> => {
  const folder = makeFolder(name);
  const storage = Storage.make(kind, folder);
  const chatFiles = new Map<number, string>();
  const chatFileOf = (number: number): string => {
    const file = chatFiles.get(number) ?? writeChat(path.join(folder, `chat-${number}.jsonl`), number);
    chatFiles.set(number, file);
    return file;
  };
  const server = await startModelServer();
  const effects = ManagedRuntime.make(Runtime.layer(storage.layer, [EchoTool.tool]));
  let sessions = 0;
  const newSession = (): string => {
    sessions += 1;
    return `session-${sessions}`;
  };
  return {
    server,
    folder,
    data: path.join(folder, "data"),
    storage,
    effects,
    newSession,
    run: async (kind, rounds, chat = 0) => {
      const session = newSession();
      const baseUrl = server.baseUrl(session, kind, rounds);
      const chatFile = chatFileOf(chat);
      await effects.runPromise(agentRun({ chatFile, baseUrl, rounds, tools: [EchoTool.tool.descriptor.id] }));
      return session;
    },
    [Symbol.asyncDispose]: async () => {
      await effects.dispose();
      server.stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
};
