/**
 * The laws of HostProcess.
 *
 * They need real processes: the harness starts others that run the same adapter.
 */
import type { RunOwner } from "@cahier/domain/run/event/lifecycle";
import type { HostProcess } from "@cahier/ports/HostProcess";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type * as Scope from "effect/Scope";
import * as Expectation from "../Expectation.ts";
import * as Law from "../Law.ts";

/** A living process that runs the adapter and waits; it ends with the scope that it was started in. */
export interface OtherProcess {
  /** What the adapter calls `self` there. */
  readonly self: RunOwner;
  /** Sends it the signal by which a process is asked to stop. */
  readonly askToStop: Effect.Effect<void, unknown>;
  /** Completes when the adapter's `stopRequested` has completed there. */
  readonly stopRequested: Effect.Effect<void, unknown>;
  /** Kills it, and completes when it is gone. */
  readonly kill: Effect.Effect<void, unknown>;
}

/** `open` gives the adapter in this process; `start` another process with the adapter in it. */
export interface HostProcessHarness {
  readonly open: Effect.Effect<HostProcess["Service"], unknown, Scope.Scope>;
  readonly start: Effect.Effect<OtherProcess, unknown, Scope.Scope>;
}

const law = Law.of<HostProcessHarness>();

export const laws: ReadonlyArray<Law.Law<HostProcessHarness>> = [
  law({
    id: "HST-01",
    title: "a process is running while it asks, seen from itself",
    *check(harness) {
      const host = yield* harness.open;
      yield* Expectation.same("liveness of self", yield* host.liveness(host.self), "running");
    },
  }),
  law({
    id: "HST-02",
    title: "a process is the same owner for its whole life, however often it is opened",
    *check(harness) {
      const first = yield* harness.open;
      const before = { ...first.self };
      yield* harness.start;
      const second = yield* harness.open;
      yield* Expectation.same("self, later", first.self, before);
      yield* Expectation.same("self, opened again", second.self, before);
    },
  }),
  law({
    id: "HST-03",
    title: "another living process is running, and another owner",
    *check(harness) {
      const host = yield* harness.open;
      const [one, other] = [yield* harness.start, yield* harness.start];
      yield* Expectation.same(
        "liveness",
        [yield* host.liveness(one.self), yield* host.liveness(other.self)],
        ["running", "running"],
      );
      const ids = new Set([host.self.ownerId, one.self.ownerId, other.self.ownerId]);
      yield* Expectation.same("number of owners", ids.size, 3);
    },
  }),
  law({
    id: "HST-04",
    title: "a process that has ended is gone",
    *check(harness) {
      const host = yield* harness.open;
      const other = yield* harness.start;
      yield* Expectation.same("liveness before", yield* host.liveness(other.self), "running");
      yield* other.kill;
      yield* Expectation.same("liveness after", yield* host.liveness(other.self), "gone");
    },
  }),
  law({
    id: "HST-05",
    title: "a process that has the pid of an owner but was started at another moment is not that owner",
    *check(harness) {
      const host = yield* harness.open;
      const other = yield* harness.start;
      for (const owner of [host.self, other.self]) {
        const earlier = { ...owner, startedAt: `${owner.startedAt} before` };
        yield* Expectation.same(`liveness of pid ${owner.pid}`, yield* host.liveness(earlier), "gone");
      }
    },
  }),
  law({
    id: "HST-06",
    title: "an owner on another machine is elsewhere, whatever its pid is here",
    *check(harness) {
      const host = yield* harness.open;
      const other = yield* harness.start;
      yield* other.kill;
      for (const owner of [host.self, other.self]) {
        const far = { ...owner, machine: `${owner.machine}-2` };
        yield* Expectation.same(`liveness of pid ${owner.pid}`, yield* host.liveness(far), "elsewhere");
      }
    },
  }),
  law({
    id: "HST-07",
    title: "a signal to stop is told once it comes, and the process lives on to do as it is asked",
    *check(harness) {
      const host = yield* harness.open;
      const other = yield* harness.start;
      const told = yield* Effect.forkChild(other.stopRequested, { startImmediately: true });
      yield* Expectation.same("liveness before", yield* host.liveness(other.self), "running");
      yield* Expectation.isTrue(told.pollUnsafe() === undefined, "stopRequested completed without a signal");
      yield* other.askToStop;
      yield* Expectation.within("stopRequested", Fiber.join(told));
      yield* Expectation.same("liveness", yield* host.liveness(other.self), "running");
    },
  }),
];
