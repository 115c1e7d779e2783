/**
 * A key that a hostile server repeats wherever it can: no byte of it reaches what is stored, shown or written to a chat.
 */
/* oxlint-disable eslint/no-await-in-loop -- the runs of one storage are made one after the other */
import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, type Ended, ensureBundle, objectOf, type StartOptions } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";
import * as VendorServer from "./support/VendorServer.ts";

/** It is spelled differently in JSON, in a URL and in base64, and is one that a header can hold. */
const key = 'sk/planted"7f3e+1c0b=9a&zz';

const spellings = [
  key,
  JSON.stringify(key).slice(1, -1),
  encodeURIComponent(key),
  Buffer.from(key).toString("base64"),
  Buffer.from(key).toString("base64url"),
];

const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

/** A streamed answer whose text and arguments come a few characters at a time. */
const streamed = (text: string, call: { readonly name: string; readonly arguments: string }): string => {
  const pieces = (whole: string): ReadonlyArray<string> => whole.match(/.{1,4}/gsu) ?? [];
  const chunk = (delta: object, finish: string | null = null): string =>
    event({ id: "c", model: "fake", choices: [{ index: 0, delta, finish_reason: finish }] });
  const { arguments: raw, name } = call;
  return [
    ...pieces(text).map((piece) => chunk({ content: piece })),
    chunk({ tool_calls: [{ index: 0, id: `call_${name}`, type: "function", function: { name, arguments: "" } }] }),
    ...pieces(raw).map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    chunk({}, "tool_calls"),
    "data: [DONE]\n\n",
  ].join("");
};

/** What the server does under a path, in the order of the requests of a run; each is given the key that it was sent. */
const hostile: Readonly<Record<string, (echo: string, round: number) => VendorServer.Answer>> = {
  json: (echo) => ({ status: 401, headers: { "x-echo": echo }, body: JSON.stringify({ error: { message: echo } }) }),
  html: (echo) => ({
    status: 400,
    headers: { "content-type": "text/html" },
    body: `<html><body>Bad request: ${echo}, ${encodeURIComponent(echo)}</body></html>`,
  }),
  event: (echo) => ({ body: event({ error: { message: `overloaded, ${echo}`, code: 503 } }) }),
  redirect: (echo) => ({ status: 302, headers: { location: `/?key=${encodeURIComponent(echo)}` }, body: "" }),
  text: (echo, round) => {
    const content = `Your key is ${echo}, or ${Buffer.from(echo).toString("base64")}.`;
    const calls = [
      { name: "workspace_write_file", arguments: JSON.stringify({ path: "output/main.md", content }) },
      { name: "workspace_commit", arguments: "{}" },
      { name: "workspace_finish", arguments: "{}" },
    ] as const;
    return { headers: { "x-echo": echo }, body: streamed(content, calls[round] ?? calls[2]) };
  },
};

const profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "mine",
  displayName: "Mine",
  run: { presentation: "foreground", modelRetry: { maxRetries: 1, intervalMs: 1 } },
  tools: { maxRounds: 9, allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`) },
};

const connection = (id: string, baseUrl: string) => ({
  kind: "cahier.llmConnection",
  schemaVersion: 1,
  id,
  displayName: id,
  provider: { chatCompletionSource: "custom" },
  endpoint: { baseUrl },
  auth: { secretRef: { key: "HOME_KEY", id: "default" } },
});

/** Every file of a folder, however deep; the file itself where it is one. */
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const assertAbsent = (what: string, bytes: Buffer): void => {
  for (const spelling of spellings) assert.isFalse(bytes.includes(spelling), `${what} holds ${spelling}`);
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe.concurrent("a key that the server repeats in headers, errors, events, redirects and answers", () => {
  // What is kept differs by the storage and the log; what a server does and what is shown by neither: one has all of that.
  it.each([
    ["on files", "file", "", ["text"]],
    ["in SQLite", "sqlite", "", ["text"]],
    ["on files, with requests logged by --log-requests", "file", "--log-requests", ["text"]],
    ["in SQLite, with requests logged by CAHIER_LOG_REQUESTS", "sqlite", "1", Object.keys(hostile)],
  ] as const)(
    "is found nowhere %s",
    async (_, storage, logs, kinds) => {
      const place = await Place.make();
      const server = await VendorServer.make(({ headers, path }, before) => {
        const echo = (headers.authorization ?? "").replace(/^Bearer /, "");
        const answer = hostile[path.split("/")[1] ?? ""];
        return answer?.(echo, before - sofar.count) ?? { status: 404, body: "" };
      });
      const sofar = { count: 0 };
      const secrets = place.write("secrets.json", { HOME_KEY: key });
      chmodSync(secrets, 0o600);
      const kept = place.path("kept");
      const where = ["--storage", storage === "file" ? `file:${kept}` : `sqlite:${join(kept, "cahier.sqlite")}`];
      const environment = { CAHIER_SECRETS: secrets, CAHIER_LOG_REQUESTS: logs === "1" ? "1" : "" };
      const said: Array<Ended> = [];
      const on = async (args: ReadonlyArray<string>, options: StartOptions = { environment }): Promise<Ended> => {
        const ended = await cahier([...args, ...where], options);
        said.push(ended);
        return ended;
      };
      try {
        mkdirSync(kept);
        for (const kind of kinds) {
          const file = place.write("connection.json", connection(kind, `${server.url}/${kind}/v1`));
          assert.strictEqual((await on(["connections", "add", file])).code, 0);
          sofar.count = server.received.length;
          const run = ["run", "--chat", place.chat, "--profile", place.write("profile.json", profile)];
          if (logs === "--log-requests") run.push(logs);
          const ended = await on([...run, "--connection", kind, "--model", "fake", "--json"]);
          const { error, runId, status } = objectOf(ended);
          assert.strictEqual(status, kind === "text" ? "completed" : "failed", `${kind}: ${ended.stdout}`);
          assert.strictEqual(error === undefined, kind === "text");
          assert.isAbove(server.received.length, sofar.count);
          const id = String(runId);
          const { requests } = objectOf(await on(["runs", "show", id, "--requests", "--json"]));
          assert.lengthOf(
            requests as ReadonlyArray<unknown>,
            logs === "" ? 0 : kind === "text" ? 3 : kind === "event" ? 2 : 1,
          );
          if (kinds.length === 1) continue;
          await on(["runs", "show", id]);
          await on(["runs", "events", id, "--limit", "500", "--json"]);
          await on(["runs", "show", id, "--requests"]);
          await on(["connections", "test", kind, "--model", "fake"]);
        }
        for (const { headers } of server.received) assert.include(headers.authorization ?? "", key);

        const inAddress = `${server.url}/v1?api_key=${encodeURIComponent(key)}`;
        const refused = await on(["connections", "add", place.write("bad.json", connection("bad", inAddress))]);
        assert.include(refused.stderr, "[llm_connection.base_url_invalid]");
        const named = await on(["run", "--chat", place.chat], { environment: { OPENAI_BASE_URL: inAddress } });
        assert.include(named.stderr, "[usage.invalid]");

        assert.strictEqual(place.messages().at(-1)?.mes, "Your key is [redacted], or [redacted].");
        assertAbsent("the chat", readFileSync(place.chat));
        for (const { stderr, stdout } of said) assertAbsent("output", Buffer.from(stdout + stderr));
        const files = filesIn(kept);
        assert.isTrue(files.length > 0);
        for (const file of files) assertAbsent(file, readFileSync(file));
      } finally {
        await server.close();
      }
    },
    120_000,
  );
});
