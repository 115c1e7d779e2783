/**
 * Policies on the command line: storing and showing them, what they come to, the tools that are left, and how a run
 * ends that meets a denial or an approval.
 */
import { readFileSync } from "node:fs";
import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf, type StartOptions } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;
type Rows = ReadonlyArray<Answer>;

const commit = "builtin:workspace.commit";

/** Those that need nothing, and the shell. */
const catalogSize = builtinTools.length + 1;

const policyOf = (...rules: ReadonlyArray<object>) => ({ kind: "cahier.policy", schemaVersion: 1, rules });

const profileOf = (tools: object = {}) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "mine",
  displayName: "Mine",
  run: { presentation: "foreground" },
  tools: {
    maxRounds: 10,
    allow: ["list_files", "write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
    ...tools,
  },
});

const on = (place: Place.Place, args: ReadonlyArray<string>, options?: StartOptions) =>
  cahier([...args, "--data", place.data], options);

const ask = async (place: Place.Place, ...args: ReadonlyArray<string>): Promise<Answer> =>
  objectOf(await on(place, [...args, "--json"]));

const setPolicy = async (place: Place.Place, owner: string, ...rules: ReadonlyArray<object>): Promise<void> => {
  const ended = await on(place, ["policy", "set", owner, place.write("policy.json", policyOf(...rules))]);
  assert.strictEqual(ended.code, 0, ended.stderr);
};

const run = async (place: Place.Place, script: object, ...args: ReadonlyArray<string>) =>
  on(place, ["run", "--chat", place.chat, "--script", place.write("script.json", script), ...args, "--json"]);

/** The payload of the first event of a type. */
const payloadOf = async (place: Place.Place, runId: unknown, type: string): Promise<Answer> => {
  const { events } = await ask(place, "runs", "events", String(runId), "--limit", "500");
  const found = (events as Rows).find((event) => event["type"] === type);
  assert.isDefined(found, `${type} is in the journal`);
  return found["payload"] as Answer;
};

const codeOf = (found: Answer): unknown => (found["error"] as Answer | undefined)?.["code"];

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe.concurrent("cahier policy set and show", () => {
  it("nothing is stored at first, and to look stores nothing", async () => {
    const place = await Place.make();
    const told = await on(place, ["policy", "show"]);
    assert.match(told.stdout, /^platform: no policy stored; .*\nuser: no policy stored; .*\n$/);
    const { policies } = await ask(place, "policy", "show", "user");
    assert.deepStrictEqual(policies, [{ owner: "user", policy: policyOf(), revision: 0 }]);
  });

  it("what is set is shown, rule by rule, and replaces what was set before", async () => {
    const place = await Place.make();
    await setPolicy(place, "user", { tools: ["mcp/*"], permission: "deny" });
    const rule = { tools: [commit], permission: "ask", maxCalls: 2, reason: "I read it first" };
    await setPolicy(place, "user", rule, { tools: ["builtin:dice.*"], visible: false });
    const { policies } = await ask(place, "policy", "show", "user");
    assert.deepStrictEqual((policies as Rows)[0]?.["revision"], 2);
    assert.deepStrictEqual(
      (policies as Rows)[0]?.["policy"],
      policyOf(rule, { tools: ["builtin:dice.*"], visible: false }),
    );
    const told = await on(place, ["policy", "show", "user"]);
    assert.include(told.stdout, "user: 2 rules, revision 2");
    assert.include(told.stdout, `rules[0]  ${commit}: ask, at most 2 calls (I read it first)`);
    assert.include(told.stdout, "rules[1]  builtin:dice.*: hidden");
  });

  it("- reads standard input", async () => {
    const place = await Place.make();
    const input = JSON.stringify(policyOf({ tools: ["*"], permission: "ask" }));
    const ended = await on(place, ["policy", "set", "platform", "-"], { input });
    assert.deepStrictEqual([ended.code, ended.stderr], [0, ""]);
    assert.match(ended.stdout, /The platform's policy has 1 rule; it holds for new runs\./);
    assert.include((await on(place, ["policy", "show", "platform"])).stdout, "rules[0]  *: ask");
  });

  const refused: ReadonlyArray<readonly [string, string | object, RegExp]> = [
    ["policy.contract_invalid", "{", /is not JSON/],
    ["policy.contract_invalid", policyOf({ tool: ["*"] }), /rules\[0\]/],
    ["policy.kind_invalid", { kind: "cahier.agentProfile" }, /cahier\.policy/],
    ["policy.schema_unsupported", { ...policyOf(), schemaVersion: 2 }, /schemaVersion 1/],
    ["policy.pattern_invalid", policyOf({ tools: ["write_file"], permission: "ask" }), /rules\[0\]\.tools\[0\]/],
    ["policy.rule_empty", policyOf({ tools: ["*"] }), /says nothing/],
    ["policy.max_calls_invalid", policyOf({ tools: ["*"], maxCalls: 0 }), /at least 1/],
    ["policy.models_platform_only", { ...policyOf(), models: { sources: ["openai"] } }, /platform/],
  ];
  for (const [code, content, says] of refused)
    it(`a policy that is wrong is refused and changes nothing: ${code}, ${String(says)}`, async () => {
      const place = await Place.make();
      await setPolicy(place, "user", { tools: ["*"], permission: "ask" });
      const ended = await on(place, ["policy", "set", "user", place.write("bad.json", content), "--json"]);
      assert.deepStrictEqual([ended.code, codeOf(objectOf(ended))], [4, code]);
      assert.match(String((objectOf(ended)["error"] as Answer)["message"]), says);
      const { policies } = await ask(place, "policy", "show", "user");
      assert.strictEqual((policies as Rows)[0]?.["revision"], 1);
    });

  it("a file that is not there, and an owner that there is not, are refused", async () => {
    const place = await Place.make();
    const missing = await on(place, ["policy", "set", "user", place.path("none.json")]);
    assert.deepStrictEqual([missing.code, missing.stdout], [4, ""]);
    assert.match(missing.stderr, /none\.json cannot be read\. Check the path\. \[policy\.contract_invalid\]/);
    const nobody = await on(place, ["policy", "show", "neighbour"]);
    assert.match(nobody.stderr, /"neighbour" has no policy; say user or platform\..* \[usage\.invalid\]/);
  });
});

describe.concurrent("cahier policy explain", () => {
  it("says for every tool what may be done, who decided it and where", async () => {
    const place = await Place.make();
    await setPolicy(place, "user", { tools: [commit], permission: "ask", reason: "I read it first" });
    await setPolicy(place, "platform", { tools: ["builtin:workspace.list_files"], permission: "deny", maxCalls: 3 });
    const profile = place.write("profile.json", profileOf());
    const { tools } = await ask(place, "policy", "explain", "--profile", profile);
    assert.lengthOf(tools as Rows, catalogSize);
    const said = (id: string) => {
      const found = (tools as Rows).find((tool) => tool["id"] === id);
      const reason = found?.["reason"] as Answer | undefined;
      return [found?.["visible"], found?.["callable"], found?.["approval"], reason?.["layer"], reason?.["rule"]];
    };
    assert.deepStrictEqual(said(commit), [true, true, true, "user", "rules[0]"]);
    assert.deepStrictEqual(said("builtin:workspace.list_files"), [true, false, false, "platform", "rules[0]"]);
    assert.deepStrictEqual(said("builtin:workspace.write_file"), [true, true, false, "tool", "permission"]);
    assert.deepStrictEqual(said("builtin:workspace.read_file"), [false, false, false, "profile", "tools.allow"]);
    const told = await on(place, ["policy", "explain", "--profile", profile]);
    assert.match(told.stdout, /^TOOL +VISIBLE +CALLABLE +APPROVAL +DECIDED BY +BUDGET +REASON\n/);
    assert.match(
      told.stdout,
      /workspace\.list_files +yes +no +no +platform rules\[0\] +3 calls, 120 s a call +The platform/,
    );
    assert.lengthOf(told.stdout.trimEnd().split("\n"), catalogSize + 1);
  });

  it("tells one tool in full, and refuses one that there is not", async () => {
    const place = await Place.make();
    await setPolicy(place, "user", { tools: [commit], permission: "ask", reason: "I read it first" });
    const told = await on(place, ["policy", "explain", "--tool", commit]);
    for (const line of ["visible   yes", "callable  yes", "approval  yes", "layer     user", "rule      rules[0]"])
      assert.include(told.stdout, line);
    assert.match(told.stdout, /reason    .*I read it first/);
    const none = await on(place, ["policy", "explain", "--tool", "builtin:nothing"]);
    assert.match(none.stderr, /There is no tool "builtin:nothing"\. There are: .* \[usage\.invalid\]/);
    assert.strictEqual(none.code, 4);
  });
});

describe.concurrent("cahier tools list", () => {
  it("lists what the model would get, under its names, with what policy says of each", async () => {
    const place = await Place.make();
    await setPolicy(
      place,
      "user",
      { tools: [commit], permission: "ask" },
      { tools: ["builtin:workspace.finish"], permission: "deny" },
      { tools: ["builtin:workspace.list_files"], visible: false },
    );
    const profile = place.write("profile.json", profileOf());
    const { profileId, scene, tools } = await ask(place, "tools", "list", "--profile", profile);
    assert.deepStrictEqual([profileId, scene], ["mine", "chat"]);
    assert.deepStrictEqual(
      (tools as Rows).map((tool) => [
        tool["alias"],
        tool["id"],
        tool["source"],
        tool["permission"],
        tool["effectClass"],
      ]),
      [
        ["workspace_write_file", "builtin:workspace.write_file", "builtin", "always", "internal"],
        ["workspace_commit", commit, "builtin", "ask", "keyed"],
        ["workspace_finish", "builtin:workspace.finish", "builtin", "deny", "internal"],
      ],
    );
    const told = await on(place, ["tools", "list", "--profile", profile]);
    assert.match(told.stdout, /^NAME +ID +SOURCE +PERMISSION +EFFECT +DESCRIPTION\n/);
    assert.match(told.stdout, /\nworkspace_commit +builtin:workspace\.commit +builtin +ask +keyed +Publishes/);
  });

  it("the names are those that a run's model is given", async () => {
    const place = await Place.make();
    const { tools } = await ask(place, "tools", "list");
    const ended = objectOf(await run(place, Place.short()));
    const assembled = await payloadOf(place, ended["runId"], "context_assembled");
    const request = assembled["request"] as Answer;
    assert.strictEqual((tools as Rows).length, request["toolCount"]);
  });

  it("a session has no chat to commit to", async () => {
    const place = await Place.make();
    const { tools } = await ask(place, "tools", "list", "--scene", "session");
    const ids = (tools as Rows).map((tool) => String(tool["id"]));
    assert.include(ids, "builtin:workspace.write_file");
    assert.isEmpty(ids.filter((id) => id === commit || id.startsWith("builtin:chat.")));
    const wrong = await on(place, ["tools", "list", "--scene", "theatre"]);
    assert.match(wrong.stderr, /--scene takes one of chat, session\./);
  });
});

describe.concurrent("a run under a policy", () => {
  it("a denied call is answered, and the run goes on: exit code 0", async () => {
    const place = await Place.make();
    await setPolicy(place, "user", { tools: ["builtin:workspace.list_files"], permission: "deny", reason: "not here" });
    const script = Place.script(
      Place.call("workspace_list_files"),
      Place.draft("A draft."),
      Place.commit(),
      Place.finish(),
    );
    const ended = await run(place, script);
    assert.deepStrictEqual([ended.code, objectOf(ended)["status"]], [0, "completed"]);
    const { runId } = objectOf(ended);
    const denied = await payloadOf(place, runId, "tool_call_denied");
    assert.deepStrictEqual([denied["by"], denied["layer"], denied["rule"]], ["policy", "user", "rules[0]"]);
    const failed = await payloadOf(place, runId, "tool_call_failed");
    assert.deepStrictEqual([failed["errorCode"], failed["toolId"]], ["tool.denied", "builtin:workspace.list_files"]);
  });

  it("a denied call ends the run where the profile wants it: exit code 3, tool.denied", async () => {
    const place = await Place.make();
    await setPolicy(place, "user", { tools: ["builtin:workspace.list_files"], permission: "deny" });
    const profile = place.write("profile.json", profileOf({ onDenied: "fail" }));
    const ended = await run(place, Place.script(Place.call("workspace_list_files")), "--profile", profile);
    assert.deepStrictEqual([ended.code, objectOf(ended)["status"]], [3, "failed"]);
    assert.strictEqual(codeOf(objectOf(ended)), "tool.denied");
    assert.strictEqual(place.chatText(), Place.chatText);
  });

  it("a call that asks leaves the run waiting: exit code 5, with everything that an answer needs", async () => {
    const place = await Place.make();
    await setPolicy(place, "user", { tools: [commit], permission: "ask", reason: "I read it first" });
    const ended = await run(place, Place.short());
    const { awaiting, committed, status, error } = objectOf(ended);
    assert.deepStrictEqual([ended.code, status, committed, error], [5, "awaiting_approval", [], undefined]);
    const [call, ...others] = awaiting as Rows;
    assert.isEmpty(others);
    assert.deepStrictEqual([call?.["toolId"], call?.["title"]], [commit, "Commit to the chat"]);
    assert.match(String(call?.["argumentsSha256"]), /^[0-9a-f]{64}$/);
    assert.match(String(call?.["reason"]), /I read it first/);
    assert.isString(call?.["argumentsSummary"]);
    assert.strictEqual(place.chatText(), Place.chatText);
  });

  it("--approve lets the calls of its tools run, and no others: exit code 0 and 5", async () => {
    const place = await Place.make();
    await setPolicy(place, "user", { tools: ["*"], permission: "ask" });
    const waits = await run(place, Place.short(), "--approve", "builtin:workspace.w*");
    assert.deepStrictEqual([waits.code, (objectOf(waits)["awaiting"] as Rows)[0]?.["toolId"]], [5, commit]);
    const goes = await run(place, Place.short(), "--approve", "builtin:workspace.w*", "--approve", "builtin:*");
    assert.deepStrictEqual([goes.code, objectOf(goes)["status"]], [0, "completed"]);
    assert.strictEqual(place.messages().at(-1)?.mes, "A short answer.");
  });

  it("--approve cannot lift a denial", async () => {
    const place = await Place.make();
    await setPolicy(place, "platform", { tools: ["builtin:workspace.list_files"], permission: "deny" });
    const profile = place.write("profile.json", profileOf({ onDenied: "fail" }));
    const script = Place.script(Place.call("workspace_list_files"));
    const ended = await run(place, script, "--profile", profile, "--approve", "*");
    assert.deepStrictEqual([ended.code, codeOf(objectOf(ended))], [3, "tool.denied"]);
  });

  it("a policy that denies the commit refuses the start of a run that could publish nothing", async () => {
    const place = await Place.make();
    await setPolicy(place, "user", { tools: [commit], permission: "deny" });
    const ended = await run(place, Place.short());
    assert.deepStrictEqual([ended.code, codeOf(objectOf(ended))], [4, "agent.foreground_commit_unavailable"]);
  });

  it("a model that the platform does not allow is refused before a byte is sent", async () => {
    const place = await Place.make();
    const policy = { ...policyOf(), models: { sources: ["openai"] } };
    assert.strictEqual((await on(place, ["policy", "set", "platform", place.write("p.json", policy)])).code, 0);
    assert.include((await on(place, ["policy", "show", "platform"])).stdout, "models.sources  only openai");
    const before = readFileSync(place.chat);
    const ended = await run(place, Place.short(), "--message", "Once more.");
    assert.deepStrictEqual([ended.code, codeOf(objectOf(ended))], [4, "model.source_denied"]);
    assert.deepStrictEqual(readFileSync(place.chat), before);
  });
});
