import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Clients from "./support/Clients.ts";
import * as Sample from "./support/Sample.ts";

const { lastRun } = Sample;
const files = `cahier://runs/${lastRun}/files`;

/** URIs that name nothing, however they are spelled. */
const nothing = [
  `cahier://runs/run_${"0".repeat(32)}`,
  `${files}/output/other.md`,
  `${files}/`,
  `${files}/../files/output/main.md`,
  `${files}/output/../output/main.md`,
  `${files}/output/%2e%2e/output/main.md`,
  `${files}/output%2Fmain.md`,
  `${files}/output%5Cmain.md`,
  `${files}/output//main.md`,
  `${files}/output/./main.md`,
  `${files}//etc/passwd`,
  `${files}/%00`,
  `${files}/output/main.md%`,
  `${files}/output/main.md?raw`,
  `${files}/output/main.md#top`,
  "cahier://runs/..",
  `cahier://runs/${lastRun}/secrets`,
  `CAHIER://runs/${lastRun}`,
  "file:///etc/passwd",
  "",
];

const connected = (era: Clients.Era, offer = Sample.offer) =>
  Effect.flatMap(Clients.serve(offer), (server) => Clients.http(server, era));

describe.each(Clients.eras)("the resources, in the era of %s,", (era) => {
  it.effect("are the runs, newest first, page by page", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 120 }, (_, index) => ({
        ...(Sample.entries[0] as (typeof Sample.entries)[0]),
        runId: `run_${String(index).padStart(32, "0")}`,
      }));
      const list: typeof Sample.offer.runs.list = ({ before, limit }) =>
        Effect.sync(() => {
          const from = before === undefined ? 0 : many.findIndex(({ runId }) => runId === before.runId) + 1;
          return many.slice(from, from + limit);
        });
      const client = yield* connected(era, { ...Sample.offer, runs: { ...Sample.offer.runs, list } });
      const { resources } = yield* Effect.promise(() => client.listResources());
      assert.deepStrictEqual(
        resources.map(({ uri }) => uri),
        many.map(({ runId }) => `cahier://runs/${runId}`),
      );
      const refused = yield* Effect.flip(Effect.tryPromise(() => client.listResources({ cursor: "bm8" })));
      assert.include(String(refused.cause), "This cursor is not one that this server gave.");
    }),
  );

  it.effect("are read as JSON of a run, as texts and as bytes", () =>
    Effect.gen(function* () {
      const client = yield* connected(era);
      const read = (uri: string) =>
        Effect.map(
          Effect.promise(() => client.readResource({ uri })),
          ({ contents }) => contents,
        );
      const [run] = yield* read(`cahier://runs/${lastRun}`);
      assert.include(JSON.stringify(run), "cp_000001");
      assert.deepStrictEqual(yield* read(`${files}/output/main.md`), [
        { uri: `${files}/output/main.md`, mimeType: "text/markdown", text: Sample.story },
      ]);
      assert.deepStrictEqual(yield* read(`${files}/output/map.png`), [
        {
          uri: `${files}/output/map.png`,
          mimeType: "image/png",
          blob: Buffer.from(Sample.image).toString("base64"),
        },
      ]);
      const [plan] = yield* read(`${files}/notes/a%20plan%20%231.md`);
      assert.include(JSON.stringify(plan), "Keep it short.");
    }),
  );

  it.effect("that a tool names can be read by that name", () =>
    Effect.gen(function* () {
      const client = yield* connected(era);
      const given = { runId: lastRun, path: "notes/a plan #1.md" };
      const { structured } = yield* Clients.called(client, "read_run_file", given);
      const uri = String(structured?.["uri"]);
      assert.strictEqual(uri, `${files}/notes/a%20plan%20%231.md`);
      const { contents } = yield* Effect.promise(() => client.readResource({ uri }));
      assert.include(JSON.stringify(contents), "Keep it short.");
    }),
  );

  it.effect("have one spelling: every other names nothing, and nothing leads out of a run", () =>
    Effect.gen(function* () {
      const client = yield* connected(era);
      for (const uri of nothing) {
        const failed = yield* Effect.flip(Effect.tryPromise(() => client.readResource({ uri })));
        const { code, data } = failed.cause as { readonly code: number; readonly data: unknown };
        assert.strictEqual(code, -32_602, uri);
        assert.deepStrictEqual(data, { uri });
      }
    }),
  );

  it.effect("that are too large are refused, and not shown in part", () =>
    Effect.gen(function* () {
      const client = yield* connected(era);
      const uri = `${files}/output/large.md`;
      const failed = yield* Effect.flip(Effect.tryPromise(() => client.readResource({ uri })));
      assert.include(String(failed.cause), "files of at most 4194304 bytes are given");
    }),
  );

  it.effect("have templates whose arguments are completed from runs and files", () =>
    Effect.gen(function* () {
      const client = yield* connected(era);
      const { resourceTemplates } = yield* Effect.promise(() => client.listResourceTemplates());
      const [ofRun = "", ofFile = ""] = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
      assert.deepStrictEqual([ofRun, ofFile], ["cahier://runs/{runId}", "cahier://runs/{runId}/files/{+path}"]);
      const completed = (uri: string, name: string, value: string, known: Readonly<Record<string, string>> = {}) =>
        Effect.map(
          Effect.promise(() =>
            client.complete({
              ref: { type: "ref/resource", uri },
              argument: { name, value },
              context: { arguments: { ...known } },
            }),
          ),
          ({ completion }) => completion.values,
        );
      assert.deepStrictEqual(yield* completed(ofRun, "runId", "run_2"), [lastRun]);
      assert.deepStrictEqual(yield* completed(ofFile, "path", "output/ma", { runId: lastRun }), [
        "output/main.md",
        "output/map.png",
      ]);
      assert.deepStrictEqual(yield* completed(ofFile, "path", "output/", { runId: "../.." }), []);
      assert.deepStrictEqual(yield* completed(ofFile, "path", "output/", { runId: `run_${"0".repeat(32)}` }), []);
      assert.deepStrictEqual(yield* completed("cahier://other/{name}", "name", ""), []);
    }),
  );
});
