/**
 * Shells that break the laws about commands that do what they should.
 */
import type { ShellChange } from "@cahier/ports/Shell";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import type { ShellHarness } from "../../../laws/ShellLaws.ts";
import type { Mutant } from "../../../Mutant.ts";
import { change, lying, misled } from "./breaking.ts";

export const working: ReadonlyArray<Mutant<ShellHarness>> = [
  {
    kills: "SHL-01",
    title: "a shell with one stream for both",
    breaks: lying((result) => ({
      ...result,
      output: { ...result.output, text: `${result.output.text}${result.errorOutput.text}` },
    })),
  },
  {
    kills: "SHL-01",
    title: "a shell for which every command that ends has succeeded",
    breaks: lying((result) => ({ ...result, exitCode: result.exitCode === null ? null : 0 })),
  },
  {
    kills: "SHL-02",
    title: "a shell that begins at the root whatever it is asked",
    breaks: misled((request) => ({ ...request, workdir: "" })),
  },
  {
    kills: "SHL-02",
    title: "a shell that knows no folder without files",
    breaks: misled((request) => ({ ...request, folders: [] })),
  },
  {
    kills: "SHL-03",
    title: "a shell that takes every file for text",
    breaks: lying((result) => ({ ...result, changes: result.changes.map(asText) })),
  },
  {
    kills: "SHL-04",
    title: "a shell that tells every file as changed",
    breaks: lying((result, request) => ({
      ...result,
      changes: [
        ...result.changes,
        ...request.files.filter(({ path }) => result.changes.every((each) => each.path !== path)),
      ],
    })),
  },
  {
    kills: "SHL-04",
    title: "a shell that does not notice what is gone",
    breaks: lying((result) => ({ ...result, changes: result.changes.filter(({ bytes }) => bytes !== null) })),
  },
  {
    kills: "SHL-05",
    title: "a shell that takes back what a failed command did",
    breaks: lying((result) => (result.exitCode === 0 ? result : { ...result, changes: [] })),
  },
  {
    kills: "SHL-06",
    title: "a shell in which the files of the last command are still there",
    breaks: (harness) => {
      const left: Array<ShellChange> = [];
      return change((shell) => ({
        run: (request) => {
          const old = left.flatMap(({ bytes, path }) => (bytes === null ? [] : [{ path, bytes }]));
          return Effect.tap(shell.run({ ...request, files: [...request.files, ...old] }), ({ changes }) =>
            Effect.sync(() => left.push(...changes)),
          );
        },
      }))(harness);
    },
  },
  {
    kills: "SHL-07",
    title: "a shell that gives all who ask at once the answer of the first",
    breaks: (harness) => {
      const shared = Deferred.makeUnsafe<unknown, unknown>();
      const asked = { already: false };
      return change((shell) => ({
        run: (request) => {
          const run = shell.run(request);
          if (asked.already) return Deferred.await(shared) as typeof run;
          asked.already = true;
          return Effect.onExit(run, (exit) => Deferred.done(shared, exit));
        },
      }))(harness);
    },
  },
  {
    kills: "SHL-08",
    title: "a shell that names a language that it has not",
    breaks: change((shell) => ({ languages: [...shell.languages, "cobol"] })),
  },
];

const asText = ({ bytes, path }: ShellChange): ShellChange => ({
  path,
  bytes: bytes === null ? null : new TextEncoder().encode(new TextDecoder().decode(bytes)),
});
