/**
 * What a shell and the child that runs its commands say to each other, in structured clones.
 */
import * as nodePath from "node:path";
import type { ShellRequest, ShellResult } from "@cahier/ports/Shell";

/** `id` comes back in the answer. */
export interface Order {
  readonly id: number;
  readonly request: ShellRequest;
}

/** What a child knows of how a command went; a crash is only seen from outside. */
export type Outcome = Omit<ShellResult, "elapsedMs">;

/**
 * The file in the child's folder by which an order is taken back. A command may keep its child from hearing what is said on the
 * channel, but not from looking.
 */
export const stopPath = (scratch: string, id: number): string => nodePath.join(scratch, `stop-${id}`);

/** `ready` comes once, before the first order. `failed` is a defect of the child, whose command has changed nothing. */
export type Answer =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly id: number; readonly outcome: Outcome }
  | { readonly kind: "failed"; readonly id: number; readonly detail: string };
