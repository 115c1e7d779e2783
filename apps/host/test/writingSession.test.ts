/**
 * A writing session of four agents as a user starts it: a writer has the draft checked and the story summed up at the same
 * time, takes in what it is told, and an editor finishes the message in its place.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, type Ended, ensureBundle, objectOf } from "./support/Cahier.ts";
import { repository } from "./support/node.ts";
import * as Place from "./support/Place.ts";

const samples = join(process.env["CAHIER_FIXTURES"] ?? resolve(repository, "../shared/fixtures"), "sillytavern");
const why = existsSync(samples) ? "" : " (skipped: set CAHIER_FIXTURES to the folder of the recorded fixtures)";
const chats = ["chat-seraphina", "chat-swipe-hide-reasoning"];

const profile = (id: string, displayName: string, allow: ReadonlyArray<string>, delegation: object) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id,
  displayName,
  delegation,
  tools: { allow: allow.map((name) => `builtin:${name}`), maxRounds: 12 },
});

const subagent = { callable: true, allowAsSubagent: true };
const files = ["workspace.read_file", "workspace.write_file", "workspace.apply_patch"];
const agents = ["agent.list", "agent.delegate", "agent.await", "agent.handoff"];
const profiles = [
  profile("writer", "The Writer", [...files, ...agents, "workspace.commit", "workspace.finish"], {
    canDelegate: true,
    canHandoff: true,
  }),
  profile("critic", "Continuity", ["workspace.read_file", "chat.read_messages"], subagent),
  profile("summariser", "The Summariser", ["chat.read_messages", "workspace.write_file"], subagent),
  profile("editor", "The Editor", [...files, "workspace.commit", "workspace.finish"], {
    callable: true,
    allowAsHandoffTarget: true,
  }),
];

const draft = 'She sets the lamp down.\n\n"Once, in the winter of the long ice."';
const better = 'She sets the lamp down.\n\n"Once, in the year of the long ice."';
const final = `*The wind drops.* ${better}`;
const slip = "The chat names no winter.";
const gist = "Somebody has come in and asks questions.";

const patch = (old_string: string, new_string: string) =>
  Place.call("workspace_apply_patch", { path: "output/main.md", old_string, new_string });

/** The delays make the writer wait for both, and the critic answer first. */
const script = {
  ...Place.script(
    Place.draft(draft, { text: "A first draft." }),
    {
      toolCalls: [
        {
          name: "agent_delegate",
          arguments: {
            agentId: "critic",
            task: { title: "Continuity", objective: "Compare the draft with the chat." },
          },
        },
        {
          name: "agent_delegate",
          arguments: { agentId: "summariser", task: { objective: "Sum the chat up in one sentence." } },
        },
      ],
    },
    Place.call("agent_await", { mode: "allCompleted" }),
    patch("the winter of", "the year of"),
    Place.call("agent_handoff", {
      agentId: "editor",
      handoff: { objective: "Polish the draft and publish it.", mustPreserve: ["The year of the long ice."] },
    }),
  ),
  agents: {
    critic: [
      {
        turns: [
          Place.call("workspace_read_file", { path: "output/main.md" }, { delayMs: 300 }),
          Place.call("chat_read_messages", { messages: [{ index: 0 }] }),
          Place.call("task_return", { summary: slip, findings: [{ place: "winter", problem: "not in the chat" }] }),
        ],
      },
    ],
    summariser: [
      {
        turns: [
          Place.call("chat_read_messages", { messages: [{ index: 0 }, { index: 1 }] }, { delayMs: 600 }),
          Place.call("workspace_write_file", { path: "summaries/story.md", content: gist }),
          Place.call("task_return", { summary: gist, artifacts: [{ path: "summaries/story.md", kind: "notes" }] }),
        ],
      },
    ],
    editor: [
      {
        turns: [
          Place.call("workspace_read_file", { path: "output/main.md" }),
          patch("She sets", "*The wind drops.* She sets"),
          Place.call("workspace_commit", { reason: "The scene is polished." }),
          Place.finish(),
        ],
      },
    ],
  },
};

interface Session {
  readonly place: Place.Place;
  readonly ended: Ended;
  readonly runId: string;
  readonly events: ReadonlyArray<Event>;
}

interface Event {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly eventScope: { readonly invocationId: string };
}

const session = async (chat: string, more: ReadonlyArray<string> = []): Promise<Session> => {
  const place = await Place.make(chat);
  const data = ["--data", place.data];
  for (const one of profiles) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- as a user stores them
    const saved = await cahier(["profiles", "save", place.write(`${one.id}.json`, one), ...data]);
    assert.strictEqual(saved.stdout, `${one.id} is stored.\n`);
  }
  const words = ["run", "--chat", place.chat, "--profile", "writer", "--script", place.write("script.json", script)];
  const ended = await cahier([...words, ...more, ...data]);
  assert.strictEqual(ended.code, 0, ended.stdout + ended.stderr);
  const [, runId = ""] = / run +(run_\w+), normal, writer/.exec(ended.stdout) ?? [];
  const read = objectOf(await cahier(["runs", "events", runId, "--limit", "500", ...data, "--json"]));
  return { place, ended, runId, events: read["events"] as ReadonlyArray<Event> };
};

/** The lines of the timeline without numbers and times, blanks as one. */
const linesOf = ({ ended }: Session): ReadonlyArray<string> =>
  ended.stdout
    .split("\n")
    .map((line) => line.replace(/^ *\d+ \d\d:\d\d:\d\d +/, "").replaceAll(/ +/g, " "))
    .filter((line) => line !== "");

/** Where each line stands; fails when one is missing, stands twice, or stands before the one that it follows. */
const assertOrder = (lines: ReadonlyArray<string>, wanted: ReadonlyArray<string>): void => {
  const places = wanted.map((one) => {
    const found = lines.flatMap((line, index) => (line === one ? [index] : []));
    assert.lengthOf(found, 1, `${one} in\n${lines.join("\n")}`);
    return found[0] ?? -1;
  });
  assert.deepStrictEqual(
    places,
    places.toSorted((one, other) => one - other),
    lines.join("\n"),
  );
};

const assertTimeline = (played: Session): void => {
  const lines = linesOf(played);
  const published = lines.filter((line) => line.startsWith("chat The Editor: message "));
  assert.lengthOf(published, 1);
  assertOrder(lines, [
    "round 1 1 call: A first draft.",
    "gives work to Continuity (critic)",
    "gives work to The Summariser (summariser)",
    "waits for 2 tasks",
    "round 1 Continuity: 1 call",
    "round 3 Continuity: 1 call",
    "work done by Continuity",
    "work done by The Summariser",
    "hands over to The Editor",
    "round 1 The Editor: 1 call",
    ...published,
    "round 4 The Editor: 1 call",
    "completed The Editor",
  ]);
  assertOrder(lines, ["waits for 2 tasks", "round 1 The Summariser: 1 call", "work done by The Summariser"]);
};

/** One message more, and every byte before it as it was. */
const assertMessage = ({ events, place, runId }: Session, before: string): void => {
  const after = place.chatText();
  assert.isTrue(after.startsWith(before));
  const added = after
    .slice(before.length)
    .split("\n")
    .filter((line) => line !== "");
  assert.lengthOf(added, 1);
  const message = JSON.parse(added[0] ?? "") as { readonly mes: string; readonly extra: Record<string, unknown> };
  assert.strictEqual(message.mes, final);
  const { agent } = message.extra["cahier"] as { readonly agent: { readonly runId: string } };
  assert.strictEqual(agent.runId, runId);
  assert.lengthOf(
    events.filter(({ type }) => type === "chat_commit_completed"),
    1,
  );
};

/** The await told both results, each once, and nothing told one again. */
const assertDelivered = async ({ events, place, runId }: Session): Promise<void> => {
  const payloads = (type: string) => events.flatMap((event) => (event.type === type ? [event.payload] : []));
  const given = payloads("agent_delegate_started").map(({ taskId }) => taskId);
  assert.lengthOf(given, 2);
  assert.deepStrictEqual(
    payloads("agent_await_completed").map(({ deliveredTaskIds, timedOut }) => [deliveredTaskIds, timedOut]),
    [[given, false]],
  );
  assert.lengthOf(payloads("agent_task_results_delivered"), 0);
  const results = events.flatMap(({ payload, type }) =>
    type === "tool_result_stored" ? [JSON.stringify(payload)] : [],
  );
  const told = results.filter((text) => text.includes("# Delegated Task Results"));
  assert.lengthOf(told, 1);
  for (const summary of [slip, gist]) assert.lengthOf(told[0]?.split(`### Summary\\\\n\\\\n${summary}`) ?? [], 2);
  const kept = await cahier(["runs", "file", runId, "summaries/critic-result.md", "--data", place.data]);
  assert.include(kept.stdout, slip);
};

/** How `doctor` and `runs show` find the run. */
const standingOf = async ({ place, runId }: Session) => {
  const checked = objectOf(await cahier(["doctor", "--data", place.data, "--json"]));
  const findings = checked["findings"] as ReadonlyArray<{ readonly check: string; readonly outcome: string }>;
  const shown = objectOf(await cahier(["runs", "show", runId, "--data", place.data, "--json"]));
  return {
    failed: checked["failed"],
    journal: findings.find(({ check }) => check === runId)?.outcome,
    status: shown["status"],
  };
};

const sound = { failed: 0, journal: "passed", status: "completed" };

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("a writing session of four agents", () => {
  it("is told on the terminal by their names, leaves one message in the chat, and a journal that is sound", async () => {
    const played = await session(Place.chatText);
    assertTimeline(played);
    assertMessage(played, Place.chatText);
    await assertDelivered(played);
    assert.deepStrictEqual(await standingOf(played), sound);
  });
});

describe.skipIf(why !== "")(`a writing session on a chat that SillyTavern wrote${why}`, () => {
  for (const name of chats)
    it(`${name}: is told in the same way and leaves every other byte as it was`, async () => {
      const before = readFileSync(join(samples, `${name}.jsonl`), "utf8");
      const played = await session(before, ["--card", join(samples, "card-seraphina.png")]);
      assertTimeline(played);
      assertMessage(played, before);
      await assertDelivered(played);
      assert.deepStrictEqual(await standingOf(played), sound);
    });
});
