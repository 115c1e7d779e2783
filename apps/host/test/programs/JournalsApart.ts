/**
 * The product's journal with a view of its own for every run, which ends when the run is let go: so that a measurement
 * leaves out what storage keeps of runs that nobody carries on.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Layer from "effect/Layer";
import * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";

type Journal = RunJournal["Service"];

/** RunJournal over a data folder. */
export const layer = (directory: string) =>
  Layer.sync(RunJournal, () => {
    const held = new Map<RunId, { readonly view: Journal; readonly scope: Scope.Closeable }>();
    const open = FileRunJournal.make({ directory });

    /** The view of a run that is carried on, else one for this use alone. */
    const within = <A, E>(runId: RunId, use: (view: Journal) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        const known = held.get(runId);
        return known === undefined ? Effect.scoped(Effect.flatMap(open, use)) : use(known.view);
      });

    const hold = Effect.fnUntraced(function* (runId: RunId) {
      const known = held.get(runId);
      if (known !== undefined) return known.view;
      const scope = yield* Scope.make();
      const view = yield* Scope.provide(open, scope);
      held.set(runId, { view, scope });
      return view;
    });

    return RunJournal.of({
      create: (record, history) => Effect.flatMap(hold(record.runId), (view) => view.create(record, history)),
      claim: (runId, epoch, event) => Effect.flatMap(hold(runId), (view) => view.claim(runId, epoch, event)),
      release: Effect.fnUntraced(function* (runId: RunId) {
        const known = held.get(runId);
        held.delete(runId);
        if (known !== undefined) yield* Scope.close(known.scope, Exit.void);
      }),
      append: (runId, position, events) => within(runId, (view) => view.append(runId, position, events)),
      read: (runId, options) => within(runId, (view) => view.read(runId, options)),
      tail: (runId, afterSeq) =>
        Stream.unwrap(
          Effect.map(open, (view) => held.get(runId)?.view.tail(runId, afterSeq) ?? view.tail(runId, afterSeq)),
        ),
      list: (options) => Effect.scoped(Effect.flatMap(open, (view) => view.list(options))),
      remove: (runId) => within(runId, (view) => view.remove(runId)),
    });
  });
