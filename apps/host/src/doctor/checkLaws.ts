/**
 * Whether the storage keeps the laws of the storage ports, tried on the disk or the server that it is on.
 */
import * as Law from "@cahier/testkit/Law";
import * as BlobStoreLaws from "@cahier/testkit/laws/BlobStoreLaws";
import * as DocumentStoreLaws from "@cahier/testkit/laws/DocumentStoreLaws";
import * as RunJournalLaws from "@cahier/testkit/laws/RunJournalLaws";
import * as RunMirrorLaws from "@cahier/testkit/laws/RunMirrorLaws";
import * as Effect from "effect/Effect";
import type { Finding } from "../cli/checkRuns.ts";
import type { ProvingGround } from "./ProvingGround.ts";

/** What a storage in use cannot be made to do, and why a law that needs it is left out. */
const notInUse = "this cannot be done to a storage in use";

/** One finding a law. */
export const checkLaws = Effect.fnUntraced(function* ({
  blobs,
  documents,
  journal,
  mirror,
}: ProvingGround): Effect.fn.Return<ReadonlyArray<Finding>> {
  const verdicts = [
    ...(yield* Law.run(RunJournalLaws.laws, journal, { powerLoss: notInUse, tear: notInUse, damage: notInUse })),
    ...(yield* Law.run(BlobStoreLaws.laws, blobs, { powerLoss: notInUse, damage: notInUse })),
    ...(yield* Law.run(DocumentStoreLaws.laws, documents, { powerLoss: notInUse, damage: notInUse })),
    ...(mirror === undefined
      ? []
      : yield* Law.run(RunMirrorLaws.laws, mirror, { plantLink: notInUse, plantJournal: notInUse })),
  ];
  return verdicts.map(({ detail, id, outcome, title }) => ({
    check: `${id} ${title}`,
    outcome,
    ...(detail === undefined ? {} : { detail }),
  }));
});
