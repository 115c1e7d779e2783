/**
 * One shell for all tests of a file: its processes are started once.
 */
import type { Shell } from "@cahier/ports/Shell";
import * as JustBash from "@cahier/shell-sandbox/JustBash";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";

export interface SharedShell {
  readonly open: Effect.Effect<Shell["Service"]>;
  /** Ends its processes: the last test of the file. */
  readonly close: Effect.Effect<void>;
}

export const make = (options: JustBash.Options = {}): SharedShell => {
  const scope = Scope.makeUnsafe();
  const opened: { shell: Shell["Service"] | null } = { shell: null };
  return {
    open: Effect.suspend(() => {
      if (opened.shell !== null) return Effect.succeed(opened.shell);
      return Effect.tap(Scope.provide(JustBash.make(options), scope), (shell) =>
        Effect.sync(() => {
          opened.shell = shell;
        }),
      );
    }),
    close: Scope.close(scope, Exit.void),
  };
};
