/**
 * Shells that break the laws about how commands end.
 */
import type { ShellStream } from "@cahier/ports/Shell";
import * as Effect from "effect/Effect";
import type { ShellHarness } from "../../../laws/ShellLaws.ts";
import type { Mutant } from "../../../Mutant.ts";
import { change, lying, misled } from "./breaking.ts";

const cutWith = (cut: (stream: ShellStream) => ShellStream) =>
  lying((result) => ({ ...result, output: result.output.truncated ? cut(result.output) : result.output }));

export const ending: ReadonlyArray<Mutant<ShellHarness>> = [
  {
    kills: "SHL-11",
    title: "a shell with a clock that is slow",
    breaks: misled((request) => ({
      ...request,
      limits: { ...request.limits, timeoutMs: request.limits.timeoutMs * 3 },
    })),
  },
  {
    kills: "SHL-11",
    title: "a shell that takes back what a command did whose time is up",
    breaks: lying((result) => (result.ended === "timeout" ? { ...result, changes: [] } : result)),
  },
  {
    kills: "SHL-11",
    title: "a shell that takes the end of the time for an end like any other",
    breaks: lying((result) => (result.ended === "timeout" ? { ...result, ended: "exited", exitCode: 124 } : result)),
  },
  {
    kills: "SHL-12",
    title: "a shell that keeps the end of what is too long",
    breaks: cutWith((stream) => ({ ...stream, text: stream.text.slice(1) })),
  },
  {
    kills: "SHL-12",
    title: "a shell that does not say that it has cut",
    breaks: cutWith((stream) => ({ ...stream, truncated: false })),
  },
  {
    kills: "SHL-12",
    title: "a shell that cuts characters in the middle",
    breaks: cutWith((stream) => ({ ...stream, text: `${stream.text.slice(0, -1)}\uFFFD` })),
  },
  {
    kills: "SHL-13",
    title: "a shell with all the room in the world",
    breaks: misled((request) => ({ ...request, limits: { ...request.limits, files: 10_000, bytes: 100_000_000 } })),
  },
  {
    kills: "SHL-14",
    title: "a shell that runs the beginning of what is too long",
    breaks: misled((request) => ({ ...request, command: request.command.slice(0, 1_000) })),
  },
  {
    kills: "SHL-14",
    title: "a shell that makes the folder it is to begin in",
    breaks: misled((request) => ({ ...request, folders: [...request.folders, request.workdir] })),
  },
  {
    kills: "SHL-14",
    title: "a shell that takes as many files as come",
    breaks: misled((request) => ({ ...request, limits: { ...request.limits, files: 10_000, bytes: 100_000_000 } })),
  },
  {
    kills: "SHL-15",
    title: "a shell that does not let itself be interrupted",
    breaks: change((shell) => ({
      run: (request) =>
        Effect.uninterruptible(shell.run({ ...request, limits: { ...request.limits, timeoutMs: 1_500 } })),
    })),
  },
  {
    kills: "SHL-27",
    title: "a shell that is told to stop and goes on",
    breaks: change((shell) => ({
      run: (request) => shell.run({ ...request, limits: { ...request.limits, timeoutMs: 1_500 } }),
    })),
  },
  {
    kills: "SHL-27",
    title: "a shell that forgets what a command did that it was told to stop",
    breaks: change((shell) => ({
      run: (request, stop = Effect.never) =>
        Effect.map(shell.run(request, stop), (result) =>
          result.ended === "stopped" ? { ...result, changes: [] } : result,
        ),
    })),
  },
];
