/**
 * Broken mirrors: at least one for each law of RunMirror.
 */
import type { RunMirror } from "@cahier/ports/RunMirror";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import type { RunMirrorHarness } from "../laws/RunMirrorLaws.ts";
import type { Mutant } from "../Mutant.ts";
import * as Change from "./Change.ts";

type Mirror = RunMirror["Service"];

const change = Change.of<Mirror, RunMirrorHarness>();

export const mutants: ReadonlyArray<Mutant<RunMirrorHarness>> = [
  {
    kills: "MIR-01",
    title: "a mirror that takes every file for text",
    breaks: change((mirror) => ({
      write: (run, path, bytes) => mirror.write(run, path, new TextEncoder().encode(new TextDecoder().decode(bytes))),
    })),
  },
  {
    kills: "MIR-02",
    title: "a write that leaves the rest of a longer file",
    breaks: change((mirror) => ({
      write: (run, path, bytes) =>
        mirror.read(run, path).pipe(
          Effect.catchTag("NotFound", () => Effect.succeed(new Uint8Array(0))),
          Effect.flatMap((before) =>
            mirror.write(run, path, Uint8Array.from([...bytes, ...before.slice(bytes.length)])),
          ),
        ),
    })),
  },
  {
    kills: "MIR-03",
    title: "a write in two halves",
    breaks: change((mirror) => ({
      write: (run, path, bytes) =>
        mirror
          .write(run, path, bytes.slice(0, bytes.length / 2))
          .pipe(
            Effect.andThen(Effect.yieldNow),
            Effect.andThen(Effect.yieldNow),
            Effect.andThen(mirror.write(run, path, bytes)),
          ),
    })),
  },
  {
    kills: "MIR-04",
    title: "an absent file that is an empty one",
    breaks: change((mirror) => ({
      read: (run, path) => Effect.catchTag(mirror.read(run, path), "NotFound", () => Effect.succeed(new Uint8Array(0))),
    })),
  },
  {
    kills: "MIR-05",
    title: "a list that goes folder by folder",
    breaks: change((mirror) => ({
      list: (run) =>
        Effect.map(mirror.list(run), (paths) =>
          paths.toSorted((one, other) => one.split("/").length - other.split("/").length),
        ),
    })),
  },
  {
    kills: "MIR-06",
    title: "a removal that leaves empty folders",
    breaks: (harness) => {
      const folders = new Set<string>();
      return change((mirror) => ({
        write: (run, path, bytes) =>
          Effect.suspend(() => {
            if (folders.has(path)) {
              return Effect.fail(new Unavailable({ operation: "write", kind: "other", detail: "It is a folder." }));
            }
            path
              .split("/")
              .forEach((_, depth, segments) => depth > 0 && folders.add(segments.slice(0, depth).join("/")));
            return mirror.write(run, path, bytes);
          }),
      }))(harness);
    },
  },
  {
    kills: "MIR-06",
    title: "a removal that fails when there is nothing to remove",
    breaks: change((mirror) => ({
      remove: (run, path) =>
        mirror.read(run, path).pipe(
          Effect.catchTag("NotFound", (fault) =>
            Effect.fail(new Unavailable({ operation: "remove", kind: "other", detail: fault.id })),
          ),
          Effect.andThen(mirror.remove(run, path)),
        ),
    })),
  },
  {
    kills: "MIR-07",
    title: "a clearing that leaves what lies in folders",
    breaks: change((mirror) => ({
      clear: (run) =>
        Effect.flatMap(mirror.list(run), (paths) =>
          Effect.forEach(
            paths.filter((path) => !path.includes("/")),
            (path) => mirror.remove(run, path),
            { discard: true },
          ),
        ),
    })),
  },
  {
    kills: "MIR-08",
    title: "a mirror that drops `..` and goes on",
    breaks: change((mirror) => ({
      write: (run, path, bytes) =>
        mirror.write(
          run,
          path
            .split("/")
            .filter((segment) => segment !== ".." && segment !== "." && segment !== "")
            .join("/") || "x",
          bytes,
        ),
    })),
  },
  {
    kills: "MIR-09",
    title: "a mirror that says nothing when it meets a symbolic link",
    breaks: change((mirror) => ({
      write: (run, path, bytes) =>
        Effect.catchTag(mirror.write(run, path, bytes), "Unavailable", (fault) =>
          fault.kind === "symlink" ? Effect.void : Effect.fail(fault),
        ),
    })),
  },
  {
    kills: "MIR-10",
    title: "a list that shows the journal",
    breaks: change((mirror) => ({
      list: (run) => Effect.map(mirror.list(run), (paths) => ["events.jsonl", ...paths]),
    })),
  },
];
