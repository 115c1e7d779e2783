/**
 * RunMirror in memory: what people would see of a run, as a map from path to bytes.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import { type MirroredRun, RunMirror } from "@cahier/ports/RunMirror";
import { NotFound, Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";

/** The trees that views share, by run and path. */
export interface Storage {
  readonly trees: Map<RunId, Map<string, Uint8Array>>;
}

/** An empty storage object. */
export const makeStorage = (): Storage => ({ trees: new Map() });

/** A view of `storage`; bytes are copied on their way in and out. */
export const make = (storage: Storage = makeStorage()): RunMirror["Service"] => ({
  write: Effect.fnUntraced(function* (run, path, bytes) {
    yield* requirePath("write", path);
    const tree = storage.trees.get(run.runId) ?? new Map<string, Uint8Array>();
    yield* requireNoOverlap(tree, path);
    tree.set(path, bytes.slice());
    storage.trees.set(run.runId, tree);
  }),

  read: Effect.fnUntraced(function* (run, path) {
    yield* requirePath("read", path);
    const bytes = treeOf(storage, run).get(path);
    if (bytes === undefined) return yield* new NotFound({ entity: "file", id: `${run.runId}/${path}` });
    return bytes.slice();
  }),

  remove: (run, path) =>
    Effect.map(requirePath("remove", path), () => {
      storage.trees.get(run.runId)?.delete(path);
    }),

  list: (run) => Effect.sync(() => Array.from(treeOf(storage, run).keys()).toSorted()),

  clear: (run) => Effect.sync(() => void storage.trees.delete(run.runId)),
});

export const layer: Layer.Layer<RunMirror> = Layer.sync(RunMirror, () => make());

const treeOf = (storage: Storage, run: MirroredRun): ReadonlyMap<string, Uint8Array> =>
  storage.trees.get(run.runId) ?? new Map();

const requirePath = (operation: string, path: string): Effect.Effect<void, Unavailable> =>
  path.split("/").every(isSegment)
    ? Effect.void
    : Effect.fail(
        refuse(operation, `${JSON.stringify(path)} is no path within a run: give a relative one without "..".`),
      );

const isSegment = (segment: string): boolean =>
  segment !== "" && segment !== "." && segment !== ".." && !segment.includes("\\") && !segment.includes("\u0000");

/** A path is a file or a folder, never both. */
const requireNoOverlap = (tree: ReadonlyMap<string, Uint8Array>, path: string): Effect.Effect<void, Unavailable> => {
  const other = Array.from(tree.keys()).find((file) => file.startsWith(`${path}/`) || path.startsWith(`${file}/`));
  return other === undefined
    ? Effect.void
    : Effect.fail(refuse("write", `${JSON.stringify(path)} cannot stand beside ${JSON.stringify(other)}.`));
};

const refuse = (operation: string, detail: string): Unavailable =>
  new Unavailable({ operation, kind: "invalid", detail });
