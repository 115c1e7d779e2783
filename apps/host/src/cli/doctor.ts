/**
 * `cahier doctor`: whether this storage can be trusted with a story.
 *
 * Tries the storage laws on the user's own disk or server, beside what is kept there, measures how long it takes until
 * something is durable, and reads every run and every state whole. With --repair it mends what can be mended without loss.
 */
import { dirname } from "node:path";
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Host from "../composition/Host.ts";
import * as Storage from "../composition/Storage.ts";
import { checkLaws } from "../doctor/checkLaws.ts";
import { measureAppend, measurements, measureSync } from "../doctor/measure.ts";
import { type Mendable, mendables, tidy } from "../doctor/mend.ts";
import * as ProvingGround from "../doctor/ProvingGround.ts";
import { checkHidden } from "./checkHidden.ts";
import { checkRuns, type Finding } from "./checkRuns.ts";
import * as Output from "./Output.ts";
import { has, type ParsedCommand } from "./parse.ts";
import { printable } from "./printable.ts";
import { stoppable } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";

/** Exit code 0 when nothing is wrong, else 3. */
export const doctor = Effect.fn("cli.doctor")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const storage = yield* storageOf(command);
  return yield* stoppable(command, examine(command, storage)).pipe(
    Effect.provide(Host.layer(Effect.succeed(storage))),
    Effect.scoped,
  );
});

const examine = Effect.fnUntraced(function* (command: ParsedCommand, storage: Storage.Chosen) {
  const { appendMs, laws, syncMs } = yield* Effect.scoped(prove(storage));
  const found = yield* mendables(storage);
  const mended = has(command, "repair") ? [...(yield* mendAll(found)), ...(yield* tidy())] : [];
  const mendable = has(command, "repair") ? [] : found.map(({ what }) => what);
  const findings = [...laws, ...(yield* checkRuns), ...(yield* checkHidden)];
  const failed = findings.filter(({ outcome }) => outcome === "failed").length;
  const name = Storage.nameOf(storage);
  if (has(command, "json")) yield* Output.json({ storage: name, syncMs, appendMs, findings, failed, mendable, mended });
  else
    for (const line of linesOf({ name, syncMs, appendMs, findings, failed, mendable, mended }))
      yield* Output.line(line);
  return failed === 0 ? 0 : 3;
});

/** One that cannot be mended is said and keeps no other from it. */
const mendAll = (found: ReadonlyArray<Mendable>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.forEach(found, ({ mend, what }) =>
    mend.pipe(
      Effect.catch(({ message, reason }) => Effect.succeed(`not mended: ${what}: ${message} [${reason.code}]`)),
    ),
  );

/** What was tried on the storage itself. Null: what cannot be measured here. */
interface Proof {
  readonly laws: ReadonlyArray<Finding>;
  readonly syncMs: number | null;
  readonly appendMs: number | null;
}

const prove = (storage: Storage.Chosen): Effect.Effect<Proof, Fatal, Scope.Scope> =>
  Effect.gen(function* () {
    const ground = yield* ProvingGround.of(storage);
    const laws = yield* checkLaws(ground);
    return {
      laws,
      syncMs: storage.kind === "postgres" ? null : yield* measuredIn(folderOf(storage)),
      appendMs: yield* measureAppend(ground),
    };
  }).pipe(
    // A server may give its user no place for the laws, and its runs can be checked all the same.
    Effect.catch((failure) =>
      storage.kind === "postgres"
        ? Effect.succeed({ laws: [leftOut(failure)], syncMs: null, appendMs: null })
        : Effect.fail(failure),
    ),
  );

const measuredIn = (folder: string): Effect.Effect<number, Fatal, Scope.Scope> =>
  Effect.flatMap(ProvingGround.temporaryFolder(folder), measureSync);

const folderOf = (storage: Exclude<Storage.Chosen, { kind: "postgres" }>): string =>
  storage.kind === "files" ? storage.directory : dirname(storage.filename);

const leftOut = ({ message }: Fatal): Finding => ({ check: "storage laws", outcome: "notApplicable", detail: message });

interface Examined extends Omit<Proof, "laws"> {
  readonly name: string;
  readonly findings: ReadonlyArray<Finding>;
  readonly failed: number;
  readonly mendable: ReadonlyArray<string>;
  readonly mended: ReadonlyArray<string>;
}

const linesOf = ({ appendMs, failed, findings, mendable, mended, name, syncMs }: Examined): ReadonlyArray<string> => {
  const passed = findings.filter(({ outcome }) => outcome === "passed").length;
  const median = `median of ${measurements}`;
  return [
    `storage  ${name}`,
    ...(syncMs === null ? [] : [`a write and its sync take ${syncMs.toFixed(2)} ms here (${median})`]),
    ...(appendMs === null ? [] : [`a durable append takes ${appendMs.toFixed(2)} ms (${median})`]),
    ...findings.flatMap(({ check, detail = "", outcome }) => {
      if (outcome === "failed") return [`FAILED  ${check}: ${printable(detail)}`];
      return check === "storage laws" ? [`left out  ${check}: ${printable(detail)}`] : [];
    }),
    ...mended.map((done) => `mended  ${printable(done)}`),
    ...mendable.map((what) => `to mend  ${printable(what)}`),
    ...(mendable.length === 0 ? [] : ["cahier doctor --repair mends that; nothing is lost by it"]),
    `${passed} checks passed, ${failed} failed, ${findings.length - passed - failed} left out: they need a loss of power or damage`,
  ];
};
