/**
 * What a tool asks a person in the middle of its call: on the terminal, from another process, and where nobody is there.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, hasTerminals, objectOf, start, type StartOptions } from "./support/Cahier.ts";
import * as McpPlace from "./support/McpPlace.ts";
import * as Place from "./support/Place.ts";

beforeAll(ensureBundle);
afterAll(Place.removeAll);

/** Starts a run whose tool asks which day is meant. */
const asking = async (more: ReadonlyArray<string>, options: StartOptions = {}) => {
  const place = await McpPlace.make();
  place.offers(McpPlace.tool("ask", "Asks which day is meant."));
  const id = await McpPlace.activate(place);
  await place.on("mcp", "permit", id, "ask", "allow");
  const turns = [Place.call("mcp__The_lighthouse__ask"), Place.draft("A draft."), Place.commit(), Place.finish()];
  const words = ["run", "--chat", place.chat, "--data", place.data, ...more];
  const profile = place.write("profile.json", McpPlace.profileWith(`mcp/${id}:ask`));
  const script = place.write("script.json", Place.script(...turns));
  return { place, run: start([...words, "--profile", profile, "--script", script], options) };
};

interface Question {
  readonly questionId: string;
  readonly message: string;
}

/** The run and what it asks, once it does. */
const question = async (place: McpPlace.McpPlace): Promise<{ readonly runId: string; readonly asked: Question }> => {
  const { runs } = await place.ask("runs", "list");
  const [run] = runs as ReadonlyArray<{ readonly runId: string }>;
  if (run === undefined) return question(place);
  const { questions } = await place.ask("runs", "show", run.runId);
  const [asked] = questions as ReadonlyArray<Question>;
  return asked === undefined ? question(place) : { runId: run.runId, asked };
};

const resultOf = async (place: McpPlace.McpPlace, runId: string): Promise<string> => {
  const { events } = await place.ask("runs", "events", runId, "--limit", "500");
  return JSON.stringify(
    (events as ReadonlyArray<{ readonly type: string }>).find(({ type }) => type === "tool_result_stored"),
  );
};

describe.concurrent("a question of a tool", () => {
  it("is answered from another process, which is told when an answer does not fit", async () => {
    const { place, run } = await asking(["--attended", "--json"]);
    const { asked, runId } = await question(place);
    assert.strictEqual(asked.message, "Which day is meant?");
    const words = ["runs", "answer", runId, asked.questionId, "--data", place.data];
    const shown = await cahier(["runs", "show", runId, "--data", place.data]);
    assert.include(shown.stdout, `runs answer --data ${place.data} ${runId} ${asked.questionId}`);
    const wrong = await cahier([...words, "--accept", "{}"]);
    assert.strictEqual(wrong.code, 4, wrong.stderr);
    assert.include(wrong.stderr, "agent.question_answer_invalid");
    const both = await cahier([...words, "--accept", "{}", "--decline"]);
    assert.include(both.stderr, "usage.invalid");
    const taken = await cahier([...words, "--accept", '{"day":"Tuesday"}']);
    assert.strictEqual(taken.code, 0, taken.stderr);
    assert.strictEqual(objectOf(await run.ended)["status"], "completed");
    assert.include(await resultOf(place, runId), 'accept {\\\\\\"day\\\\\\":\\\\\\"Tuesday');
    const late = await cahier([...words, "--decline"]);
    assert.include(late.stderr, "agent.question_not_found");
  });

  it("is told at once that nobody is there", async () => {
    const { place, run } = await asking(["--json"]);
    const ended = objectOf(await run.ended);
    assert.strictEqual(ended["status"], "completed");
    assert.include(await resultOf(place, String(ended["runId"])), "cancel");
  });

  it.skipIf(!hasTerminals)("is asked on the terminal, field by field", async () => {
    const { run } = await asking([], { terminal: true, environment: { NO_COLOR: "1" } });
    await run.says(/Which day is meant\?[^]*day \(text, required, The day of the week\): /);
    run.child.stdin?.write("\n");
    await run.says(/agent\.question_answer_invalid[^]*day \(text, required/);
    run.child.stdin?.write("Tuesday\n");
    const ended = await run.ended;
    assert.strictEqual(ended.code, 0, ended.stdout);
  });
});
