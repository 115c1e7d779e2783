/**
 * Each law of the storage ports is killed by its mutants, on harnesses that have every ability.
 *
 * A memory stands in for what it does not have. Nothing is lost where nothing was left unsynced, so a loss of power
 * changes nothing; nothing stands beside the projection, so it stays untouched; and a link is a name that is refused.
 */
import * as BlobStoreLaws from "@cahier/testkit/laws/BlobStoreLaws";
import * as DocumentStoreLaws from "@cahier/testkit/laws/DocumentStoreLaws";
import * as RunJournalLaws from "@cahier/testkit/laws/RunJournalLaws";
import * as RunMirrorLaws from "@cahier/testkit/laws/RunMirrorLaws";
import * as SecretStoreLaws from "@cahier/testkit/laws/SecretStoreLaws";
import * as BlobStoreMutants from "@cahier/testkit/mutants/BlobStoreMutants";
import * as DocumentStoreMutants from "@cahier/testkit/mutants/DocumentStoreMutants";
import * as RunJournalMutants from "@cahier/testkit/mutants/RunJournalMutants";
import * as RunMirrorMutants from "@cahier/testkit/mutants/RunMirrorMutants";
import * as SecretStoreMutants from "@cahier/testkit/mutants/SecretStoreMutants";
import { verifyMutants } from "@cahier/testkit/vitest";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Harnesses from "./Harnesses.ts";

const withPower = <Harness extends object>(harness: Harness) => ({ ...harness, powerLoss: Effect.void });

const withOutside = (harness: RunMirrorLaws.RunMirrorHarness): RunMirrorLaws.RunMirrorHarness => {
  const links = new Set<string>();
  const refuse = (path: string) =>
    links.has(path.split("/")[0] ?? "")
      ? Effect.fail(
          new Unavailable({ operation: "mirror", kind: "symlink", detail: `${path} passes a symbolic link.` }),
        )
      : Effect.void;
  return {
    open: Effect.map(harness.open, (mirror) => ({
      ...mirror,
      write: (run, path, bytes) => Effect.andThen(refuse(path), mirror.write(run, path, bytes)),
      read: (run, path) => Effect.andThen(refuse(path), mirror.read(run, path)),
      remove: (run, path) => Effect.andThen(refuse(path), mirror.remove(run, path)),
    })),
    plantLink: (_, name) => Effect.sync(() => Effect.as(Effect.succeed(links.add(name)), { kept: "outside" })),
    plantJournal: () => Effect.succeed(Effect.succeed(true)),
  };
};

verifyMutants(
  "RunJournal",
  RunJournalLaws.laws,
  RunJournalMutants.mutants,
  Effect.map(Harnesses.makeJournalHarness, withPower),
);
verifyMutants(
  "BlobStore",
  BlobStoreLaws.laws,
  BlobStoreMutants.mutants,
  Effect.map(Harnesses.makeBlobHarness, withPower),
);
verifyMutants(
  "DocumentStore",
  DocumentStoreLaws.laws,
  DocumentStoreMutants.mutants,
  Effect.map(Harnesses.makeDocumentHarness, withPower),
);
verifyMutants(
  "RunMirror",
  RunMirrorLaws.laws,
  RunMirrorMutants.mutants,
  Effect.map(Harnesses.makeMirrorHarness, withOutside),
);
verifyMutants("SecretStore", SecretStoreLaws.laws, SecretStoreMutants.mutants, Harnesses.makeSecretHarness);
