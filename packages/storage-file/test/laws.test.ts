/**
 * The shared laws of the four ports, on a disk that forgets what was not synced and on this machine's disk.
 */
import type { MirroredRun } from "@cahier/ports/RunMirror";
import * as FileBlobStore from "@cahier/storage-file/FileBlobStore";
import * as FileDocumentStore from "@cahier/storage-file/FileDocumentStore";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import * as FileRunMirror from "@cahier/storage-file/FileRunMirror";
import * as BlobStoreLaws from "@cahier/testkit/laws/BlobStoreLaws";
import * as DocumentStoreLaws from "@cahier/testkit/laws/DocumentStoreLaws";
import * as RunJournalLaws from "@cahier/testkit/laws/RunJournalLaws";
import * as RunMirrorLaws from "@cahier/testkit/laws/RunMirrorLaws";
import * as Laws from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";
import * as fs from "node:fs";
import * as nodePath from "node:path";
import * as ForgetfulDisk from "./ForgetfulDisk.ts";
import * as RealDirectory from "./RealDirectory.ts";

/** Files by the end of their path, whichever disk they are on. */
interface Bytes {
  readonly change: (pathEnd: string, change: (bytes: Buffer) => Uint8Array) => Effect.Effect<void>;
}

const forgetful = (disk: ForgetfulDisk.ForgetfulDisk): Bytes => ({
  change: (pathEnd, change) =>
    Effect.sync(() => {
      const path = disk.files().find((candidate) => candidate.endsWith(pathEnd)) ?? "";
      disk.setBytes(path, change(Buffer.from(disk.bytesOf(path))));
    }),
});

const real = (directory: string): Bytes => ({
  change: (pathEnd, change) =>
    Effect.sync(() => {
      const names = fs.readdirSync(directory, { recursive: true, encoding: "utf8" });
      const path = nodePath.join(directory, names.find((candidate) => candidate.endsWith(pathEnd)) ?? "");
      fs.writeFileSync(path, change(fs.readFileSync(path)));
    }),
});

const flip = (bytes: Buffer, at: number): Buffer => {
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
};

const tearAndDamage = (bytes: Bytes): Pick<Required<RunJournalLaws.RunJournalHarness>, "tear" | "damage"> => ({
  tear: (runId, tear) =>
    bytes.change(`/runs/${runId}/events.jsonl`, (stored) =>
      "cutBytes" in tear
        ? stored.subarray(0, stored.length - tear.cutBytes)
        : Buffer.concat([stored, tear.appendBytes]),
    ),
  damage: (runId, seq) =>
    bytes.change(`/runs/${runId}/events.jsonl`, (stored) => flip(stored, stored.indexOf(`{"seq":${seq},`) + 20)),
});

const damageBlob = (bytes: Bytes): Pick<Required<BlobStoreLaws.BlobStoreHarness>, "damage"> => ({
  damage: (scope, sha256) => bytes.change(`/blobs/${scope}/${sha256}`, (stored) => flip(stored, 0)),
});

const damageDocument = (bytes: Bytes): Pick<Required<DocumentStoreLaws.DocumentStoreHarness>, "damage"> => ({
  damage: (collection, id) =>
    bytes.change(`documents/${collection}/${id}.json`, (stored) => stored.subarray(0, stored.length >> 1)),
});

/** A fresh disk that forgets, and what every harness on it has. */
const makeForgetful = Effect.sync(() => {
  const disk = ForgetfulDisk.make();
  const powerLoss = Effect.sync(() => disk.powerLoss());
  return { options: { directory: "/home/data", disk }, bytes: forgetful(disk), powerLoss };
});

const makeReal = Effect.map(RealDirectory.make, (directory) => ({ options: { directory }, bytes: real(directory) }));

const noPowerLoss = { powerLoss: "this machine keeps its power" };

Laws.verify(
  "FileRunJournal on a forgetful disk",
  RunJournalLaws.laws,
  Effect.map(makeForgetful, ({ bytes, options, powerLoss }) => ({
    open: FileRunJournal.make(options),
    powerLoss,
    ...tearAndDamage(bytes),
  })),
);

Laws.verify(
  "FileRunJournal",
  RunJournalLaws.laws,
  Effect.map(makeReal, ({ bytes, options }) => ({ open: FileRunJournal.make(options), ...tearAndDamage(bytes) })),
  noPowerLoss,
);

Laws.verify(
  "FileBlobStore on a forgetful disk",
  BlobStoreLaws.laws,
  Effect.map(makeForgetful, ({ bytes, options, powerLoss }) => ({
    open: Effect.sync(() => FileBlobStore.make(options)),
    powerLoss,
    ...damageBlob(bytes),
  })),
);

Laws.verify(
  "FileBlobStore",
  BlobStoreLaws.laws,
  Effect.map(makeReal, ({ bytes, options }) => ({
    open: Effect.sync(() => FileBlobStore.make(options)),
    ...damageBlob(bytes),
  })),
  noPowerLoss,
);

Laws.verify(
  "FileDocumentStore on a forgetful disk",
  DocumentStoreLaws.laws,
  Effect.map(makeForgetful, ({ bytes, options, powerLoss }) => ({
    open: Effect.sync(() => FileDocumentStore.make(options)),
    powerLoss,
    ...damageDocument(bytes),
  })),
);

Laws.verify(
  "FileDocumentStore",
  DocumentStoreLaws.laws,
  Effect.map(makeReal, ({ bytes, options }) => ({
    open: Effect.sync(() => FileDocumentStore.make(options)),
    ...damageDocument(bytes),
  })),
  noPowerLoss,
);

Laws.verify(
  "FileRunMirror",
  RunMirrorLaws.laws,
  Effect.gen(function* () {
    const { options } = yield* makeReal;
    const outside = yield* RealDirectory.make;
    const folderOf = (run: MirroredRun): string => {
      const folder = nodePath.join(options.directory, "agent-workspaces/chats", run.workspaceId, "runs", run.runId);
      fs.mkdirSync(folder, { recursive: true });
      return folder;
    };
    return {
      open: Effect.sync(() => FileRunMirror.make(options)),
      plantLink: (run: MirroredRun, name: string) =>
        Effect.sync(() => {
          fs.writeFileSync(nodePath.join(outside, "kept"), "outside");
          fs.symlinkSync(outside, nodePath.join(folderOf(run), name));
          return Effect.sync(() =>
            Object.fromEntries(
              fs.readdirSync(outside).map((file) => [file, fs.readFileSync(nodePath.join(outside, file), "utf8")]),
            ),
          );
        }),
      plantJournal: (run: MirroredRun) =>
        Effect.sync(() => {
          const journals = ["events.jsonl", "events.jsonl.cut-1", "owners/1"].map((name) =>
            nodePath.join(folderOf(run), name),
          );
          fs.mkdirSync(nodePath.join(folderOf(run), "owners"));
          for (const path of journals) fs.writeFileSync(path, "journal");
          return Effect.sync(() => journals.every((path) => fs.readFileSync(path, "utf8") === "journal"));
        }),
    };
  }),
);
