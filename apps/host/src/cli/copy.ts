/**
 * `cahier storage copy`: everything of one storage in another, and both compared; or giving up such a copy.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { abandonCopy } from "@cahier/application/copy/CopyMark";
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
import { has, invalid, type ParsedCommand, valueOf } from "./parse.ts";
import { printable } from "./printable.ts";
import { stoppable } from "./stoppable.ts";

/** Copies, and says how much, under which digest, and what was left out: exit code 2 then. A copy that was stopped can be made again. */
export const copy = Effect.fn("cli.copy")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const abandoned = valueOf(command, "abandon");
  if (abandoned !== undefined) return yield* abandon(command, abandoned);
  if (has(command, "even-elsewhere")) return yield* invalid("--even-elsewhere goes with --abandon TO only.");
  const [stated, target] = command.positionals;
  if (stated === undefined || target === undefined)
    return yield* invalid('"storage copy" needs FROM and TO, or --abandon TO.');
  const from = yield* Storage.parse(stated, "FROM");
  const to = yield* Storage.parse(target, "TO");
  if (Storage.isSame(from, to)) return yield* invalid("FROM and TO are one storage.");
  yield* requirePresent(from, "FROM");
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

/** Removes the mark of a copy that was broken off, so that the storage is looked after again. Says whether there was one. */
const abandon = Effect.fnUntraced(function* (command: ParsedCommand, stated: string): Effect.fn.Return<number, Fatal> {
  if (command.positionals.length > 0 || has(command, "leave-out-damaged"))
    return yield* invalid("--abandon TO copies nothing: give it no other storage and no --leave-out-damaged.");
  const to = yield* Storage.parse(stated, "--abandon");
  yield* requirePresent(to, "--abandon");
  const work = Effect.gen(function* () {
    const abandonedCopy = yield* abandonCopy(yield* open(to), { evenElsewhere: has(command, "even-elsewhere") });
    const storage = Storage.nameOf(to);
    if (has(command, "json")) yield* Output.json({ to: storage, abandoned: abandonedCopy });
    else
      yield* Output.line(
        abandonedCopy
          ? `The copy into ${storage} is given up. What it brought stays; retention collects what no run of it names.`
          : `No copy into ${storage} was broken off; nothing is changed.`,
      );
    return 0;
  });
  return yield* stoppable(command, work).pipe(Effect.provide(NodeHostProcess.layer), Effect.scoped);
});

/** A storage is made where there is none, and a copy of nothing would look well done. `setting` is what named it. */
const requirePresent = (from: Storage.Chosen, setting: string): Effect.Effect<void, Fatal> => {
  if (from.kind === "postgres") return Effect.void;
  const path = from.kind === "files" ? from.directory : from.filename;
  const isThere = from.kind === "files" ? roots.some((root) => existsSync(join(path, root))) : existsSync(path);
  return isThere
    ? Effect.void
    : Effect.fail(fatal("usage.invalid", `There is no storage at ${path}. Check what ${setting} says.`));
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
