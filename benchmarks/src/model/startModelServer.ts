/**
 * Starts the model server as a process of its own and asks it about sessions.
 */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Session } from "./ModelServer.ts";
import type { ConversationKind } from "./replies.ts";

export interface ModelServer {
  /** The base URL under which a session's model says `rounds` tool calls of a kind and then finishes. */
  readonly baseUrl: (session: string, kind: ConversationKind, rounds: number) => string;
  /** What the server has seen of a session. */
  readonly session: (session: string) => Promise<Session>;
  readonly stop: () => void;
}

/** Resolves when the server listens, on the loopback interface alone. */
export const startModelServer = async (): Promise<ModelServer> => {
  const child = fork(fileURLToPath(new URL("./ModelServer.ts", import.meta.url)), { execArgv: [] });
  const origin = `http://127.0.0.1:${await portOf(child)}`;
  return {
    baseUrl: (session, kind, rounds) => `${origin}/${session}/${kind}/${rounds}/v1`,
    session: async (session) => (await (await fetch(`${origin}/${session}`)).json()) as Session,
    stop: () => child.disconnect(),
  };
};

const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once("message", (port) => resolve(Number(port)));
    child.once("exit", (code) => reject(new Error(`the model server ended with code ${code}`)));
  });
