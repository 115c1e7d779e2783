/**
 * How broken shells are made: by what reaches a correct one and by what comes back.
 */
import type { Shell, ShellRequest, ShellResult } from "@cahier/ports/Shell";
import * as Effect from "effect/Effect";
import type { ShellHarness } from "../../../laws/ShellLaws.ts";
import * as Change from "../../../mutants/Change.ts";

export const change = Change.of<Shell["Service"], ShellHarness>();

/** A shell that is given another request than it should. */
export const misled = (other: (request: ShellRequest) => ShellRequest) =>
  change((shell) => ({ run: (request) => shell.run(other(request)) }));

/** A shell that tells another result than it has. */
export const lying = (other: (result: ShellResult, request: ShellRequest) => ShellResult) =>
  change((shell) => ({ run: (request) => Effect.map(shell.run(request), (result) => other(result, request)) }));
