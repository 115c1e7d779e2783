/**
 * The shell as a run has it: the program's own processes run what a model asks for.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;

const shell = (command: string, more: object = {}) => Place.call("workspace_shell", { command, ...more });

const play = async (...turns: ReadonlyArray<Answer>) => {
  const place = await Place.make();
  const script = place.write("script.json", Place.script(...turns));
  const ended = await cahier(["run", "--chat", place.chat, "--data", place.data, "--script", script]);
  const [runId = ""] = /run_[0-9a-f]{32}/.exec(ended.stdout) ?? [];
  const look = (...args: ReadonlyArray<string>) => cahier([...args, "--data", place.data]);
  const { events } = objectOf(await look("runs", "events", runId, "--limit", "500", "--json"));
  const payloadsOf = (type: string) =>
    (events as ReadonlyArray<Answer>).filter((event) => event["type"] === type).map(({ payload }) => payload as Answer);
  const fileOf = (path: string) => look("runs", "file", runId, path);
  return { ended, fileOf, payloadsOf, place };
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe.concurrent("a run with the shell", () => {
  it("runs bash, jq, Python and JavaScript, keeps what they wrote, and publishes it", async () => {
    const { ended, fileOf, place } = await play(
      shell("echo 'The lamp turns.' > output/main.md"),
      shell(`echo '{"words": ["lamp", "wick"]}' | jq -r '.words[]' > scratch/words.txt`),
      shell("python -c 'print(len(open(\"scratch/words.txt\").read().split()))' > scratch/count.txt"),
      shell(
        `js -e 'import { context } from "@cahier/runtime"; console.log(context.messageBodyPath)' > scratch/where.txt`,
      ),
      Place.commit(),
      Place.finish(),
    );
    assert.strictEqual(ended.code, 0, ended.stdout + ended.stderr);
    assert.strictEqual(place.messages().at(-1)?.mes, "The lamp turns.\n");
    assert.strictEqual((await fileOf("scratch/words.txt")).stdout, "lamp\nwick\n");
    assert.strictEqual((await fileOf("scratch/count.txt")).stdout, "2\n");
    assert.strictEqual((await fileOf("scratch/where.txt")).stdout, "output/main.md\n");
  });

  it("is told of a command that fails, and goes on", async () => {
    const { ended, payloadsOf } = await play(
      shell("echo half > scratch/half.txt; cat scratch/absent.txt"),
      Place.draft("A draft."),
      Place.commit(),
      Place.finish(),
    );
    assert.strictEqual(ended.code, 0, ended.stdout);
    assert.deepStrictEqual(
      payloadsOf("tool_call_failed").map(({ errorCode, toolId }) => [toolId, errorCode]),
      [["builtin:workspace.shell", "workspace.shell_exit"]],
    );
    assert.match(ended.stdout, /scratch\/half\.txt +replace: 5 characters, 1 word\n/);
    assert.match(ended.stdout, /\[workspace\.shell_exit\]/);
  });

  it("shows files that are removed, and files that are no text", async () => {
    const { ended } = await play(
      shell("echo draft > scratch/draft.txt"),
      shell("rm scratch/draft.txt; echo /wD+ | base64 -d > scratch/bytes.bin"),
      Place.draft("A draft."),
      Place.commit(),
      Place.finish(),
    );
    assert.match(ended.stdout, /scratch\/draft\.txt +removed\n/);
    assert.match(ended.stdout, /scratch\/bytes\.bin +replace: 3 bytes, no text\n/);
  });

  it("reaches no file and no program of the machine", async () => {
    const { ended, fileOf, place } = await play(
      shell("cat /etc/passwd; ls /proc; curl http://127.0.0.1/; env; true"),
      shell("cat /etc/passwd > output/main.md; ls / >> output/main.md"),
      Place.commit(),
      Place.finish(),
    );
    assert.strictEqual(ended.code, 0, ended.stdout);
    assert.notInclude(JSON.stringify(place.messages()), "root:");
    assert.notInclude((await fileOf("output/main.md")).stdout, "etc");
  });
});

describe("the default writer", () => {
  it("has the shell", async () => {
    const place = await Place.make();
    const { leftOut, tools } = objectOf(await cahier(["tools", "list", "--data", place.data, "--json"]));
    const found = (tools as ReadonlyArray<Answer>).find(({ id }) => id === "builtin:workspace.shell");
    assert.deepStrictEqual([found?.["alias"], found?.["permission"]], ["workspace_shell", "always"]);
    assert.deepStrictEqual(leftOut, []);
  });
});
