/**
 * `cahier doctor`: whether this storage can be trusted with a story.
 *
 * On a data folder it runs the storage laws on the user's real disk in a folder of their own, measures a durable write,
 * and reads every run whole. Of a database it reads the runs.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as FileBlobStore from "@cahier/storage-file/FileBlobStore";
import * as FileDocumentStore from "@cahier/storage-file/FileDocumentStore";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import * as FileRunMirror from "@cahier/storage-file/FileRunMirror";
import * as Law from "@cahier/testkit/Law";
import * as BlobStoreLaws from "@cahier/testkit/laws/BlobStoreLaws";
import * as DocumentStoreLaws from "@cahier/testkit/laws/DocumentStoreLaws";
import * as RunJournalLaws from "@cahier/testkit/laws/RunJournalLaws";
import * as RunMirrorLaws from "@cahier/testkit/laws/RunMirrorLaws";
import * as Effect from "effect/Effect";
import * as Host from "../composition/Host.ts";
import * as Storage from "../composition/Storage.ts";
import { checkRuns, type Finding } from "./checkRuns.ts";
import * as Output from "./Output.ts";
import { has, type ParsedCommand } from "./parse.ts";
import { printable } from "./printable.ts";
import { stoppable } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";

/** What a disk cannot be made to do here, and why a law that needs it is left out. */
const notOnARealDisk = "this cannot be done to a disk in use";

/** Exit code 0 when nothing is wrong, else 3. */
export const doctor = Effect.fn("cli.doctor")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const storage = yield* storageOf(command);
  const work = storage.kind === "files" ? examine(command, storage.directory) : examineDatabase(command, storage);
  return yield* stoppable(command, work).pipe(Effect.provide(Host.layer(Effect.succeed(storage))), Effect.scoped);
});

/** The laws write and damage nothing that is in use, and a database has no place beside for them: only its runs are read. */
const examineDatabase = Effect.fnUntraced(function* (command: ParsedCommand, chosen: Storage.Chosen) {
  const findings = yield* checkRuns;
  const storage = Storage.nameOf(chosen);
  const failed = findings.filter(({ outcome }) => outcome === "failed");
  if (has(command, "json")) {
    yield* Output.json({ storage, syncMs: null, findings, failed: failed.length });
  } else {
    yield* Output.line(`storage  ${storage}`);
    yield* Output.line("only the runs were checked: the storage laws and the sync time need a data folder");
    for (const { check, detail } of failed) yield* Output.line(`FAILED  ${check}: ${printable(detail ?? "")}`);
    yield* Output.line(`${findings.length - failed.length} checks passed, ${failed.length} failed`);
  }
  return failed.length === 0 ? 0 : 3;
});

const examine = Effect.fnUntraced(function* (command: ParsedCommand, directory: string) {
  const laws = yield* Effect.acquireUseRelease(makeFolder(directory), checkLaws, (folder) =>
    Effect.promise(() => rm(folder, { recursive: true, force: true })),
  );
  const sync = yield* Effect.acquireUseRelease(makeFolder(directory), measureSync, (folder) =>
    Effect.promise(() => rm(folder, { recursive: true, force: true })),
  );
  const runs = yield* checkRuns;
  const findings = [...laws, ...runs];
  const failed = findings.filter(({ outcome }) => outcome === "failed");
  if (has(command, "json")) {
    yield* Output.json({ directory, syncMs: sync, findings, failed: failed.length });
  } else {
    yield* Output.line(`data folder  ${directory}`);
    yield* Output.line(`a durable write takes ${sync.toFixed(2)} ms here (median of ${syncs})`);
    for (const { check, detail } of failed) yield* Output.line(`FAILED  ${check}: ${printable(detail ?? "")}`);
    const passed = findings.filter(({ outcome }) => outcome === "passed").length;
    yield* Output.line(
      `${passed} checks passed, ${failed.length} failed, ${findings.length - passed - failed.length} left out: they need a loss of power or damage`,
    );
  }
  return failed.length === 0 ? 0 : 3;
});

const makeFolder = (directory: string): Effect.Effect<string, Fatal> =>
  Effect.tryPromise({
    try: async () => {
      await makeFolders(directory);
      return await mkdtemp(join(directory, ".doctor-"));
    },
    catch: (cause) =>
      fatal("storage.read_only", `The data folder ${directory} cannot be written. Choose another with --data.`, {
        cause,
      }),
  });

const checkLaws = Effect.fnUntraced(function* (folder: string): Effect.fn.Return<ReadonlyArray<Finding>> {
  const counter = { next: 0 };
  const fresh = Effect.sync(() => ({ directory: join(folder, String((counter.next += 1))) }));
  const verdicts = [
    ...(yield* Law.run(
      RunJournalLaws.laws,
      Effect.map(fresh, (options) => ({ open: FileRunJournal.make(options) })),
      { powerLoss: notOnARealDisk, tear: notOnARealDisk, damage: notOnARealDisk },
    )),
    ...(yield* Law.run(
      BlobStoreLaws.laws,
      Effect.map(fresh, (options) => ({ open: Effect.sync(() => FileBlobStore.make(options)) })),
      { powerLoss: notOnARealDisk, damage: notOnARealDisk },
    )),
    ...(yield* Law.run(
      DocumentStoreLaws.laws,
      Effect.map(fresh, (options) => ({ open: Effect.sync(() => FileDocumentStore.make(options)) })),
      { powerLoss: notOnARealDisk, damage: notOnARealDisk },
    )),
    ...(yield* Law.run(
      RunMirrorLaws.laws,
      Effect.map(fresh, (options) => ({ open: Effect.sync(() => FileRunMirror.make(options)) })),
      { plantLink: notOnARealDisk, plantJournal: notOnARealDisk },
    )),
  ];
  return verdicts.map(({ id, title, outcome, detail }) => ({
    check: `${id} ${title}`,
    outcome,
    ...(detail === undefined ? {} : { detail }),
  }));
});

const syncs = 20;

const measureSync = (folder: string): Effect.Effect<number, Fatal> =>
  Effect.acquireUseRelease(
    attempt(() => open(join(folder, "sync"), "a")),
    (file) =>
      Effect.replicateEffect(
        attempt(async () => {
          const before = performance.now();
          await file.write("a line of a journal\n");
          await file.datasync();
          return performance.now() - before;
        }),
        syncs,
      ),
    (file) => Effect.promise(() => file.close()),
  ).pipe(Effect.map((times) => times.toSorted((one, other) => one - other)[syncs / 2] ?? 0));

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, Fatal> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      fatal("storage.failed", "A file in the data folder cannot be written and synced. Choose another with --data.", {
        cause,
      }),
  });

/** Makes a folder and those above it, one by one: where none can be made, Node's own way never comes back. */
const makeFolders = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const above = dirname(folder);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || above === folder || existsSync(above)) throw error;
    await makeFolders(above);
    await mkdir(folder);
  }
};
