/**
 * Looking back in a run: its checkpoints, what changed between two of its moments, going on from one and
 * going back to one.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, type Ended, objectOf, start } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;
type Rows = ReadonlyArray<Answer>;

const on = (place: Place.Place, ...args: ReadonlyArray<string>): Promise<Ended> =>
  cahier([...args, "--data", place.data]);

const ask = async (place: Place.Place, ...args: ReadonlyArray<string>): Promise<Answer> =>
  objectOf(await on(place, ...args, "--json"));

const codeOf = async (
  place: Place.Place,
  ...args: ReadonlyArray<string>
): Promise<readonly [number | null, unknown]> => {
  const ended = await on(place, ...args, "--json");
  return [ended.code, (objectOf(ended)["error"] as Answer | undefined)?.["code"]];
};

/** Writes a plan and a draft, changes the draft, publishes it. */
const revising = () =>
  Place.script(
    Place.call("workspace_write_file", {
      path: "plan/outline.md",
      content: "Rain, then \u001b[31mthunder\u001b[0m.\n",
    }),
    Place.draft("They wait.\nIt rains.\n"),
    Place.call("workspace_apply_patch", { path: "output/main.md", old_string: "rains", new_string: "pours" }),
    Place.commit(),
    Place.finish(),
  );

/** A place with a run of `script` in it that has ended. */
const withRun = async (script: object = revising()): Promise<readonly [Place.Place, string]> => {
  const place = await Place.make();
  const args = ["run", "--chat", place.chat, "--script", place.write("script.json", script)];
  return [place, String((await ask(place, ...args))["runId"])];
};

const seqsOf = async (place: Place.Place, runId: string, type: string): Promise<ReadonlyArray<string>> => {
  const { events } = await ask(place, "runs", "events", runId, "--limit", "500");
  return (events as Rows).filter((event) => event["type"] === type).map(({ seq }) => String(seq));
};

/** The bytes of a run's journal. */
const journalOf = (place: Place.Place, runId: string): string => {
  const found = readdirSync(place.data, { recursive: true, encoding: "utf8" }).find((path) =>
    path.endsWith(join(runId, "events.jsonl")),
  );
  assert.isDefined(found);
  return readFileSync(join(place.data, found ?? ""), "utf8");
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe.concurrent("cahier runs diff", () => {
  it("prints what git apply makes the workspace of", async () => {
    const [place, runId] = await withRun();
    const told = await on(place, "runs", "diff", runId);
    assert.deepStrictEqual([told.code, told.stderr], [0, ""]);
    const tree = place.path("tree");
    mkdirSync(tree);
    execFileSync("git", ["apply", "-"], { cwd: tree, input: told.stdout });
    const paths = ["output/main.md", "plan/outline.md"];
    const files = await Promise.all(paths.map((path) => on(place, "runs", "file", runId, path)));
    assert.deepStrictEqual(
      paths.map((path) => readFileSync(`${tree}/${path}`, "utf8")),
      files.map(({ stdout }) => stdout),
    );
  });

  it("compares two moments, and only the files and folders that are named", async () => {
    const [place, runId] = await withRun();
    const [patched = ""] = await seqsOf(place, runId, "workspace_patch_applied");
    const [, written = ""] = await seqsOf(place, runId, "workspace_file_written");
    const { stdout } = await on(place, "runs", "diff", runId, written, patched);
    assert.deepStrictEqual(stdout.split("\n").slice(1), [
      "--- a/output/main.md",
      "+++ b/output/main.md",
      "@@ -1,2 +1,2 @@",
      " They wait.",
      "-It rains.",
      "+It pours.",
      "",
    ]);
    const statusesOf = async (...words: ReadonlyArray<string>) =>
      ((await ask(place, "runs", "diff", runId, ...words))["files"] as Rows).map(({ path, status }) => [path, status]);
    assert.deepStrictEqual(await statusesOf(written, patched), [["output/main.md", "modified"]]);
    assert.deepStrictEqual(await statusesOf(patched, "0", "plan"), [["plan/outline.md", "deleted"]]);
    assert.deepStrictEqual(await statusesOf("plan/outline.md", "output"), [
      ["output/main.md", "added"],
      ["plan/outline.md", "added"],
    ]);
    assert.deepStrictEqual(await on(place, "runs", "diff", runId, patched, patched), {
      ...(await on(place, "runs", "diff", runId, patched)),
      stdout: "",
    });
  });

  it("goes from a checkpoint that runs show lists", async () => {
    const [place, runId] = await withRun();
    const checkpoints = (await ask(place, "runs", "show", runId))["checkpoints"] as Rows;
    assert.deepStrictEqual(
      checkpoints.map(({ checkpointId, reason }) => [checkpointId, reason]),
      [
        ["cp_000001", "tool_workspace_write"],
        ["cp_000002", "tool_workspace_write"],
        ["cp_000003", "tool_workspace_patch"],
        ["cp_000004", "chat_commit"],
      ],
    );
    const { stdout } = await on(place, "runs", "show", runId);
    assert.match(stdout, /\ncheckpoint cp_000001 at event \d+: after a write\n/);
    assert.match(stdout, /\ncheckpoint cp_000004 at event \d+: before a commit\n/);
    const diff = await ask(place, "runs", "diff", runId, "cp_000002", "cp_000003");
    assert.deepStrictEqual(diff["from"], { seq: checkpoints[1]?.["seq"], checkpointId: "cp_000002" });
    assert.lengthOf(diff["files"] as Rows, 1);
    const followed = await on(place, "runs", "events", runId, "--limit", "500");
    assert.include(followed.stdout, "cp_000003: tool_workspace_patch");
  });

  it("refuses what the run never had: a moment, a checkpoint, a file", async () => {
    const [place, runId] = await withRun();
    assert.deepStrictEqual(await codeOf(place, "runs", "diff", runId, "9999"), [4, "agent.event_not_found"]);
    assert.deepStrictEqual(await codeOf(place, "runs", "diff", runId, "cp_999999"), [4, "agent.checkpoint_not_found"]);
    assert.deepStrictEqual(await codeOf(place, "runs", "diff", runId, "output/no.md"), [4, "workspace.file_not_found"]);
  });
});

describe.concurrent("cahier runs fork", () => {
  const another = () => Place.script(Place.draft("It snows."), Place.commit(), Place.finish());

  it("goes on from a checkpoint with another script, beside what the run published", async () => {
    const [place, runId] = await withRun();
    const before = journalOf(place, runId);
    const script = place.write("another.json", another());
    const told = await on(place, "runs", "fork", runId, "cp_000001", "--script", script);
    assert.deepStrictEqual([told.code, told.stderr], [0, ""]);
    const [, forkId = "", seq = ""] =
      /^ *\d+ [\d:]{8} {2}forked +(run_[0-9a-f]{32}) goes on from run_[0-9a-f]{32} at event (\d+)\n/.exec(
        told.stdout,
      ) ?? [];
    assert.notInclude(told.stdout, "outline.md", "what is shared is not played again");
    assert.strictEqual(journalOf(place, runId), before);
    assert.deepStrictEqual(place.messages().at(-1)?.swipes, ["They wait.\nIt pours.\n", "It snows."]);
    assert.deepStrictEqual((await ask(place, "runs", "show", forkId))["forkedFrom"], { runId, seq: Number(seq) });
    const shown = await on(place, "runs", "show", forkId);
    assert.include(shown.stdout, `\nforked     from ${runId} at event ${seq}\n`);
    assert.include((await on(place, "runs", "diff", forkId, "cp_000001")).stdout, "+It snows.");
    const [listed] = (await ask(place, "runs", "list"))["runs"] as Rows;
    assert.deepInclude(listed, { runId: forkId, status: "completed", commitCount: 1 });
  });

  it("goes on with the run's own script, and prints one object with --json", async () => {
    const [place, runId] = await withRun();
    const [patched = ""] = await seqsOf(place, runId, "workspace_patch_applied");
    const ended = await ask(
      place,
      "runs",
      "fork",
      runId,
      patched,
      "--message",
      "Shorter, please.",
      "--profile",
      "default-writer",
    );
    assert.strictEqual(ended["status"], "completed");
    assert.notStrictEqual(ended["runId"], runId);
    assert.deepStrictEqual(place.messages().at(-1)?.swipes, ["They wait.\nIt pours.\n", "They wait.\nIt pours.\n"]);
  });

  it("refuses a moment that the run does not have, and a chat that has gone on", async () => {
    const [place, runId] = await withRun();
    assert.deepStrictEqual(await codeOf(place, "runs", "fork", runId, "9999"), [4, "agent.event_not_found"]);
    assert.deepStrictEqual(await codeOf(place, "runs", "fork", runId, "cp_9"), [4, "agent.checkpoint_not_found"]);
    const args = ["run", "--chat", place.chat, "--message", "And then?", "--script", place.path("script.json")];
    await ask(place, ...args);
    const [, code] = await codeOf(place, "runs", "fork", runId, "cp_000001");
    assert.strictEqual(code, "chat.conflict");
    assert.lengthOf((await ask(place, "runs", "list"))["runs"] as Rows, 2);
  });
});

describe.concurrent("cahier runs rollback", () => {
  it("goes back to a checkpoint, says what that changed, and is undone by another one", async () => {
    const [place, runId] = await withRun();
    const chat = place.chatText();
    const told = await on(place, "runs", "rollback", runId, "cp_000001");
    assert.deepStrictEqual([told.code, told.stderr], [0, ""]);
    assert.strictEqual(
      told.stdout,
      "gone      output/main.md\ncp_000004 names the workspace as it was before; roll back to it to undo this.\n",
    );
    assert.deepStrictEqual(await codeOf(place, "runs", "file", runId, "output/main.md"), [
      4,
      "workspace.file_not_found",
    ]);
    const undone = await ask(place, "runs", "rollback", runId, "cp_000004");
    assert.deepStrictEqual(undone["changes"], [{ path: "output/main.md", status: "added" }]);
    assert.strictEqual((await on(place, "runs", "file", runId, "output/main.md")).stdout, "They wait.\nIt pours.\n");
    assert.include((await on(place, "runs", "rollback", runId, "cp_000004")).stdout, "as it was at cp_000004 already");
    assert.strictEqual(place.chatText(), chat);
    const { stdout } = await on(place, "runs", "events", runId, "--limit", "500");
    assert.match(stdout, /run_rolled_back +to cp_000001: 1 file changed/);
  });

  it("refuses a checkpoint that there is not", async () => {
    const [place, runId] = await withRun();
    assert.deepStrictEqual(await codeOf(place, "runs", "rollback", runId, "cp_9"), [4, "agent.checkpoint_not_found"]);
  });

  it("takes the published message out of the chat and puts it back, and refuses a chat that has moved", async () => {
    const [place, runId] = await withRun();
    const chat = place.chatText();
    const back = ["runs", "rollback", runId, "cp_000002", "--scope", "committed-message"];
    const told = await on(place, ...back);
    assert.deepStrictEqual([told.code, told.stderr], [0, ""]);
    const undo = /^The message is taken out of the chat\.\nAt (cp_\d+) the message was as before/.exec(
      told.stdout,
    )?.[1];
    assert.lengthOf(place.messages(), Place.chatText.trimEnd().split("\n").length - 1);
    assert.match((await on(place, ...back)).stdout, /The message is as it was at cp_000002 already\./);
    const undone = await ask(place, "runs", "rollback", runId, undo ?? "", "--scope", "committed-message");
    assert.strictEqual(undone["action"], "restore");
    const { stdout } = await on(place, "runs", "events", runId, "--limit", "500");
    assert.match(stdout, /chat_rollback_completed +back to cp_000002: the message is taken out/);
    assert.strictEqual(place.messages().at(-1)?.mes, "They wait.\nIt pours.\n");
    assert.strictEqual(place.messages().length, chat.trimEnd().split("\n").length - 1);
    place.write(
      "chat.jsonl",
      `${place.chatText()}\n${JSON.stringify({ name: "Jon", is_user: true, mes: "And then?" })}`,
    );
    const moved = place.chatText();
    assert.deepStrictEqual(await codeOf(place, ...back), [3, "chat.conflict"]);
    assert.strictEqual(place.chatText(), moved);
    assert.deepStrictEqual(await codeOf(place, ...back.slice(0, -1), "everything"), [4, "usage.invalid"]);
  });
});

describe.concurrent("cahier runs revise", () => {
  it("replaces the published message with what the agent makes of it, in the same run", async () => {
    const change = Place.call("workspace_apply_patch", {
      path: "output/main.md",
      old_string: "They wait.",
      new_string: "They wait for the ferry.",
    });
    const read = Place.call("workspace_read_file", { path: "output/main.md" });
    const revision = { turns: [read, change, Place.commit(), Place.finish()] };
    const [place, runId] = await withRun({
      ...revising(),
      agents: { "default-writer": [revising(), revision].map(({ turns }) => ({ turns })) },
    });
    const before = place.messages();
    const revised = await ask(place, "runs", "revise", runId, "Say what they wait for.");
    assert.deepStrictEqual([revised["runId"], revised["status"]], [runId, "completed"]);
    assert.lengthOf(place.messages(), before.length);
    assert.strictEqual(place.messages().at(-1)?.mes, "They wait for the ferry.\nIt pours.\n");
    const earlier = await on(place, "runs", "file", runId, "output/previous_output.md");
    assert.strictEqual(earlier.stdout, before.at(-1)?.mes);
    const { stdout } = await on(place, "runs", "events", runId, "--limit", "500");
    assert.match(stdout, /run_revision_started +of 21 characters, kept in output\/previous_output\.md/);
  });

  it("ends with the code of a revision that fails or is cancelled, and the run stays completed", async () => {
    const failing = { turns: [{ error: { status: 400, body: "no" } }] };
    const [place, runId] = await withRun({
      ...revising(),
      agents: { "default-writer": [revising(), failing, Place.slow()].map(({ turns }) => ({ turns })) },
    });
    const chat = place.chatText();
    const told = await on(place, "runs", "revise", runId, "Shorter.");
    assert.strictEqual(told.code, 3);
    assert.match(told.stdout, / {2}completed {8}as before; its revision failed: .*\[agent\.validation_error\]\n$/);
    const shown = await ask(place, "runs", "show", runId);
    assert.deepStrictEqual([shown["status"], shown["revision"]], ["completed", { outcome: "failed" }]);
    assert.isDefined(shown["error"]);
    const text = (await on(place, "runs", "show", runId)).stdout;
    assert.include(text, "\nrevision   failed; the message is as it was before\n");
    const running = start(["runs", "revise", runId, "Longer.", "--data", place.data]);
    await running.says(/output\/main\.md/);
    running.child.kill("SIGINT");
    const cancelled = await running.ended;
    assert.strictEqual(cancelled.code, 130);
    assert.match(cancelled.stdout, / {2}completed {8}as before; its revision was cancelled\n$/);
    assert.deepStrictEqual((await ask(place, "runs", "show", runId))["revision"], { outcome: "cancelled" });
    assert.strictEqual(place.chatText(), chat);
  });

  it("refuses an empty request and a run that has published nothing", async () => {
    const [place, runId] = await withRun();
    assert.deepStrictEqual(await codeOf(place, "runs", "revise", runId, " "), [4, "agent.guidance_empty"]);
    const [other, unpublished] = await withRun(Place.script(Place.draft("Kept."), Place.finish()));
    const refused = await codeOf(other, "runs", "revise", unpublished, "Shorter.");
    assert.strictEqual(refused[1], "agent.revision_unavailable");
  });
});
