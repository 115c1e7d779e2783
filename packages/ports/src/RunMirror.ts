/**
 * Shows a run's tree to people. A projection: it may be deleted at any time and is rebuilt from the journal.
 */
import type { RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type { NotFound, Unavailable } from "./StorageFault.ts";

export interface MirroredRun {
  readonly runId: RunId;
  readonly workspaceId: WorkspaceId;
}

/**
 * Paths are relative, `/`-separated and already checked by the caller; an adapter still refuses one that would leave
 * the run's folder or pass a symbolic link (`Unavailable` with kind `symlink` or `invalid`).
 * Laws: `MIR-*` in `@cahier/testkit/laws/RunMirrorLaws`.
 */
export class RunMirror extends Context.Service<
  RunMirror,
  {
    /** Writes one file whole, replacing what was there; a reader never sees half of it. */
    readonly write: (run: MirroredRun, path: string, bytes: Uint8Array) => Effect.Effect<void, Unavailable>;
    readonly read: (run: MirroredRun, path: string) => Effect.Effect<Uint8Array, NotFound | Unavailable>;
    /** Removes one file and the folders that this leaves empty. Idempotent. */
    readonly remove: (run: MirroredRun, path: string) => Effect.Effect<void, Unavailable>;
    /** All mirrored paths in order; never the journal or anything else that is not a projection. */
    readonly list: (run: MirroredRun) => Effect.Effect<ReadonlyArray<string>, Unavailable>;
    /** Removes the whole projection of a run, and nothing that is not one. Idempotent. */
    readonly clear: (run: MirroredRun) => Effect.Effect<void, Unavailable>;
  }
>()("@cahier/ports/RunMirror") {}
