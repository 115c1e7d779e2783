import { assert, describe, it } from "@effect/vitest";
import { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import { RunMirror } from "@cahier/ports/RunMirror";
import { SecretStore } from "@cahier/ports/SecretStore";
import * as Law from "@cahier/testkit/Law";
import * as BlobStoreLaws from "@cahier/testkit/laws/BlobStoreLaws";
import * as DocumentStoreLaws from "@cahier/testkit/laws/DocumentStoreLaws";
import * as RunJournalLaws from "@cahier/testkit/laws/RunJournalLaws";
import * as RunMirrorLaws from "@cahier/testkit/laws/RunMirrorLaws";
import * as SecretStoreLaws from "@cahier/testkit/laws/SecretStoreLaws";
import { verify } from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";
import * as MemoryStorage from "../src/MemoryStorage.ts";
import * as Harnesses from "./Harnesses.ts";

const powerLoss = "what is in memory ends with the process, by design";

verify("MemoryRunJournal", RunJournalLaws.laws, Harnesses.makeJournalHarness, { powerLoss });
verify("MemoryBlobStore", BlobStoreLaws.laws, Harnesses.makeBlobHarness, { powerLoss });
verify("MemoryDocumentStore", DocumentStoreLaws.laws, Harnesses.makeDocumentHarness, { powerLoss });
verify("MemoryRunMirror", RunMirrorLaws.laws, Harnesses.makeMirrorHarness, {
  plantLink: "a memory has no symbolic links",
  plantJournal: "a memory keeps nothing beside the projection",
});
verify("MemorySecretStore", SecretStoreLaws.laws, Harnesses.makeSecretHarness);

describe("MemoryStorage", () => {
  it.effect("gives every storage port in one layer, with the secrets that it is given", () =>
    Effect.gen(function* () {
      const journal = yield* RunJournal;
      const blobs = yield* BlobStore;
      const documents = yield* DocumentStore;
      yield* RunMirror;
      const secrets = yield* SecretStore;
      assert.deepStrictEqual(yield* journal.list(), []);
      assert.deepStrictEqual(yield* blobs.list("run_1"), []);
      assert.strictEqual(yield* documents.put("settings", "host", 0, {}), 1);
      assert.deepStrictEqual(yield* secrets.keys, ["OPENAI_API_KEY"]);
    }).pipe(Effect.provide(MemoryStorage.layer({ OPENAI_API_KEY: "a value" }))),
  );

  it.effect("is checked without a test runner: each law has a verdict, and one that does not apply has a reason", () =>
    Effect.gen(function* () {
      const verdicts = yield* Law.run(BlobStoreLaws.laws, Harnesses.makeBlobHarness, { powerLoss });
      assert.deepStrictEqual(
        verdicts
          .filter((verdict) => verdict.outcome !== "passed")
          .map((verdict) => [verdict.id, verdict.outcome, verdict.detail]),
        [["BLB-10", "notApplicable", `powerLoss: ${powerLoss}`]],
      );
      assert.strictEqual(verdicts.length, BlobStoreLaws.laws.length);
      const silent = yield* Law.run(BlobStoreLaws.laws, Harnesses.makeBlobHarness);
      assert.strictEqual(silent.find((verdict) => verdict.id === "BLB-10")?.outcome, "notApplicable");
    }),
  );
});
