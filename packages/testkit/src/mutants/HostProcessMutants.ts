/**
 * Broken host processes: at least one for each law of HostProcess.
 */
import { OwnerId } from "@cahier/domain/identity/Identity";
import type { HostProcess } from "@cahier/ports/HostProcess";
import * as Effect from "effect/Effect";
import type { HostProcessHarness, OtherProcess } from "../laws/HostProcessLaws.ts";
import type { Mutant } from "../Mutant.ts";
import * as Change from "./Change.ts";

const change = Change.of<HostProcess["Service"], HostProcessHarness>();

const changeOther =
  (members: (other: OtherProcess) => Partial<OtherProcess>) =>
  (harness: HostProcessHarness): HostProcessHarness => ({
    ...harness,
    start: Effect.map(harness.start, (other) => ({ ...other, ...members(other) })),
  });

export const mutants: ReadonlyArray<Mutant<HostProcessHarness>> = [
  {
    kills: "HST-01",
    title: "a process that does not know itself",
    breaks: change((host) => ({
      liveness: (owner) => (owner.pid === host.self.pid ? Effect.succeed("gone") : host.liveness(owner)),
    })),
  },
  {
    kills: "HST-02",
    title: "a process that is another owner each time it is opened",
    breaks: (harness) => {
      const counter = { opened: 0 };
      return change((host) => {
        counter.opened += 1;
        return { self: { ...host.self, ownerId: OwnerId.make(`${host.self.ownerId}_${counter.opened}`) } };
      })(harness);
    },
  },
  {
    kills: "HST-03",
    title: "a process that sees only itself",
    breaks: change((host) => ({
      liveness: (owner) => (owner.pid === host.self.pid ? host.liveness(owner) : Effect.succeed("gone")),
    })),
  },
  {
    kills: "HST-03",
    title: "processes that share one owner id",
    breaks: changeOther((other) => ({ self: { ...other.self, ownerId: OwnerId.make("owner_everybody") } })),
  },
  {
    kills: "HST-04",
    title: "a process for which nobody of this machine ever ends",
    breaks: change((host) => ({
      liveness: (owner) => Effect.succeed(owner.machine === host.self.machine ? "running" : "elsewhere"),
    })),
  },
  {
    kills: "HST-05",
    title: "a process that looks at the pid alone",
    breaks: (harness) => {
      const started = new Map<number, string>();
      const remember = <A extends { readonly self: OtherProcess["self"] }>(one: A): A => {
        started.set(one.self.pid, one.self.startedAt);
        return one;
      };
      const remembering = { open: Effect.map(harness.open, remember), start: Effect.map(harness.start, remember) };
      return change((host) => ({
        liveness: (owner) => host.liveness({ ...owner, startedAt: started.get(owner.pid) ?? owner.startedAt }),
      }))(remembering);
    },
  },
  {
    kills: "HST-06",
    title: "a process that takes every machine for its own",
    breaks: change((host) => ({ liveness: (owner) => host.liveness({ ...owner, machine: host.self.machine }) })),
  },
  {
    kills: "HST-07",
    title: "a process that is deaf to signals",
    breaks: changeOther(() => ({ stopRequested: Effect.never })),
  },
  {
    kills: "HST-07",
    title: "a process that was asked before anybody asked",
    breaks: changeOther(() => ({ stopRequested: Effect.void })),
  },
  {
    kills: "HST-07",
    title: "a process that dies of the signal",
    breaks: changeOther((other) => ({ askToStop: Effect.andThen(other.askToStop, other.kill) })),
  },
];
