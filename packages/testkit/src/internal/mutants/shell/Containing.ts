/**
 * Shells that break the laws about what a command cannot reach and cannot harm.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import type { ShellBait, ShellHarness } from "../../../laws/ShellLaws.ts";
import type { Mutant } from "../../../Mutant.ts";
import { change, lying, misled } from "./breaking.ts";

const withAllWritable = misled((request) => ({
  ...request,
  writableRoots: [...request.writableRoots, "skills", "tool-results"],
}));

export const containing: ReadonlyArray<Mutant<ShellHarness>> = [
  { kills: "SHL-21", title: "a shell in which everything may be written", breaks: withAllWritable },
  {
    kills: "SHL-21",
    title: "a shell that fails without a word",
    breaks: lying((result) => ({ ...result, errorOutput: { ...result.errorOutput, text: "" } })),
  },
  {
    kills: "SHL-22",
    title: "a shell that looks at the name of a link and not at where it leads",
    breaks: withAllWritable,
  },
  {
    kills: "SHL-22",
    title: "a shell that keeps a link as a file",
    breaks: lying((result) => ({
      ...result,
      changes: [...result.changes, { path: "output/bait", bytes: new Uint8Array() }],
    })),
  },
  {
    kills: "SHL-23",
    title: "a shell in which the files of the host are there too",
    breaks: (harness) => {
      const seen: Array<ShellBait> = [];
      const mutant = misled((request) => ({
        ...request,
        files: [
          ...request.files,
          ...seen.map(({ path, secret }) => ({ path: path.slice(1), bytes: new TextEncoder().encode(secret) })),
        ],
      }))(harness);
      return { ...mutant, bait: Effect.tap(harness.bait, (bait) => Effect.sync(() => seen.push(bait))) };
    },
  },
  {
    kills: "SHL-23",
    title: "a shell that has the environment of its host",
    breaks: (harness) => {
      const seen: Array<ShellBait> = [];
      const mutant = misled((request) => ({
        ...request,
        command: `${seen.map(({ secret, variable }) => `export ${variable}=${secret}\n`).join("")}${request.command}`,
      }))(harness);
      return { ...mutant, bait: Effect.tap(harness.bait, (bait) => Effect.sync(() => seen.push(bait))) };
    },
  },
  {
    kills: "SHL-24",
    title: "a shell that has a network",
    breaks: (harness) => ({
      ...harness,
      bait: Effect.map(harness.bait, (bait) => ({ ...bait, visits: Effect.map(bait.visits, (count) => count + 1) })),
    }),
  },
  {
    kills: "SHL-25",
    title: "a shell for which a command that was stopped has succeeded",
    breaks: lying((result) => ({ ...result, ended: "exited", exitCode: 0 })),
  },
  {
    kills: "SHL-25",
    title: "a shell that runs one command at a time",
    breaks: (harness) => {
      const turn = Semaphore.makeUnsafe(1);
      return change((shell) => ({ run: (request) => turn.withPermits(1)(shell.run(request)) }))(harness);
    },
  },
  {
    kills: "SHL-26",
    title: "a shell that runs commands in its caller's thread",
    breaks: change(() => ({
      run: (request) =>
        Effect.map(Clock.clockWith(Effect.succeed), (clock) => {
          const end = clock.currentTimeMillisUnsafe() + request.limits.timeoutMs;
          while (clock.currentTimeMillisUnsafe() < end);
          return {
            ended: "timeout",
            exitCode: null,
            output: { text: "", truncated: false },
            errorOutput: { text: "", truncated: false },
            changes: [],
            notes: [],
            elapsedMs: request.limits.timeoutMs,
          };
        }),
    })),
  },
];
