/**
 * What a host lets other clients of the Model Context Protocol see and do. The host fills this record; the servers of this
 * package serve it.
 *
 * Owns the shape. Does not own who may connect (`HttpServer`, `StdioServer`) nor what a run is. Reading is always offered; what
 * changes something is offered only where the host has filled in `actions`.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import type { WorkspacePath } from "@cahier/domain/workspace/WorkspacePath";
import type * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type * as Stream from "effect/Stream";
import type { Actions } from "./Actions.ts";
import type { FileContent, FileEntry, RunDetail, RunDiff, RunEntry, RunLine } from "./OfferedRun.ts";

/**
 * Why something could not be had. `message` is a sentence for whoever asked, and reaches it as it stands: it repeats no secret.
 * `code` is the host's own code. A run or a file that does not exist is told apart, because the answer then names what there is.
 */
export class OfferFault extends Schema.TaggedError<OfferFault>()("OfferFault", {
  kind: Schema.Literals(["runNotFound", "fileNotFound", "refused", "unavailable"]),
  message: Schema.String,
  code: Schema.optionalKey(Schema.String),
}) {}

/** The runs that were made before this one, so many at most. */
export interface RunPage {
  readonly limit: number;
  readonly before?: { readonly createdAt: string; readonly runId: RunId };
}

/** Two moments, each the number of an event or the name of a checkpoint; from the start and until now by default. */
export interface DiffRange {
  readonly from?: number | string;
  readonly to?: number | string;
  readonly paths: ReadonlyArray<WorkspacePath>;
}

/** Every function may be interrupted at any time: whoever asked does not wait any more. */
export interface Offer {
  /** What the host calls itself. */
  readonly identity: { readonly name: string; readonly version: string; readonly title?: string };
  readonly runs: {
    /** Newest first. */
    readonly list: (page: RunPage) => Effect.Effect<ReadonlyArray<RunEntry>, OfferFault>;
    readonly show: (runId: RunId) => Effect.Effect<RunDetail, OfferFault>;
    /** The events after `afterSeq`, oldest first, so many at most. */
    readonly events: (
      runId: RunId,
      page: { readonly afterSeq: number; readonly limit: number },
    ) => Effect.Effect<ReadonlyArray<RunLine>, OfferFault>;
    /** Every event after `afterSeq`, then new ones, until nobody carries the run on: it has ended or waits. */
    readonly follow: (runId: RunId, afterSeq: number) => Stream.Stream<RunLine, OfferFault>;
  };
  readonly files: {
    /** In the order of their paths. */
    readonly list: (runId: RunId) => Effect.Effect<ReadonlyArray<FileEntry>, OfferFault>;
    readonly read: (runId: RunId, path: WorkspacePath) => Effect.Effect<FileContent, OfferFault>;
  };
  readonly diff: (runId: RunId, range: DiffRange) => Effect.Effect<RunDiff, OfferFault>;
  /** The tools that agents may be given. */
  readonly tools: Effect.Effect<ReadonlyArray<ToolDescriptor>, OfferFault>;
  /** What the host permits beside reading: each has a tool of its name. Nothing by default. */
  readonly actions?: Actions;
}
