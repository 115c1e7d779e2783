/**
 * A thread that goes from vendor to vendor, as forks of one run: what moves along, what stays behind and is told, and what
 * comes back byte for byte.
 */
/* oxlint-disable eslint/no-await-in-loop -- each hop goes on from the one before */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";
import * as VendorServer from "./support/VendorServer.ts";

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (value: unknown): ReadonlyArray<Row> => value as ReadonlyArray<Row>;

/** How a vendor writes an answer with one tool call in its format; `place` tells the answers apart. */
interface Vendor {
  readonly format: string;
  readonly path: string;
  readonly answer: (place: number, name: string, rawArguments: string) => string;
}

const chat: Vendor = {
  format: "openai-chat",
  path: "/v1/chat/completions",
  answer: (place, name, raw) =>
    `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"Text ${place}.","reasoning_content":"Thought ${place}.","tool_calls":[{"id":"call_${place}","type":"function","function":{"name":"${name}","arguments":${JSON.stringify(raw)}}}]},"finish_reason":"tool_calls"}]}`,
};

/** Spelled as no serialiser would: spaces, escapes and a number that JSON.parse does not keep. */
const thinking = (place: number): string =>
  `{"type":"thinking", "thinking":"Thought ${place}, w\\u0069th care.","signature":"c2lnbmVk+/${place}=="}`;
const redacted = (place: number): string => `{ "type":"redacted_thinking","data":"b3BhcXVl${place}","weight":1.0e1 }`;
const toolUse = (place: number, name: string, raw: string): string =>
  `{"type":"tool_use","id":"toolu_${place}","name":"${name}","input": ${raw}}`;

const anthropic: Vendor = {
  format: "anthropic-messages",
  path: "/v1/messages",
  answer: (place, name, raw) =>
    `{"id":"msg_${place}","type":"message","role":"assistant","model":"claude-fake","content":[${thinking(place)},${redacted(place)},${toolUse(place, name, raw)}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":3}}`,
};

const gemini: Vendor = {
  format: "gemini-generate-content",
  path: "/v1beta/models/fake:generateContent",
  answer: (place, name, raw) =>
    `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"${name}","args":${raw}},"thoughtSignature":"Z2VtaW5p${place}"}]},"finishReason":"STOP","index":0}],"modelVersion":"fake"}`,
};

const responses: Vendor = {
  format: "openai-responses",
  path: "/v1/responses",
  answer: (place, name, raw) =>
    `{"id":"resp_${place}","object":"response","status":"completed","model":"fake","output":[{"type":"reasoning","id":"rs_${place}","summary":[],"encrypted_content":"ZW5jcnlwdGVk${place}"},{"type":"function_call","id":"fc_${place}","call_id":"call_${place}","name":"${name}","arguments":${JSON.stringify(raw)},"status":"completed"}]}`,
};

const hops = [chat, anthropic, gemini, responses, anthropic];

const reasoning = "The model's earlier reasoning";

/** What each hop cannot take along, as it is told. */
const lost: ReadonlyArray<ReadonlyArray<string>> = [
  [],
  [`${reasoning} was not sent to anthropic-messages.`],
  [
    `${reasoning} was not sent to gemini-generate-content.`,
    `${reasoning} stays with anthropic-messages and was not sent to gemini-generate-content.`,
  ],
  [
    `${reasoning} was not sent to openai-responses.`,
    `${reasoning} stays with anthropic-messages and was not sent to openai-responses.`,
    `${reasoning} stays with gemini-generate-content and was not sent to openai-responses.`,
  ],
  [
    `${reasoning} was not sent to anthropic-messages.`,
    `${reasoning} stays with gemini-generate-content and was not sent to anthropic-messages.`,
    `${reasoning} stays with openai-responses and was not sent to anthropic-messages.`,
  ],
];

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The arguments of the draft that a hop writes. */
const draftOf = (hop: number): string => `{ "path":"output/main.md", "content":"Draft \\u0023${hop}." }`;

const profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "mine",
  displayName: "Mine",
  run: { presentation: "foreground", stream: false },
  tools: { maxRounds: 20, allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`) },
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("a thread that goes openai-chat, anthropic, gemini, responses and anthropic, as forks of one run", () => {
  it("takes what all formats know along, tells what stays behind, and gives anthropic its own blocks back", async () => {
    const place = await Place.make();
    const server = await VendorServer.make((_, before) => {
      const hop = Math.floor(before / 3);
      const vendor = hops[hop] ?? chat;
      const calls = [
        ["workspace_write_file", draftOf(hop)],
        ["workspace_commit", "{}"],
        ["workspace_finish", "{}"],
      ] as const;
      const [name, raw] = calls[before % 3] ?? calls[2];
      return { body: vendor.answer(before, name, raw) };
    });
    try {
      const environment = { HOME_KEY: "sk-of-the-fake" };
      const ask = async (...args: ReadonlyArray<string>): Promise<Row> =>
        objectOf(await cahier([...args, "--data", place.data, "--json"]));
      for (const { format, path } of new Set(hops)) {
        const added = await ask(
          "connections",
          "add",
          place.write("connection.json", {
            kind: "cahier.llmConnection",
            schemaVersion: 1,
            id: format,
            displayName: format,
            provider: { chatCompletionSource: "custom", customApiFormat: format },
            endpoint: { baseUrl: `${server.url}${path.slice(0, path.indexOf("/", 1))}` },
            auth: { secretRef: { key: "HOME_KEY", id: "default" } },
          }),
        );
        assert.strictEqual(added["revision"], 1, JSON.stringify(added));
      }

      const runs: Array<string> = [];
      const timelines: Array<string> = [];
      for (const { format } of hops) {
        const by = ["--connection", format, "--model", "fake", "--data", place.data];
        const last = runs.at(-1);
        const words =
          last === undefined
            ? ["run", "--chat", place.chat, "--profile", place.write("profile.json", profile)]
            : ["runs", "fork", last, await lastDraft(last)];
        const ended = await cahier([...words, ...by], { environment });
        assert.strictEqual(ended.code, 0, ended.stderr + ended.stdout);
        timelines.push(ended.stdout);
        const { runs: found } = await ask("runs", "list", "--limit", "1");
        runs.push(String(rowsOf(found)[0]?.["runId"]));
      }
      async function lastDraft(runId: string): Promise<string> {
        const { events } = await ask("runs", "events", runId, "--limit", "500");
        return String(rowsOf(events).findLast(({ type }) => type === "workspace_file_written")?.["seq"]);
      }

      assert.deepStrictEqual(
        server.received.map(({ path }) => path),
        hops.flatMap(({ path }) => [path, path, path]),
      );
      const firsts = hops.map((_, hop) => server.received[hop * 3]?.body ?? "");
      for (const [hop, body] of firsts.entries())
        for (let earlier = 0; earlier < hop; earlier += 1) {
          assert.match(body, new RegExp(`Draft (?:#|\\\\+u0023)${earlier}\\.`), `hop ${hop}`);
        }

      const [, , toGemini = "", toResponses = "", back = ""] = firsts;
      for (const mark of ["c2lnbmVk", "b3BhcXVl"]) assert.notInclude(toGemini + toResponses, mark);
      for (const mark of ["Z2VtaW5p", "ZW5jcnlwdGVk"]) assert.notInclude(back, mark);
      const own = [thinking(3), redacted(3), toolUse(3, "workspace_write_file", draftOf(1))];
      const places = own.map((json) => back.indexOf(json));
      assert.isTrue(
        places.every((found) => found >= 0),
        `not byte for byte: ${back}`,
      );
      assert.deepStrictEqual(
        places,
        places.toSorted((one, other) => one - other),
      );

      for (const [hop, losses] of lost.entries()) {
        const { warnings = [] } = await ask("runs", "show", runs[hop] ?? "");
        const told = rowsOf(warnings).filter(
          ({ round, text }) => round === hop + 1 && String(text).startsWith(reasoning),
        );
        assert.deepStrictEqual(
          told.map(({ text }) => String(text)),
          losses,
          hops[hop]?.format,
        );
        const shown = await cahier(["runs", "show", runs[hop] ?? "", "--data", place.data]);
        for (const loss of losses) {
          assert.match(timelines[hop] ?? "", new RegExp(`warning +${escaped(loss)}`));
          assert.match(shown.stdout, new RegExp(`warning +round ${hop + 1}: ${escaped(loss)}`));
        }
      }
    } finally {
      await server.close();
    }
  });
});
