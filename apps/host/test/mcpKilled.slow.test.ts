/**
 * A run whose MCP server is killed in the middle of a call, over HTTP: what it is told, and how often the tool is called.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { ensureBundle, objectOf, start } from "./support/Cahier.ts";
import * as McpPlace from "./support/McpPlace.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;

/** Starts a run that calls `wait`, which does not answer; resolves when it is called. */
const calling = async (protocolVersion: string, annotations: object) => {
  const place = await McpPlace.make();
  place.offers(McpPlace.tool("wait", "Takes its time.", { annotations }));
  const server = await place.serve(0, true);
  const url = `http://127.0.0.1:${server.port}/mcp`;
  const id = await McpPlace.activate(place, {
    endpoint: { transport: "http", url, network: "private" },
    protocolVersion,
  });
  await place.ask("mcp", "permit", id, "wait", "allow");
  const turns = [Place.call("mcp__The_lighthouse__wait", { text: "hello" }), Place.draft("A draft.")];
  const profile = place.write("profile.json", McpPlace.profileWith(`mcp/${id}:wait`));
  const script = place.write("script.json", Place.script(...turns, Place.commit(), Place.finish()));
  const words = ["run", "--chat", place.chat, "--data", place.data, "--profile", profile, "--script", script];
  const running = start([...words, "--json"]);
  await place.reports(/^call wait/);
  return { place, running, server };
};

const callsOf = (place: McpPlace.McpPlace): ReadonlyArray<string> =>
  place.reported().filter((line) => line.startsWith("call "));

/** Status of the run, what was published, and the error code and text of the call's result. */
const endOf = async ({ place, running }: Awaited<ReturnType<typeof calling>>) => {
  const ended = await running.ended;
  const { runId, status } = objectOf(ended);
  const { events } = await place.ask("runs", "events", String(runId), "--limit", "500");
  const payloads = (type: string) =>
    (events as ReadonlyArray<Answer>).filter((event) => event["type"] === type).map(({ payload }) => payload as Answer);
  return {
    status,
    message: place.messages().at(-1)?.mes,
    codes: payloads("tool_call_failed").map(({ errorCode }) => errorCode),
    result: JSON.stringify(payloads("tool_result_stored")[0]),
  };
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

for (const era of ["auto", "2025-11-25"])
  describe.concurrent(`an MCP server (${era}) that is killed in the middle of a call`, () => {
    it("leaves the run not knowing what became of the call, which is not made again though another server listens", async () => {
      const begun = await calling(era, {});
      const { place, running, server } = begun;
      const other = await place.serve(server.port, false);
      server.running.child.kill("SIGKILL");
      const { codes, message, result, status } = await endOf(begun);
      other.running.child.kill("SIGKILL");
      assert.deepStrictEqual([status, message], ["completed", "A draft."], running.stderr());
      assert.deepStrictEqual(codes, ["tool.outcome_unknown"]);
      assert.include(result, "it is not known whether the call took effect");
      assert.deepStrictEqual(callsOf(place), ['call wait {"text":"hello"}']);
    });

    it("is called once more where it says that this does no harm and is there again at its port", async () => {
      const begun = await calling(era, { idempotentHint: true });
      const { place, server } = begun;
      const other = await place.serve(server.port, false);
      server.running.child.kill("SIGKILL");
      const { codes, message, result, status } = await endOf(begun);
      other.running.child.kill("SIGKILL");
      assert.deepStrictEqual([status, message, codes], ["completed", "A draft.", []]);
      assert.include(result, "wait: {");
      assert.deepStrictEqual(callsOf(place), ['call wait {"text":"hello"}', 'call wait {"text":"hello"}']);
    });

    it("leaves the run not knowing where it does no harm and nobody is there", async () => {
      const begun = await calling(era, { idempotentHint: true });
      const { place, server } = begun;
      server.running.child.kill("SIGKILL");
      const { codes, message, status } = await endOf(begun);
      assert.deepStrictEqual([status, message, codes], ["completed", "A draft.", ["tool.outcome_unknown"]]);
      assert.deepStrictEqual(callsOf(place), ['call wait {"text":"hello"}']);
    });
  });
