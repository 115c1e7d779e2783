/**
 * The process that this runtime lives in, and whether another one still lives.
 */
import type { RunOwner } from "@cahier/domain/run/event/lifecycle";
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";

/**
 * `running` and `gone` are certain; `elsewhere` means that the owner is on another machine, so that only its heartbeat
 * can tell.
 */
export type Liveness = "running" | "gone" | "elsewhere";

/** Laws: `HST-*` in `@cahier/testkit/laws/HostProcessLaws`. */
export class HostProcess extends Context.Service<
  HostProcess,
  {
    /** This process as an owner of runs: the same value for the whole life of the process. */
    readonly self: RunOwner;
    /** Whether the process that `owner` names lives. A later process with the same pid is another one. */
    readonly liveness: (owner: RunOwner) => Effect.Effect<Liveness>;
    /** Completes when this process is asked to stop (an interrupt or termination signal); never fails. */
    readonly stopRequested: Effect.Effect<void>;
  }
>()("@cahier/ports/HostProcess") {}
