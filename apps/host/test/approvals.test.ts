/**
 * Calls that wait for a person, decided from other processes, after kills, in any order, and on a terminal.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, hasTerminals, objectOf, type Running, start } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;
type Rows = ReadonlyArray<Answer>;

const ask = async (place: Place.Place, ...args: ReadonlyArray<string>): Promise<Answer> =>
  objectOf(await cahier([...args, "--data", place.data, "--json"]));

const append = (content: string) => ({
  name: "workspace_write_file",
  arguments: { path: "output/main.md", mode: "append", content },
});

/** One turn that appends twice, which both ask; then the message goes to the chat. */
const twoCalls = (more: object = {}) =>
  Place.script({ toolCalls: [append("first, "), append("second")] }, Place.commit({ ...more }), Place.finish());

/** A place whose user wants to be asked about every write. */
const asking = async (): Promise<Place.Place> => {
  const place = await Place.make();
  const policy = {
    kind: "cahier.policy",
    schemaVersion: 1,
    rules: [{ tools: ["builtin:workspace.write_file"], permission: "ask" }],
  };
  const ended = await cahier(["policy", "set", "user", place.write("policy.json", policy), "--data", place.data]);
  assert.strictEqual(ended.code, 0, ended.stderr);
  return place;
};

const runArgs = (place: Place.Place, script: object): ReadonlyArray<string> => [
  "run",
  "--chat",
  place.chat,
  "--data",
  place.data,
  "--script",
  place.write("script.json", script),
];

/** A run that waits for two answers; gives its id and the ids of the calls in the model's order. */
const waiting = async (script: object = twoCalls()): Promise<readonly [Place.Place, string, Rows]> => {
  const place = await asking();
  const ended = await cahier([...runArgs(place, script), "--json"]);
  assert.strictEqual(ended.code, 5, ended.stdout);
  const { awaiting, runId } = objectOf(ended);
  return [place, String(runId), awaiting as Rows];
};

const idsOf = (calls: Rows): ReadonlyArray<string> => calls.map((call) => String(call["callId"]));

const eventsOf = async (place: Place.Place, runId: string, type: string): Promise<Rows> => {
  const { events } = await ask(place, "runs", "events", runId, "--limit", "500");
  return (events as Rows).filter((event) => event["type"] === type).map(({ payload }) => payload as Answer);
};

const kill = async ({ child, ended }: Running): Promise<void> => {
  child.kill("SIGKILL");
  await ended;
};

/** The run is over, its two writes happened once each, and so did its message. */
const assertOnce = async (place: Place.Place, runId: string): Promise<void> => {
  assert.strictEqual((await ask(place, "runs", "show", runId))["status"], "completed");
  const written = await eventsOf(place, runId, "workspace_file_written");
  assert.lengthOf(written, 2);
  assert.lengthOf(await eventsOf(place, runId, "chat_commit_completed"), 1);
  assert.lengthOf(await eventsOf(place, runId, "tool_call_approved"), 2);
  assert.lengthOf(place.messages(), messagesBefore + 1);
  assert.strictEqual(place.messages().at(-1)?.mes, "first, second");
};

const messagesBefore = Place.chatText.split("\n").length - 1;

beforeAll(ensureBundle);
afterAll(Place.removeAll);

/** The waiting calls that `runs show` has, as the command that left them waiting told them. */
const withoutArguments = (shown: Answer): unknown =>
  (shown["awaiting"] as Rows).map(({ arguments: _arguments, ...call }) => call);

describe("a run that waits for answers", () => {
  it("is killed where it parks, answered in reverse order by new processes, killed again, and ends with each call made once", async () => {
    const place = await asking();
    const parking = start(runArgs(place, twoCalls({ delayMs: 1500 })));
    const [runId] = await parking.says(/run_[0-9a-f]{32}/);
    await parking.says(/ asks /);
    await kill(parking);
    const calls = idsOf((await ask(place, "runs", "show", runId))["awaiting"] as Rows);
    assert.lengthOf(calls, 2);
    const [first = "", second = ""] = calls;

    const one = await cahier(["runs", "approve", runId, second, "--data", place.data, "--json"]);
    assert.deepStrictEqual([one.code, objectOf(one)["status"]], [5, "awaiting_approval"], one.stderr);
    assert.deepStrictEqual(idsOf(objectOf(one)["awaiting"] as Rows), [first]);
    assert.isEmpty(await eventsOf(place, runId, "workspace_file_written"));

    const approving = start(["runs", "approve", runId, first, "--data", place.data]);
    await approving.says(/append: 13 characters/);
    await kill(approving);
    assert.strictEqual((await ask(place, "runs", "show", runId))["standing"], "interrupted");
    const resumed = await cahier(["runs", "resume", runId, "--data", place.data]);
    assert.strictEqual(resumed.code, 0, resumed.stderr);
    await assertOnce(place, runId);
  });

  it("completes after approvals in reverse order, the second of which is killed and made again", async () => {
    const [place, runId, calls] = await waiting();
    const [first = "", second = ""] = idsOf(calls);
    const killed = start(["runs", "approve", runId, second, "--data", place.data]);
    await new Promise((resolve) => killed.child.once("spawn", resolve));
    await kill(killed);
    // The kill may come before the answer is written down or after it: a second answer then changes nothing.
    const again = await cahier(["runs", "approve", runId, second, "--data", place.data, "--json"]);
    assert.include([4, 5], again.code);
    const last = await cahier(["runs", "approve", runId, first, "--data", place.data, "--json"]);
    assert.deepStrictEqual([last.code, objectOf(last)["status"]], [0, "completed"], last.stderr);
    await assertOnce(place, runId);
    const late = await cahier(["runs", "approve", runId, first, "--data", place.data, "--json"]);
    assert.deepStrictEqual([late.code, (objectOf(late)["error"] as Answer)["code"]], [4, "agent.approval_not_found"]);
  });

  it("runs show tells what is asked, what an answer is bound to, and the command that goes on", async () => {
    const [place, runId, calls] = await waiting();
    const shown = await ask(place, "runs", "show", runId);
    assert.deepStrictEqual([shown["standing"], withoutArguments(shown)], ["waiting", calls]);
    assert.include(String((shown["awaiting"] as Rows)[0]?.["arguments"]), "output/main.md");
    const told = await cahier(["runs", "show", runId, "--data", place.data]);
    for (const call of calls)
      for (const field of ["toolId", "reason", "argumentsSha256"]) assert.include(told.stdout, String(call[field]));
    const [line = ""] = /cahier runs approve .*/.exec(told.stdout) ?? [];
    const followed = await cahier(line.split(" ").slice(1));
    assert.strictEqual(followed.code, 5, followed.stderr);
    assert.match(followed.stdout.trimEnd().split("\n").at(-1) ?? "", /^Go on with: cahier runs approve --data /);
  });

  it("an answer for other arguments is refused and changes nothing: agent.approval_arguments_changed", async () => {
    const [place, runId, calls] = await waiting();
    const [first] = calls;
    const { lastSeq } = await ask(place, "runs", "show", runId);
    const args = ["runs", "approve", runId, String(first?.["callId"]), "--arguments-sha256"];
    const refused = await ask(place, ...args, "0".repeat(64));
    assert.strictEqual((refused["error"] as Answer)["code"], "agent.approval_arguments_changed");
    const after = await ask(place, "runs", "show", runId);
    assert.deepStrictEqual([after["lastSeq"], withoutArguments(after)], [lastSeq, calls]);
    const taken = await cahier([...args, String(first?.["argumentsSha256"]), "--data", place.data]);
    assert.strictEqual(taken.code, 5, taken.stderr);
  });

  it("a second answer to a call is refused: agent.approval_already_decided", async () => {
    const [place, runId, calls] = await waiting();
    const [first = ""] = idsOf(calls);
    await ask(place, "runs", "deny", runId, first);
    const again = await cahier(["runs", "approve", runId, first, "--data", place.data, "--json"]);
    assert.deepStrictEqual(
      [again.code, (objectOf(again)["error"] as Answer)["code"]],
      [4, "agent.approval_already_decided"],
    );
  });

  it("a denied call is answered with the user's reason, the other one runs, and the run goes on", async () => {
    const [place, runId, calls] = await waiting();
    const [first = "", second = ""] = idsOf(calls);
    await ask(place, "runs", "deny", runId, first, "--reason", "not like this");
    const ended = await ask(place, "runs", "approve", runId, second, "--reason", "good");
    assert.strictEqual(ended["status"], "completed");
    assert.strictEqual(place.messages().at(-1)?.mes, "second");
    const [failed] = await eventsOf(place, runId, "tool_call_failed");
    assert.deepStrictEqual([failed?.["callId"], failed?.["errorCode"]], [first, "tool.denied"]);
    assert.include(String(failed?.["message"]), "not like this");
    const [approved] = await eventsOf(place, runId, "tool_call_approved");
    assert.deepStrictEqual([approved?.["by"], approved?.["reason"]], ["user", "good"]);
  });

  it("--remember run allows every further call of the tool, those that wait beside it too", async () => {
    const script = Place.script(
      { toolCalls: [append("first, "), append("second")] },
      { toolCalls: [append(", third")] },
      Place.commit(),
      Place.finish(),
    );
    const [place, runId, calls] = await waiting(script);
    const [first = ""] = idsOf(calls);
    const done = await ask(place, "runs", "approve", runId, first, "--remember", "run");
    assert.strictEqual(done["status"], "completed");
    assert.strictEqual(place.messages().at(-1)?.mes, "first, second, third");
    const by = (await eventsOf(place, runId, "tool_call_approved")).map((approved) => approved["by"]);
    assert.deepStrictEqual(by, ["user", "remembered", "remembered"]);
  });

  it("--remember profile allows the tool in later runs of the stored profile, where the policy of nobody else asks", async () => {
    const place = await Place.make();
    const policy = { kind: "cahier.policy", schemaVersion: 1, rules: [] };
    assert.strictEqual(
      (await cahier(["policy", "set", "user", place.write("p.json", policy), "--data", place.data])).code,
      0,
    );
    const [asked, runId, calls] = await waiting();
    await ask(asked, "runs", "approve", runId, idsOf(calls)[0] ?? "", "--remember", "profile");
    const { tools } = await ask(asked, "policy", "explain", "--tool", "builtin:workspace.write_file");
    // The user's policy still asks: a profile lifts nothing that stands above it.
    assert.strictEqual((tools as Rows)[0]?.["approval"], true);
    await cahier(["policy", "set", "user", place.path("p.json"), "--data", asked.data]);
    const explain = ["policy", "explain", "--tool", "builtin:workspace.write_file"];
    const builtIn = (await ask(asked, ...explain))["tools"] as Rows;
    // The built-in profile stays as it is; the stored one of its id is used by whoever names it.
    assert.strictEqual((builtIn[0]?.["reason"] as Answer | undefined)?.["layer"], "tool");
    const after = await ask(asked, ...explain, "--profile", "default-writer");
    const [found] = after["tools"] as Rows;
    assert.strictEqual(found?.["approval"], false);
    assert.strictEqual((found?.["reason"] as Answer | undefined)?.["layer"], "profile");
  });

  it("is cancelled like any other", async () => {
    const [place, runId] = await waiting();
    assert.strictEqual((await ask(place, "runs", "cancel", runId))["status"], "cancelled");
    assert.isEmpty((await ask(place, "runs", "show", runId))["awaiting"]);
    assert.strictEqual(place.chatText(), Place.chatText);
  });

  it("runs resume --approve answers for an unattended run", async () => {
    const [place, runId] = await waiting();
    const waits = await cahier(["runs", "resume", runId, "--data", place.data, "--json"]);
    assert.strictEqual(waits.code, 5, waits.stdout);
    const ended = await ask(place, "runs", "resume", runId, "--approve", "builtin:workspace.write_file");
    assert.strictEqual(ended["status"], "completed");
    const by = (await eventsOf(place, runId, "tool_call_approved")).map((approved) => approved["by"]);
    assert.deepStrictEqual(by, ["unattended", "unattended"]);
  });

  it("that there is not is refused, and so is a call of a run that waits for nothing", async () => {
    const place = await Place.make();
    const { runId } = objectOf(await cahier([...runArgs(place, Place.short()), "--json"]));
    const cases = [
      ["approve", "run_0", "agent.run_not_found"],
      ["deny", "run_0", "agent.run_not_found"],
      ["approve", String(runId), "agent.approval_not_found"],
      ["deny", String(runId), "agent.approval_not_found"],
    ] as const;
    await Promise.all(
      cases.map(async ([word, run, code]) => {
        const refused = await ask(place, "runs", word, run, "call_1");
        assert.strictEqual((refused["error"] as Answer)["code"], code);
      }),
    );
  });
});

describe.skipIf(!hasTerminals)("a run that asks on a terminal", () => {
  const question = /\[v\]iew all arguments: $/;

  const onTerminal = async (
    more: (place: Place.Place) => ReadonlyArray<string> = () => [],
  ): Promise<readonly [Place.Place, Running]> => {
    const place = await asking();
    const running = start([...runArgs(place, twoCalls()), ...more(place)], {
      terminal: true,
      environment: { NO_COLOR: "1" },
    });
    return [place, running];
  };

  const type = (running: Running, text: string): void => void running.child.stdin?.write(text);

  it("shows the call, why it asks and all arguments, takes an answer for each, and goes on", async () => {
    const [place, running] = await onTerminal();
    await running.says(question);
    assert.match(running.stdout(), /The run asks you \(1 of 2\):/);
    assert.match(running.stdout(), /call +.*\(builtin:workspace\.write_file\)/);
    assert.match(running.stdout(), /does +\S/);
    assert.match(running.stdout(), /arguments +.*first, /);
    assert.match(running.stdout(), /source +builtin/);
    assert.match(running.stdout(), /asks +The user's policy .*\(user rules\[0\]\)/);
    type(running, "v\n");
    await running.says(/"mode": "append"[^]*\[v\]iew all arguments: $/);
    type(running, "what?\n");
    await running.says(/Answer y, n, r, p or v\.[^]*\[v\]iew all arguments: $/);
    type(running, "n too early\n");
    await running.says(/\(2 of 2\)[^]*\[v\]iew all arguments: $/);
    type(running, "y\n");
    const ended = await running.ended;
    assert.strictEqual(ended.code, 0, ended.stdout);
    assert.match(ended.stdout, /too early/);
    assert.strictEqual(place.messages().at(-1)?.mes, "second");
  });

  it("asks again when an answer cannot be remembered in a profile that is a file", async () => {
    const profile = {
      kind: "cahier.agentProfile",
      schemaVersion: 1,
      id: "mine",
      displayName: "Mine",
      run: { presentation: "foreground" },
      tools: {
        maxRounds: 10,
        allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
      },
    };
    const [place, running] = await onTerminal((of) => ["--profile", of.write("profile.json", profile)]);
    await running.says(question);
    type(running, "p\n");
    await running.says(/\[agent\.profile_not_found\][^]*\[v\]iew all arguments: $/);
    type(running, "r\n");
    assert.strictEqual((await running.ended).code, 0);
    assert.strictEqual(place.messages().at(-1)?.mes, "first, second");
  });

  it("the end of the input leaves the run waiting, with the answers that were given: exit code 5", async () => {
    const [place, running] = await onTerminal();
    const [runId] = await running.says(/run_[0-9a-f]{32}/);
    await running.says(question);
    type(running, "y\n");
    await running.says(/\(2 of 2\)[^]*\[v\]iew all arguments: $/);
    type(running, "\u0004");
    const ended = await running.ended;
    assert.strictEqual(ended.code, 5, ended.stdout);
    assert.match(ended.stdout.trimEnd(), /Go on with: cahier runs approve --data \S+ run_\S+ \S+$/);
    const { awaiting, standing } = await ask(place, "runs", "show", runId);
    assert.deepStrictEqual([standing, (awaiting as Rows).length], ["waiting", 1]);
  });

  it("Ctrl-C at the question leaves the run waiting", async () => {
    const [place, running] = await onTerminal();
    const [runId] = await running.says(/run_[0-9a-f]{32}/);
    await running.says(question);
    type(running, "\u0003");
    assert.strictEqual((await running.ended).code, 5);
    assert.strictEqual((await ask(place, "runs", "show", runId))["standing"], "waiting");
  });
});
