/**
 * Lets OpenAI's own client talk to our fake server, then our gateway, and compares what the two do: `npm run codex`.
 *
 * The client is fetched by npx when this runs (several hundred megabytes), so it is no dependency; `CODEX` names a copy
 * that is already there. It gets a home and a folder of its own and reaches nobody but the fake.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import * as Effect from "effect/Effect";
import * as FakeResponses from "./FakeResponses.ts";
import * as gatewaySession from "./gatewaySession.ts";
import * as sessionShape from "./sessionShape.ts";

const command = process.env["CODEX"] === undefined ? ["npx", "-y", "@openai/codex@0.171.0"] : [process.env["CODEX"]];

const config = (url: string): string => `model = "gpt-5"
model_provider = "fake"
[model_providers.fake]
name = "Fake"
base_url = "${url}"
wire_api = "responses"
env_key = "FAKE_KEY"
supports_websockets = true
`;

/** A folder below the user's own, since the client keeps no helpers below the system's temporary one. */
const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(resolve(homedir(), ".codex-client-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true })),
);

const runCodex = Effect.fnUntraced(function* (url: string) {
  const root = yield* folder;
  const [home, work] = [resolve(root, "home"), resolve(root, "work")];
  for (const made of [home, work]) mkdirSync(made);
  writeFileSync(resolve(home, "config.toml"), config(url));
  return yield* Effect.callback<number | null>((resume) => {
    const [program = "", ...rest] = command;
    const child = spawn(program, [...rest, "exec", "--skip-git-repo-check", "Say hello."], {
      cwd: work,
      env: { ...process.env, CODEX_HOME: home, FAKE_KEY: "planted" },
      stdio: ["ignore", "inherit", "inherit"],
    });
    child.on("error", (error) => resume(Effect.die(error)));
    child.on("close", (code) => resume(Effect.succeed(code)));
    return Effect.sync(() => void child.kill());
  }).pipe(Effect.timeout("5 minutes"));
});

/** A harmless command by whichever tool of the client runs commands. */
const callOf = ({ tools = [] }: FakeResponses.Frame) => ({
  calls: [
    {
      id: "call_1",
      name: tools.find(({ name = "" }) => /^(?:exec_command|shell)/.test(name))?.name ?? "exec_command",
      raw: '{"cmd":"echo hello","command":["echo","hello"]}',
    },
  ],
});

const program = Effect.gen(function* () {
  const theirs = yield* FakeResponses.make(callOf);
  const code = yield* runCodex(theirs.url);
  const ours = yield* FakeResponses.make(() => gatewaySession.call);
  yield* gatewaySession.run(ours.url);
  console.log(`\nThe client ended with ${code}.\n`);
  const shapes = [sessionShape.shapeOf(theirs.seen), sessionShape.shapeOf(ours.seen)] as const;
  for (const line of sessionShape.compare(["codex", "gateway"], ...shapes)) console.log(line);
  if (code !== 0) process.exitCode = 1;
});

await Effect.runPromise(Effect.scoped(program));
