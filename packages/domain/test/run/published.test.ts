import { assert, describe, it } from "@effect/vitest";
import { CheckpointId, CommitId, RunId, rootInvocation } from "../../src/identity/Identity.ts";
import { evolve } from "../../src/run/evolve.ts";
import * as Published from "../../src/run/published.ts";
import * as RunEvent from "../../src/run/RunEvent.ts";
import { chatRevision, empty, type RunState } from "../../src/run/RunState.ts";
import * as Journals from "./journals.ts";

/** The events of a run that writes a file as often as it commits it. */
const base = Journals.writingRun.slice(
  0,
  Journals.writingRun.findIndex(({ type }) => type === "chat_commit_completed") + 1,
);
const commit = base.at(-1) ?? assert.fail();

const fact = (type: RunEvent.RunEventType, payload: object): Journals.Fact => ({
  type,
  v: RunEvent.definitions[type].v,
  invocationId: rootInvocation,
  payload: payload as Journals.Fact["payload"],
});

const rollback = {
  commitId: CommitId.make("commit_2"),
  checkpointId: CheckpointId.make("cp_000001"),
  path: "output/main.md",
};

/** The state and the publications after the facts. */
const after = (...facts: ReadonlyArray<Journals.Fact>) =>
  Journals.events([...base, ...facts]).reduce<{ state: RunState; publications: Published.Publications }>(
    (found, event) => {
      const state = evolve(found.state, event);
      const publications = RunEvent.isKnown(event)
        ? Published.observe(found.publications, event, state)
        : found.publications;
      return { state, publications };
    },
    { state: empty, publications: [] },
  );

const pathsAt = (publications: Published.Publications, seq: number) =>
  Published.at(publications, seq)?.map(({ path }) => path) ?? null;

describe("what a run has published", () => {
  const again = { ...commit, payload: { ...(commit.payload as object), mode: "append", commitId: "commit_3" } };

  it("is nothing before its first commit, and what later ones added after it", () => {
    const { publications, state } = after(again);
    assert.strictEqual(pathsAt(publications, base.length - 1), null);
    assert.lengthOf(pathsAt(publications, base.length) ?? [], 1);
    assert.lengthOf(pathsAt(publications, state.seq) ?? [], 2);
    assert.strictEqual(Published.lastChange(publications), state.seq);
  });

  it("is what it was at the checkpoint of a rollback, or nothing once it is withdrawn", () => {
    const done = { ...rollback, chars: 1, revision: "after" };
    const replaced = fact("chat_rollback_completed", {
      ...done,
      seq: base.length,
      action: "replace",
      messageId: "message",
      messageIndex: 2,
    });
    const back = after(again, replaced);
    assert.lengthOf(pathsAt(back.publications, back.state.seq) ?? [], 1);
    assert.deepStrictEqual([back.state.commits.length, chatRevision(back.state)], [3, "after"]);
    const withdrawn = after(fact("chat_rollback_completed", { ...done, seq: 1, action: "withdraw" }));
    assert.isNull(pathsAt(withdrawn.publications, withdrawn.state.seq));
    assert.deepStrictEqual([withdrawn.state.commits.length, chatRevision(withdrawn.state)], [0, "after"]);
  });

  it("is nobody's of a fork, which publishes for itself", () => {
    const { publications, state } = after(fact("run_forked", { from: RunId.make("run_other"), seq: base.length }));
    assert.isNull(pathsAt(publications, state.seq));
  });

  it("is not what is only intended, or was refused", () => {
    const intent = { ...rollback, seq: 1, action: "withdraw", revision: "r", at: "2026-11-30T10:00:00.000Z" };
    const requested = fact("chat_rollback_requested", intent);
    const pending = after(requested);
    assert.strictEqual(pending.state.pendingRollback?.action, "withdraw");
    const failed = after(requested, fact("chat_rollback_failed", { ...intent, code: "chat.conflict", message: "No." }));
    assert.isNull(failed.state.pendingRollback);
    for (const { publications, state } of [pending, failed]) {
      assert.lengthOf(pathsAt(publications, state.seq) ?? [], 1);
      assert.lengthOf(state.commits, 1);
    }
  });
});
