/**
 * `cahier storage copy`: everything of one storage in another, and both compared.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Copied, copyStorage, type CopyReport } from "@cahier/application/copy/copyStorage";
import type { StorageSet } from "@cahier/application/copy/StorageSet";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import { RunMirror } from "@cahier/ports/RunMirror";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import type * as Scope from "effect/Scope";
import * as Storage from "../composition/Storage.ts";
import * as NodeHostProcess from "../process/NodeHostProcess.ts";
import * as Output from "./Output.ts";
import { has, invalid, type ParsedCommand } from "./parse.ts";
import { printable } from "./printable.ts";
import { stoppable } from "./stoppable.ts";

/** Copies, and says how much, under which digest, and what was left out: exit code 2 then. A copy that was stopped can be made again. */
export const copy = Effect.fn("cli.copy")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [stated = "", target = ""] = command.positionals;
  const from = yield* Storage.parse(stated, "FROM");
  const to = yield* Storage.parse(target, "TO");
  if (Storage.isSame(from, to)) return yield* invalid("FROM and TO are one storage.");
  yield* requirePresent(from);
  const work = Effect.gen(function* () {
    const report = yield* copyStorage(yield* open(from), yield* open(to), {
      leaveOutDamaged: has(command, "leave-out-damaged"),
    });
    if (has(command, "json")) yield* Output.json({ from: Storage.nameOf(from), to: Storage.nameOf(to), ...report });
    else for (const line of linesOf(report, Storage.nameOf(to))) yield* Output.line(line);
    return report.leftOut.length === 0 ? 0 : 2;
  });
  return yield* stoppable(command, work).pipe(Effect.provide(NodeHostProcess.layer), Effect.scoped);
});

/** A storage is made where there is none, and a copy of nothing would look well done. */
const requirePresent = (from: Storage.Chosen): Effect.Effect<void, Fatal> => {
  if (from.kind === "postgres") return Effect.void;
  const path = from.kind === "files" ? from.directory : from.filename;
  const isThere = from.kind === "files" ? roots.some((root) => existsSync(join(path, root))) : existsSync(path);
  return isThere
    ? Effect.void
    : Effect.fail(fatal("usage.invalid", `There is no storage at ${path}. Check what FROM says.`));
};

/** A data folder has one of these as soon as anything is stored in it. */
const roots = ["agent-workspaces", "documents", "blobs"];

const open = (chosen: Storage.Chosen): Effect.Effect<StorageSet, Fatal, Scope.Scope> =>
  Effect.map(Layer.build(Storage.layer(Effect.succeed(chosen))), (context) => {
    const mirror = Context.getOption(context as Context.Context<never>, RunMirror);
    return {
      journal: Context.get(context, RunJournal),
      blobs: Context.get(context, BlobStore),
      documents: Context.get(context, DocumentStore),
      ...(Option.isSome(mirror) ? { mirror: mirror.value } : {}),
    };
  });

const linesOf = ({ blobs, documents, hash, leftOut, runs, untreed }: CopyReport, to: string): ReadonlyArray<string> => [
  `runs       ${countOf(runs)}`,
  `blobs      ${countOf(blobs)}`,
  `documents  ${countOf(documents)}`,
  ...leftOut.map(
    ({ code, id, kind, message }) => `left out   ${kind} ${printable(id)}: ${printable(message)} [${code}]`,
  ),
  ...untreed.map((runId) => `no tree    ${runId}: its readable tree could not be made; its journal is whole`),
  `equal      ${hash}`,
  `${leftOut.length === 0 ? "Both storages hold the same." : `Both storages hold the same but for what was left out (${leftOut.length}): keep the first.`} Go on with the copy by: --storage ${to.startsWith("postgres:") ? '"$CAHIER_STORAGE"' : to}`,
];

const countOf = ({ copied, present }: Copied): string =>
  present === 0 ? `${copied} copied` : `${copied} copied, ${present} were there`;
