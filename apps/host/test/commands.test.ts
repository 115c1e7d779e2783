/**
 * Every command of the program, what it prints, and how it ends.
 */
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import type { CommandUsage } from "../src/cli/commands/CommandUsage.ts";
import { commands } from "../src/cli/usage.ts";
import { cahier, ensureBundle, type Ended, objectOf } from "./support/Cahier.ts";
import { repository } from "./support/node.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;
type Rows = ReadonlyArray<Answer>;

const runArgs = (place: Place.Place, script: object = Place.short()): ReadonlyArray<string> => [
  "run",
  "--chat",
  place.chat,
  "--data",
  place.data,
  "--script",
  place.write("script.json", script),
];

/** A place with a completed run in it; gives the run's id as well. */
const withRun = async (script?: object): Promise<readonly [Place.Place, string]> => {
  const place = await Place.make();
  return [place, String(objectOf(await cahier([...runArgs(place, script), "--json"]))["runId"])];
};

const on = (place: Place.Place, ...args: ReadonlyArray<string>): Promise<Ended> =>
  cahier([...args, "--data", place.data]);

const ask = async (place: Place.Place, ...args: ReadonlyArray<string>): Promise<Answer> =>
  objectOf(await on(place, ...args, "--json"));

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe.concurrent("help and version", () => {
  it("--version prints the version of the package", async () => {
    const manifest = JSON.parse(readFileSync(join(repository, "apps/host/package.json"), "utf8")) as Answer;
    const { code, stdout, stderr } = await cahier(["--version"]);
    assert.deepStrictEqual([code, stdout, stderr], [0, `${String(manifest["version"])}\n`, ""]);
  });

  it("--help, help and no word at all list every command and the exit codes", async () => {
    const texts = await Promise.all([["--help"], ["help"], []].map((args) => cahier(args)));
    for (const { code, stdout, stderr } of texts) {
      assert.deepStrictEqual([code, stderr], [0, ""]);
      assert.strictEqual(stdout, texts[0]?.stdout);
      for (const { words, positionals, summary } of Object.values<CommandUsage>(commands)) {
        assert.include(stdout, [...words, ...positionals].join(" "));
        assert.include(stdout, summary);
      }
      for (const number of ["0", "2", "3", "4", "5", "130"]) assert.match(stdout, new RegExp(`\\b${number} [a-z]`));
    }
  });

  for (const { words, options } of Object.values<CommandUsage>(commands)) {
    it(`${words.join(" ")} --help explains every option`, async () => {
      const { code, stdout } = await cahier([...words, "--help"]);
      assert.strictEqual(code, 0);
      assert.include(stdout, `cahier ${words.join(" ")}`);
      for (const [name, { value, help }] of Object.entries(options)) {
        assert.include(stdout, value === undefined ? `--${name}` : `--${name} ${value}`);
        assert.include(stdout, help);
      }
    });
  }

  it("runs --help explains the commands about runs and no other", async () => {
    const { stdout } = await cahier(["runs", "--help"]);
    for (const { words, summary } of Object.values<CommandUsage>(commands))
      assert.strictEqual(stdout.includes(summary), words[0] === "runs", words.join(" "));
  });
});

describe.concurrent("bad usage ends with exit code 4 and points to the help", () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["frobnicate"], /There is no command "frobnicate"\./],
    [
      ["runs"],
      /"runs" is followed by one of list, show, events, cancel, guide, resume, answer, approve, deny, file, diff, fork, revise, rollback\./,
    ],
    [["runs", "frobnicate"], /"runs" is followed by one of/],
    [["--data", "somewhere"], /A command comes first\./],
    [["run"], /"run" needs --chat FILE\.jsonl\./],
    [["run", "--chat"], /--chat needs a value\./],
    [["run", "--chat", "--quiet"], /--chat needs a value\./],
    [["run", "--chat", "a.jsonl", "more"], /"run" takes no further words\./],
    [["run", "--frobnicate"], /Unknown option '--frobnicate'\./],
    [["runs", "show"], /"runs show" needs ID/],
    [["runs", "show", "one", "two"], /"runs show" needs ID/],
    [["runs", "file", "run_1"], /"runs file" needs ID and PATH/],
    [["runs", "diff"], /"runs diff" needs ID/],
    [["runs", "rollback", "run_1"], /"runs rollback" needs ID and CHECKPOINT/],
    [["runs", "fork", "run_1"], /"runs fork" needs ID and EVENT\|CHECKPOINT/],
    [["runs", "fork", "run_1", "soon"], /"soon" is no number of an event and no checkpoint\./],
    [["runs", "fork", "run_1", "9", "--message", " "], /--message needs some text\./],
    [["runs", "fork", "run_1", "9", "--model", "m", "--script", "s.json"], /Give either --script or --model\./],
    [["runs", "approve", "run_1"], /"runs approve" needs ID and CALL/],
    [["runs", "approve", "run_1", "call_1", "--remember", "forever"], /--remember takes one of run, profile\./],
    [
      ["runs", "approve", "run_1", "call_1", "--arguments-sha256", "abc"],
      /takes the 64 digits that runs show prints\./,
    ],
    [["runs", "deny", "run_1"], /"runs deny" needs ID and CALL/],
    [["run", "--chat", "a.jsonl", "--script", "s.json", "--approve", "write_file"], /"write_file" names no tool\./],
    [["tools"], /"tools" is followed by one of list\./],
    [["tools", "list", "--scene", "theatre"], /--scene takes one of chat, session\./],
    [["policy"], /"policy" is followed by one of explain, show, set\./],
    [["policy", "show", "user", "more"], /"policy show" takes user\|platform or nothing\./],
    [["policy", "show", "neighbour"], /"neighbour" has no policy; say user or platform\./],
    [["policy", "set", "user"], /"policy set" needs user\|platform and FILE\.json/],
    [["runs", "list", "--limit", "many"], /--limit takes a whole number from 1 to 200\./],
    [["runs", "events", "run_1", "--limit", "501"], /--limit takes a whole number from 1 to 500\./],
    [["runs", "events", "run_1", "--after", "-1"], /--after/],
    [["runs", "events", "run_1", "--follow", "--before", "9"], /--follow goes with --after only\./],
  ];
  for (const [args, says] of cases) {
    it(`cahier ${args.join(" ")}`, async () => {
      const told = await cahier(args);
      assert.deepStrictEqual([told.code, told.stdout], [4, ""]);
      assert.match(told.stderr, /^cahier: .* "cahier --help" tells what there is\. \[usage\.invalid\]\n$/);
      assert.match(told.stderr, says);
      const asked = await cahier([...args, "--json"]);
      const { error, committed } = objectOf(asked);
      assert.deepStrictEqual([asked.code, asked.stderr, committed], [4, "", []]);
      assert.strictEqual((error as Answer)["code"], "usage.invalid");
    });
  }
});

describe.concurrent("cahier run", () => {
  it("adds one message and prints a line for every step, without colours where nobody looks", async () => {
    const place = await Place.make();
    const { code, stdout, stderr } = await cahier(runArgs(place));
    assert.deepStrictEqual([code, stderr], [0, ""]);
    assert.strictEqual(place.messages().at(-1)?.mes, "A short answer.");
    assert.isTrue(place.chatText().startsWith(`${Place.chatText}\n`));
    for (const said of ["a script: no model is called", "output/main.md", "message 2 is output/main.md", "completed"])
      assert.include(stdout, said);
    assert.notInclude(stdout, "\u001b");
  });

  it("--json prints one object and nothing else", async () => {
    const place = await Place.make();
    const ended = await cahier([...runArgs(place), "--json"]);
    const { runId, ...rest } = objectOf(ended);
    assert.match(String(runId), /^run_[0-9a-f]{32}$/);
    assert.deepStrictEqual(rest, {
      status: "completed",
      committed: [{ messageIndex: 2, path: "output/main.md", chars: 15 }],
    });
    assert.strictEqual(ended.stderr, "");
  });

  it("--quiet prints nothing of a run that goes well", async () => {
    const place = await Place.make();
    const { code, stdout, stderr } = await cahier([...runArgs(place), "--quiet"]);
    assert.deepStrictEqual([code, stdout, stderr], [0, "", ""]);
  });

  it("a failing run ends with exit code 3, its code and its reason", async () => {
    const place = await Place.make();
    const script = Place.script(Place.draft("A draft."));
    const told = await cahier([...runArgs(place, script), "--quiet"]);
    assert.strictEqual(told.code, 3);
    assert.match(told.stderr, /^cahier: The script has no turn at position 1\. .* \[model\.script_exhausted\]\n$/);
    const asked = await cahier([...runArgs(place, script), "--json"]);
    const { status, error, committed } = objectOf(asked);
    assert.deepStrictEqual([asked.code, status, committed], [3, "failed", []]);
    assert.strictEqual((error as Answer)["code"], "model.script_exhausted");
    assert.strictEqual(place.chatText(), Place.chatText);
  });

  it("a run that fails after a commit keeps it: partial success, exit code 2", async () => {
    const place = await Place.make();
    const ended = await cahier([...runArgs(place, Place.script(Place.draft("Kept."), Place.commit())), "--json"]);
    const { status, committed } = objectOf(ended);
    assert.deepStrictEqual(
      [ended.code, status, committed],
      [2, "partial_success", [{ messageIndex: 2, path: "output/main.md", chars: 5 }]],
    );
    assert.strictEqual(place.messages().at(-1)?.mes, "Kept.");
  });

  it("--message puts the user's line before the answer", async () => {
    const place = await Place.make();
    assert.strictEqual((await cahier([...runArgs(place), "--message", "Tell me, Größe! \u{1f600}"])).code, 0);
    const [asked, answered] = place.messages().slice(-2);
    assert.deepStrictEqual([asked?.name, asked?.is_user, asked?.mes], ["Robin", true, "Tell me, Größe! \u{1f600}"]);
    assert.deepStrictEqual([answered?.is_user, answered?.mes], [false, "A short answer."]);
    assert.lengthOf(place.messages(), 4);
  });

  it("swipe and regenerate change the last answer and add none", async () => {
    const place = await Place.make();
    await cahier(runArgs(place));
    await cahier([...runArgs(place, Place.short("Another answer.")), "--type", "swipe"]);
    assert.deepStrictEqual(place.messages().at(-1)?.swipes, ["A short answer.", "Another answer."]);
    await cahier([...runArgs(place, Place.short("A third.")), "--type", "regenerate"]);
    assert.strictEqual(place.messages().at(-1)?.mes, "A third.");
    assert.lengthOf(place.messages(), 3);
  });

  it("--chat-id names a chat that has no id of its own, --group-id a group", async () => {
    const header = '{"user_name":"Robin","character_name":"Odile"}\n';
    const place = await Place.make(`${header}{"name":"Robin","is_user":true,"mes":"Hello.","extra":{}}`);
    const named = objectOf(await cahier([...runArgs(place), "--chat-id", "my-chat", "--json"]));
    assert.strictEqual(named["status"], "completed");
    const group = objectOf(await cahier([...runArgs(place), "--group-id", "my-group", "--json"]));
    assert.strictEqual(group["status"], "completed", JSON.stringify(group));
    const { target } = await ask(place, "runs", "show", String(group["runId"]));
    assert.deepStrictEqual((target as Answer)["chatRef"], { kind: "group", chatId: "my-group" });
  });

  it("relative paths are the caller's", async () => {
    const place = await Place.make();
    runArgs(place);
    const ended = await cahier(["run", "--chat", "chat.jsonl", "--script", "script.json", "--data", "data", "--json"], {
      cwd: place.folder,
    });
    assert.strictEqual(ended.code, 0);
    assert.isTrue(existsSync(place.data));
  });

  it("CAHIER_STORAGE names the data folder, as a path or as file:DIR", async () => {
    const place = await Place.make();
    const args = runArgs(place).filter((word) => word !== "--data" && word !== place.data);
    const environment = { CAHIER_STORAGE: `file:${place.data}` };
    assert.strictEqual((await cahier([...args, "--json"], { environment })).code, 0);
    const { stdout } = await cahier(["runs", "list"], { environment: { CAHIER_STORAGE: place.data } });
    assert.match(stdout, /1 committed/);
  });

  it("what a model says cannot command the terminal", async () => {
    const place = await Place.make();
    const text = "a\u001b[2Jb\u0007c\u202ed \u65e5\u672c ";
    const script = Place.script(Place.draft("x", { text: text.repeat(30) }), Place.commit(), Place.finish());
    const { stdout } = await cahier(runArgs(place, script));
    assert.notMatch(stdout.replaceAll("\n", ""), /\p{Cc}|\u202e/u);
    assert.include(stdout, "a␛[2Jb␇c�d 日本 a␛");
    assert.match(stdout, /…\n/);
  });
});

describe.concurrent("cahier runs", () => {
  it("list is empty in a new folder, which it does not make", async () => {
    const place = await Place.make();
    assert.match((await on(place, "runs", "list")).stdout, /^No runs yet\. Start one with: cahier run/);
    assert.deepStrictEqual(await ask(place, "runs", "list"), { runs: [] });
    assert.isFalse(existsSync(place.data));
  });

  it("list shows the newest first and no more than asked for", async () => {
    const [place, first] = await withRun();
    const second = String(objectOf(await cahier([...runArgs(place), "--json"]))["runId"]);
    const idsOf = (answer: Answer) => (answer["runs"] as Rows).map(({ runId }) => runId);
    assert.deepStrictEqual(idsOf(await ask(place, "runs", "list")), [second, first]);
    assert.deepStrictEqual(idsOf(await ask(place, "runs", "list", "--limit", "1")), [second]);
    const { stdout } = await on(place, "runs", "list");
    assert.match(stdout, new RegExp(`^${second} .* completed .* 1 committed\n${first} `));
  });

  it("show tells status, files and commits", async () => {
    const [place, runId] = await withRun();
    const shown = await ask(place, "runs", "show", runId);
    assert.deepStrictEqual([shown["status"], shown["standing"]], ["completed", "ended"]);
    assert.deepInclude((shown["files"] as Rows)[0], { path: "output/main.md", chars: 15, words: 3 });
    assert.deepInclude((shown["committed"] as Rows)[0], { messageIndex: 2, path: "output/main.md", chars: 15 });
    const { stdout } = await on(place, "runs", "show", runId);
    assert.match(stdout, /status {5}completed\n/);
    assert.match(stdout, / 3 calls, 0 tokens in, 0 out\n {11}a script: no model is called\n/);
    assert.deepInclude((shown["invocations"] as Rows)[0], { model: { source: "scripted", modelId: "script" } });
    assert.match(stdout, /file {7}output\/main\.md: 15 characters, 3 words\n/);
  });

  it("events come in pages, forwards and backwards, that make the whole journal", async () => {
    const [place, runId] = await withRun();
    const whole = await ask(place, "runs", "events", runId, "--limit", "500");
    const all = (whole["events"] as Rows).map(({ seq }) => Number(seq));
    assert.deepStrictEqual(
      all,
      Array.from({ length: Number(whole["lastSeq"]) }, (_, index) => index + 1),
    );
    const page = async (...args: ReadonlyArray<string>) =>
      ((await ask(place, "runs", "events", runId, ...args))["events"] as Rows).map(({ seq }) => Number(seq));
    assert.deepStrictEqual(await page("--after", "5", "--limit", "7"), all.slice(5, 12));
    assert.deepStrictEqual(await page("--before", "12", "--limit", "7"), all.slice(4, 11));
    assert.deepStrictEqual(await page("--after", String(all.length)), []);
    const { stdout } = await on(place, "runs", "events", runId, "--limit", "3");
    assert.deepStrictEqual(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => /^ *(\d+) [\d:]{8} {2}[a-z_]+/.exec(line)?.[1]),
      ["1", "2", "3"],
    );
  });

  it("events of one invocation are those that concern it", async () => {
    const [place, runId] = await withRun();
    const { events } = await ask(place, "runs", "events", runId, "--invocation", "inv_root", "--limit", "500");
    assert.isAbove((events as Rows).length, 5);
    const none = await ask(place, "runs", "events", runId, "--invocation", "inv_other");
    assert.deepStrictEqual(none["events"], []);
  });

  it("file prints the bytes of a file, and only of the workspace", async () => {
    const text = "Größe 日本\u{1f600}\n\n  no final newline";
    const [place, runId] = await withRun(Place.short(text));
    assert.strictEqual((await on(place, "runs", "file", runId, "output/main.md")).stdout, text);
    assert.deepInclude(await ask(place, "runs", "file", runId, "output/main.md"), { path: "output/main.md", text });
    const codes = await Promise.all(
      ["output/absent.md", "../events.jsonl", "events.jsonl", "/etc/passwd", ""].map(async (path) => {
        const ended = await on(place, "runs", "file", runId, path, "--json");
        assert.strictEqual(ended.code, 4, path);
        return (objectOf(ended)["error"] as Answer)["code"];
      }),
    );
    assert.strictEqual(codes[0], "workspace.file_not_found");
    assert.notInclude(codes, undefined);
  });

  for (const args of [["show"], ["events"], ["events", "--follow"], ["cancel"], ["resume"], ["file"], ["diff"]]) {
    it(`${args.join(" ")} of a run that there is not: agent.run_not_found, exit code 4`, async () => {
      const place = await Place.make();
      const [command = "", ...more] = args;
      const words = ["runs", command, "run_00000000000000000000000000000000", ...(command === "file" ? ["x"] : [])];
      const inWorkspace = words.map((word) => (word === "x" ? "output/main.md" : word));
      const ended = await on(place, ...inWorkspace, ...more, "--json");
      assert.strictEqual(ended.code, 4);
      assert.strictEqual((objectOf(ended)["error"] as Answer)["code"], "agent.run_not_found");
    });
  }
});

describe.concurrent("cahier doctor", () => {
  it("passes on a fresh folder and leaves nothing in it", async () => {
    const place = await Place.make();
    const ended = await on(place, "doctor", "--json");
    const { appendMs, failed, findings, storage, syncMs } = objectOf(ended);
    assert.deepStrictEqual([ended.code, storage, failed], [0, place.data, 0]);
    assert.isAbove(Math.min(Number(syncMs), Number(appendMs)), 0);
    assert.isAbove((findings as Rows).length, 50);
    assert.deepStrictEqual(readdirSync(place.data), []);
  });

  it("names a run whose journal is damaged, and one whose content is gone", async () => {
    const long = "A long story. ".repeat(1000);
    const [place, whole] = await withRun(Place.short(long));
    const torn = String(objectOf(await cahier([...runArgs(place), "--json"]))["runId"]);
    const fine = String(objectOf(await cahier([...runArgs(place), "--json"]))["runId"]);
    const files = filesBelow(place.data);
    const journal = files.find((path) => path.includes(torn) && path.endsWith("events.jsonl")) ?? "";
    writeFileSync(journal, readFileSync(journal, "utf8").replace('"completed"', '"Completed"'));
    const blob = files.find((path) => path.includes(`blobs/${whole}/`)) ?? "";
    truncateSync(blob, 10);
    const ended = await on(place, "doctor", "--json");
    assert.strictEqual(ended.code, 3);
    const findings = objectOf(ended)["findings"] as Rows;
    const detailOf = (runId: string) => String(findings.find(({ check }) => check === runId)?.["detail"]);
    assert.match(detailOf(torn), /\[journal\.corrupt\]/);
    assert.match(detailOf(whole), /\[blob\.hash_mismatch\]/);
    assert.strictEqual(findings.find(({ check }) => check === fine)?.["outcome"], "passed");
    const told = await on(place, "doctor");
    assert.match(told.stdout, new RegExp(`FAILED {2}${torn}: .*damaged at line`));
    assert.match(told.stdout, /\d+ checks passed, 2 failed, \d+ left out/);
  });

  it("refuses a data folder that cannot be written", async () => {
    const place = await Place.make();
    const ended = await cahier(["doctor", "--data", place.write("file", "no folder"), "--json"]);
    assert.strictEqual(ended.code, 3);
    assert.strictEqual((objectOf(ended)["error"] as Answer)["code"], "storage.read_only");
  });
});

describe.concurrent("cahier demonstration", () => {
  it("runs in a fresh folder, says where everything lies, and adds one message", async () => {
    const place = await Place.make();
    const { code, stdout } = await cahier(["demonstration"], { environment: { TMPDIR: place.folder } });
    assert.strictEqual(code, 0);
    assert.include(stdout, "no model is called");
    const chat = /the chat +(.*)\n/.exec(stdout)?.[1] ?? "";
    assert.isTrue(chat.startsWith(place.folder));
    assert.lengthOf(readFileSync(chat, "utf8").split("\n"), Place.chatText.split("\n").length + 1);
    const data = /the data folder +(.*)\n/.exec(stdout)?.[1] ?? "";
    assert.match((await cahier(["runs", "list", "--data", data])).stdout, /completed/);
  });
});
