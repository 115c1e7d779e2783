/**
 * How long it takes here until something is durable.
 */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { classifyStorage } from "@cahier/application/failure/classifyStorage";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { EventId, rootInvocation, RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { ProvingGround } from "./ProvingGround.ts";

/** How often each is measured; the median counts. */
export const measurements = 20;

/** Milliseconds of one write of a line and its data sync, to a file of `folder`. */
export const measureSync = (folder: string): Effect.Effect<number, Fatal> =>
  Effect.acquireUseRelease(
    attempt(() => open(join(folder, "sync"), "a")),
    (file) =>
      median(
        attempt(async () => {
          await file.write("a line of a journal\n");
          await file.datasync();
        }),
      ),
    (file) => Effect.promise(() => file.close()),
  );

/** Milliseconds of one append of one event to a run of its own, durable when it returns. */
export const measureAppend = Effect.fnUntraced(function* (
  ground: ProvingGround,
): Effect.fn.Return<number, Fatal, Scope.Scope> {
  const journal = yield* Effect.flatMap(ground.journal, ({ open: opened }) => opened).pipe(Effect.mapError(notOpened));
  const runId = RunId.make("run_doctor");
  const createdAt = new Date().toISOString();
  yield* journal
    .create({ runId, workspaceId: WorkspaceId.make("chat_0000000000000000"), createdAt })
    .pipe(Effect.mapError(classifyStorage));
  let seq = 0;
  return yield* median(
    Effect.suspend(() => {
      const event: NewEvent = {
        id: EventId.make(`evt_doctor_${seq}`),
        timestamp: createdAt,
        level: "debug",
        type: "doctor_measured",
        v: 1,
        eventScope: { invocationId: rootInvocation },
        payload: { text: "a line of a journal" },
      };
      return journal.append(runId, { epoch: 1, expectedSeq: seq }, [event]).pipe(
        Effect.tap((last) => Effect.sync(() => void (seq = last))),
        Effect.mapError(classifyStorage),
      );
    }),
  );
});

const notOpened = (cause: unknown): Fatal =>
  fatal("storage.failed", "A storage beside this one cannot be opened. Check that its user may make one.", { cause });

const median = <E>(work: Effect.Effect<unknown, E>): Effect.Effect<number, E> =>
  Effect.replicateEffect(
    Effect.suspend(() => {
      const before = performance.now();
      return Effect.map(work, () => performance.now() - before);
    }),
    measurements,
  ).pipe(Effect.map((times) => times.toSorted((one, other) => one - other)[measurements / 2] ?? 0));

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, Fatal> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      fatal("storage.failed", "A file in the data folder cannot be written and synced. Choose another with --data.", {
        cause,
      }),
  });
