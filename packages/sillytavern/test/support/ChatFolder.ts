/**
 * A chat of our own writing in a folder that lives as long as a test, and requests to commit to it.
 */
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommitId, ProfileId, RunId, StableChatId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { ChatLocation, CommitRequest } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import { isArray, isObject, type JsonObject } from "../../src/chat/internal/json.ts";

export const header =
  '{"chat_metadata":{"integrity":"4c1f-own","tainted":true},"user_name":"unused","character_name":"unused"}';

export const greeting = JSON.stringify({
  name: "Orla",
  is_user: false,
  is_system: false,
  send_date: "2026-11-30T01:00:00.000Z",
  mes: "The lamp is lit. Who knocks?",
  extra: {},
  swipes: ["The lamp is lit. Who knocks?"],
  swipe_id: 0,
  swipe_info: [{ send_date: "2026-11-30T01:00:00.000Z", extra: {} }],
});

export const question = JSON.stringify({
  name: "Mira",
  is_user: true,
  is_system: false,
  send_date: "2026-11-30T01:01:00.000Z",
  mes: "Only me. What do you keep in the tower?",
  extra: { isSmallSys: false },
  force_avatar: "/thumbnail?type=persona&file=mira.png",
});

export const answer = JSON.stringify({
  extra: { api: "custom", model: "small", reasoning: "short" },
  name: "Orla",
  is_user: false,
  send_date: "2026-11-30T01:02:00.000Z",
  mes: "Letters, mostly.",
  title: "",
  gen_started: "2026-11-30T01:01:58.000Z",
  gen_finished: "2026-11-30T01:02:00.000Z",
  swipes: ["Dust.", "Letters, mostly."],
  swipe_id: 1,
  swipe_info: [
    { send_date: "2026-11-30T01:01:30.000Z", extra: { model: "small" } },
    {
      send_date: "2026-11-30T01:02:00.000Z",
      gen_started: "2026-11-30T01:01:58.000Z",
      gen_finished: "2026-11-30T01:02:00.000Z",
      extra: { api: "custom", model: "small", reasoning: "short" },
    },
  ],
});

/** A file as SillyTavern leaves it: no line end after the last line. */
export const chatText = (...lines: ReadonlyArray<string>): string => [header, ...lines].join("\n");

export interface Chat extends ChatLocation {
  readonly folder: string;
  readonly text: Effect.Effect<string>;
  readonly write: (text: string | Uint8Array) => Effect.Effect<void>;
}

/** A chat file with this content in a folder called `Orla`, both gone when the scope ends. */
export const make = (content: string | Uint8Array) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(async () => realpath(await mkdtemp(join(tmpdir(), "cahier-chat-")))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
    );
    const location = join(folder, "Orla - evening.jsonl");
    const write = (text: string | Uint8Array) => Effect.promise(() => writeFile(location, text));
    yield* write(content);
    const text = Effect.promise(() => readFile(location, "utf8"));
    return { folder, location, text, write } satisfies Chat;
  });

let requests = 0;

/** A request of a run of its own. */
export const request = (chat: ChatLocation, revision: string, changes: Partial<CommitRequest> = {}): CommitRequest => {
  requests += 1;
  return {
    commitId: CommitId.make(`commit_${requests.toString(16).padStart(32, "0")}`),
    chat,
    generationType: "normal",
    mode: "replace",
    text: 'She says: "Come in."\nThe door opens. 你好 \u2028',
    characterName: "Orla",
    revision,
    metadata: {
      runId: RunId.make("run_00000000000000000000000000000001"),
      workspaceId: WorkspaceId.make("chat_0000000000000001"),
      stableChatId: StableChatId.make("4c1f-own"),
      profileId: ProfileId.make("default-writer"),
      path: "output/main.md",
      model: "scripted",
    },
    at: "2026-11-30T02:00:00.000Z",
    ...changes,
  };
};

/** The lines of a file's text, without line ends. */
export const linesOf = (text: string): ReadonlyArray<string> => text.split(/\r?\n/).filter((line) => line !== "");

/** A line as JSON object. */
export const parsed = (line: string | undefined): JsonObject => {
  const value: unknown = JSON.parse(line ?? "");
  return isObject(value) ? value : {};
};

/** A value deep inside parsed JSON. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((inner, step) => {
    if (typeof step === "number") return isArray(inner) ? inner.at(step) : undefined;
    return isObject(inner) ? inner[step] : undefined;
  }, value);
