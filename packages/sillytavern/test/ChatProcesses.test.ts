import { spawn } from "node:child_process";
import { existsSync, readlinkSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, describe, it } from "@effect/vitest";
import { CommitId } from "@cahier/domain/identity/Identity";
import * as Effect from "effect/Effect";
import * as SillyTavernChatHost from "../src/SillyTavernChatHost.ts";
import * as ChatFolder from "./support/ChatFolder.ts";
import * as RandomChat from "./support/RandomChat.ts";

const { chatText, greeting, linesOf, parsed, question, request } = ChatFolder;
const host = SillyTavernChatHost.make();
const dependency = resolve(import.meta.dirname, "../../../node_modules/.bin/node");
const node = existsSync(dependency) ? dependency : process.execPath;
const lockName = ".Orla - evening.jsonl.cahier-lock";

interface Ended {
  readonly code: number | null;
  readonly said: string;
  readonly complained: string;
}

/** Starts a process that commits; `watch` gets what it has said so far and may kill it. */
const start = (
  chat: ChatFolder.Chat,
  name: string,
  count: number,
  watch: (said: string, kill: () => void) => void = () => undefined,
) =>
  Effect.callback<Ended>((resume) => {
    const program = fileURLToPath(new URL("./programs/commit.ts", import.meta.url));
    const child = spawn(node, ["--conditions=@cahier/source", program, chat.location, name, String(count)]);
    let said = "";
    let complained = "";
    child.stdout.on("data", (bytes: Buffer) => {
      said += bytes.toString();
      watch(said, () => child.kill("SIGKILL"));
    });
    child.stderr.on("data", (bytes: Buffer) => {
      complained += bytes.toString();
    });
    child.on("close", (code) => resume(Effect.succeed({ code, said, complained })));
    return Effect.sync(() => child.kill("SIGKILL"));
  });

const textsOf = (text: string) =>
  linesOf(text)
    .slice(1)
    .map((line) => String(parsed(line)["mes"]));

describe("commits of several processes to one chat", () => {
  it.live(
    "are applied one after the other, and none is lost",
    () =>
      Effect.gen(function* () {
        const before = chatText(greeting, question);
        const chat = yield* ChatFolder.make(before);
        const ended = yield* Effect.all([start(chat, "a", 12), start(chat, "b", 12)], { concurrency: 2 });
        for (const { code, complained } of ended) assert.strictEqual(code, 0, complained);
        const after = yield* chat.text;
        assert.isTrue(after.startsWith(`${before}\n`));
        const texts = textsOf(after).slice(2);
        assert.sameMembers(
          texts,
          ["a", "b"].flatMap((name) => Array.from({ length: 12 }, (_, number) => `${name}-${number}`)),
        );
        assert.deepStrictEqual(yield* Effect.promise(() => readdir(chat.folder)), ["Orla - evening.jsonl"]);
      }),
    60_000,
  );

  it.live(
    "killed at any moment leave each commit in the chat once or not at all, and the next one goes through",
    () =>
      Effect.gen(function* () {
        const before = chatText(greeting, question);
        const chat = yield* ChatFolder.make(before);
        const random = RandomChat.randomOf(7);
        for (let round = 0; round < 8; round += 1) {
          const name = `k${round}`;
          // The kill falls at a random moment of the commits that follow the first.
          const delay = Math.floor(random() * 40);
          const ended = yield* start(chat, name, 10_000, (said, kill) => {
            if (said === "0\n") setTimeout(kill, delay);
          });
          assert.strictEqual(ended.code, null, ended.complained);
          const texts = textsOf(yield* chat.text);
          const own = texts.filter((text) => text.startsWith(`${name}-`));
          assert.deepStrictEqual(
            own,
            own.map((_, number) => `${name}-${number}`),
          );
          const confirmed = linesOf(ended.said).length;
          assert.isTrue(own.length === confirmed || own.length === confirmed + 1, `${own.length} of ${confirmed}`);
          const last = CommitId.make(`commit_${name}_${own.length - 1}`);
          assert.strictEqual((yield* host.lookup(chat, last))?.messageIndex, texts.length - 1);
          const { revision } = yield* host.freeze(chat, "normal");
          yield* host.commit(request(chat, revision, { text: "after the kill" }));
        }
        assert.isTrue((yield* chat.text).startsWith(`${before}\n`));
        assert.deepStrictEqual(yield* Effect.promise(() => readdir(chat.folder)), ["Orla - evening.jsonl"]);
      }),
    60_000,
  );
});

describe("the lock of a chat", () => {
  const lock = (chat: ChatFolder.Chat, suffix: string, content: string) =>
    Effect.promise(() => writeFile(join(chat.folder, `${lockName}${suffix}`), content));

  const holder = (changes: object) =>
    JSON.stringify({ pid: 2 ** 22 - 1, start: "1", machine: "?", nonce: "0-0", ...changes });

  /** How a lock names this machine and container. */
  const machine = Effect.sync(() => {
    const space = "/proc/self/ns/pid";
    return `${hostname()} ${existsSync(space) ? readlinkSync(space) : ""}`.trim();
  });

  it.effect("of a living process is waited for, then named, and nothing is written", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      const { revision } = yield* host.freeze(chat, "normal");
      const hasty = SillyTavernChatHost.make({ lockPatienceMs: 100 });
      for (const content of [
        holder({ machine: yield* machine, pid: process.pid, start: null }),
        holder({ machine: "another machine" }),
        "",
      ]) {
        yield* lock(chat, "", content);
        const fault = yield* Effect.flip(hasty.commit(request(chat, revision)));
        assert.deepStrictEqual(fault.reason, { _tag: "Busy" });
        assert.include(fault.detail, `delete ${join(chat.folder, lockName)}`);
        assert.strictEqual(yield* chat.text, chatText(greeting, question));
      }
    }),
  );

  it.effect("of a dead process is taken over, also where others died taking it over", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      const here = yield* machine;
      yield* lock(chat, "", holder({ machine: here, nonce: "a" }));
      yield* lock(chat, ".a", holder({ machine: here, nonce: "b", pid: process.pid, start: "another start" }));
      yield* lock(chat, ".b", holder({ machine: here, nonce: "c" }));
      const { revision } = yield* host.freeze(chat, "normal");
      yield* host.commit(request(chat, revision));
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(chat.folder)), ["Orla - evening.jsonl"]);
    }),
  );

  it.effect("lets exactly one of many who know one revision commit, and the others see a moved chat", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      yield* lock(chat, "", holder({ machine: yield* machine, nonce: "d" }));
      const { revision } = yield* host.freeze(chat, "normal");
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 12 }, () => request(chat, revision)),
        (wanted) =>
          Effect.match(host.commit(wanted), { onSuccess: () => "done", onFailure: (fault) => fault.reason._tag }),
        { concurrency: "unbounded" },
      );
      assert.deepStrictEqual(outcomes.toSorted(), [...Array.from({ length: 11 }, () => "Moved"), "done"]);
      assert.lengthOf(textsOf(yield* chat.text), 3);
    }),
  );
});

describe("a big chat", () => {
  it.live("of 20 MB is frozen and committed to within seconds", () =>
    Effect.gen(function* () {
      const long = JSON.stringify({ ...parsed(question), mes: "word ".repeat(390) });
      const chat = yield* ChatFolder.make(chatText(...Array.from({ length: 10_000 }, () => long), greeting));
      const began = performance.now();
      const frozen = yield* host.freeze(chat, "swipe");
      assert.lengthOf(frozen.messages, 10_000);
      const receipt = yield* host.commit(request(chat, frozen.revision, { generationType: "swipe" }));
      assert.strictEqual(receipt.messageIndex, 10_000);
      assert.isBelow(performance.now() - began, 5000);
    }),
  );
});
