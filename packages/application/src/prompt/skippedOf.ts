/**
 * What a prompt lacks that its chat and its preset have, as its run records it.
 */
import type { InvocationId } from "@cahier/domain/identity/Identity";
import { draft, type RunEventDraft } from "@cahier/domain/run/RunEvent";
import type { PromptSnapshot } from "../run/InvocationSetup.ts";

/** How many parts an event names. */
export const mostNamed = 50;

/** The event about parts that were left out for want of room, or because the profile shows no more; none where all is in. */
export const skippedOf = (
  invocationId: InvocationId,
  { components = [] }: PromptSnapshot,
): ReadonlyArray<RunEventDraft> => {
  const skipped = components.filter(({ skipped: reason }) => reason !== null && told.has(reason));
  if (skipped.length === 0) return [];
  return [
    draft("context_component_skipped", invocationId, {
      round: 0,
      invocationId,
      components: skipped.slice(0, mostNamed),
      ...(skipped.length > mostNamed ? { more: skipped.length - mostNamed } : {}),
    }),
  ];
};

/** What a user has switched off, or what is empty, is not missed. */
const told: ReadonlySet<string> = new Set(["overBudget", "historyLimit", "excluded"]);
