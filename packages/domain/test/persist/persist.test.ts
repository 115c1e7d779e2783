import * as PathMap from "@cahier/domain/run/PathMap";
import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import type { ChatMessage, MessageAgent } from "../../src/chat/Chat.ts";
import { CommitId } from "../../src/identity/Identity.ts";
import { baseOf, namedStates } from "../../src/persist/baseOf.ts";
import { isPersistent } from "../../src/persist/PersistentState.ts";
import * as Sha256 from "../../src/payload/Sha256.ts";
import * as Log from "../../src/run/Log.ts";
import {
  isPublishDue,
  nextStateId,
  persistentChanges,
  unnamedMessage,
  unsettledState,
} from "../../src/run/remembered.ts";
import { type CommitRecord, empty, type FileState } from "../../src/run/RunState.ts";

const chat = (...agents: ReadonlyArray<MessageAgent | undefined>): ReadonlyArray<ChatMessage> =>
  agents.map((agent, index) => ({
    index,
    role: "assistant",
    name: "Orla",
    text: "",
    hidden: false,
    ...(agent === undefined ? {} : { agent }),
  }));

const committed = (persistStateId: string): MessageAgent => ({ persistStateStatus: "committed", persistStateId });
const skipped: MessageAgent = { persistStateStatus: "not_committed", persistStateId: "lost" };

describe("the state that a chat leads to", () => {
  it.each<readonly [string, ReadonlyArray<MessageAgent | undefined>, string | null]>([
    ["of an empty chat is none", [], null],
    ["is the last that a message names", [committed("one"), committed("two"), undefined], "two"],
    ["passes over messages whose run did not publish", [committed("one"), skipped, {}], "one"],
    ["looks no further than it must", [{ persistStateStatus: "perhaps" }, committed("one")], "one"],
  ])("%s", (_, agents, expected) => {
    assert.deepStrictEqual(baseOf(chat(...agents)), Result.succeed(expected));
  });

  it.each<readonly [MessageAgent, string]>([
    [{ persistStateStatus: "perhaps" }, "agent.persist_state_status_invalid"],
    [{ persistStateStatus: 5 }, "agent.persist_state_status_invalid"],
    [{ persistStateStatus: "committed" }, "agent.persist_state_missing"],
    [{ persistStateStatus: "committed", persistStateId: "" }, "agent.persist_state_missing"],
  ])("is refused of %j with %s", (agent, code) => {
    const found = baseOf(chat(committed("one"), agent));
    assert.isTrue(Result.isFailure(found) && found.failure.code === code);
  });

  it("names those of swipes that are not shown as well", () => {
    const names = namedStates(chat(committed("one"), { otherStateIds: ["two", "one"] }, skipped));
    assert.deepStrictEqual([...names], ["one", "two", "lost"]);
  });
});

const fileOf = (path: string, text: string): FileState => ({
  path,
  sha256: Sha256.ofText(text),
  bytes: text.length,
  chars: text.length,
  words: 1,
  base: null,
  deltas: Log.empty(),
  writtenBySeq: 1,
});

const filesOf = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, fileOf(path, text)]));

const digestsOf = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([path]) => isPersistent(path))
      .map(([path, text]) => [path, Sha256.ofText(text)]),
  );

const commit: CommitRecord = {
  commitId: CommitId.make("commit_1"),
  path: "output/main.md",
  mode: "replace",
  round: 1,
  messageId: "message",
  messageIndex: 2,
  revision: "r",
  chars: 1,
};

describe("what a run has to publish of what it remembers", () => {
  const path = Schema.Literals(["persist/a.md", "persist/b/c.md", "persist.md", "output/main.md"]);
  const files = Arbitrary.schema(Schema.Record(path, Schema.optionalKey(Schema.Literals(["x", "y"]))));

  it.prop("is what differs under persist/, and nothing once that is the base", [files, files], ([before, after]) => {
    const [old, present] = [before, after] as unknown as ReadonlyArray<Record<string, string>>;
    if (old === undefined || present === undefined) return;
    const state = {
      ...empty,
      files: PathMap.of(filesOf(present)),
      persist: { ...empty.persist, base: digestsOf(old) },
    };
    const changes = persistentChanges(state);
    const differs = [...new Set([...Object.keys(old), ...Object.keys(present)])]
      .filter((name) => isPersistent(name) && old[name] !== present[name])
      .toSorted();
    assert.deepStrictEqual(
      changes.map((change) => change.path),
      differs,
    );
    for (const { kind, path: name } of changes) {
      const expected = old[name] === undefined ? "added" : present[name] === undefined ? "deleted" : "modified";
      assert.strictEqual(kind, expected);
    }
    const published = { ...state, persist: { ...state.persist, base: digestsOf(present) } };
    assert.deepStrictEqual(persistentChanges(published), []);
  });

  it("includes a state that its message does not name", () => {
    const named = { ...empty.persist, stateId: "one" };
    assert.isFalse(isPublishDue({ ...empty, persist: named }));
    assert.isTrue(isPublishDue({ ...empty, persist: named, commits: [commit] }));
    const state = {
      ...empty,
      commits: [commit],
      persist: { ...named, named: { stateId: "one", commitId: commit.commitId } },
    };
    assert.isUndefined(unnamedMessage(state));
    assert.strictEqual(unnamedMessage({ ...state, persist: { ...state.persist, stateId: "two" } }), commit);
  });

  it("has an id of its own each time, and is taken back only until it is named or settled", () => {
    const runId = "run_1" as NonNullable<(typeof empty)["runId"]>;
    const state = { ...empty, runId, files: PathMap.of(filesOf({ "persist/a.md": "x" })) };
    assert.strictEqual(nextStateId(state), "run_1");
    assert.strictEqual(unsettledState(state), "run_1");
    const published = {
      ...state,
      persist: {
        ...state.persist,
        stateId: "run_1",
        base: digestsOf({ "persist/a.md": "x" }),
        before: { stateId: null, base: {} },
        publishedCount: 1,
      },
    };
    assert.strictEqual(nextStateId(published), "run_1_2");
    assert.strictEqual(unsettledState(published), "run_1");
    const settled = [
      { ...published.persist, before: null },
      { ...published.persist, withdrawn: true },
      { ...published.persist, named: { stateId: "run_1", commitId: commit.commitId } },
    ];
    for (const persist of settled) assert.isUndefined(unsettledState({ ...published, persist }));
  });
});
