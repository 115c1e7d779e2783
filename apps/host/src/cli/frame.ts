/**
 * `cahier runs show ID --frame ROUND`: one request of an agent as it was sent, in its parts.
 *
 * Owns the words for people. Does not own what a request is made of (`frameOf`).
 */
import { frameOf } from "@cahier/application/context/frameOf";
import { estimator } from "@cahier/domain/context/estimateTokens";
import type { ContextFrame } from "@cahier/domain/context/ContextFrame";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { PromptComponent, ShownForm, SkipReason, TokenCount } from "@cahier/domain/prompt/PromptComponent";
import * as Effect from "effect/Effect";
import { look } from "./look.ts";
import * as Output from "./Output.ts";
import { has, type ParsedCommand, valueOf } from "./parse.ts";
import { printable } from "./printable.ts";
import { table } from "./table.ts";

/** Prints the request of `round` of the agent of --agent, or of whoever began the run. */
export const showFrame = (command: ParsedCommand, runId: RunId, round: number): Effect.Effect<number, Fatal> =>
  look(
    command,
    Effect.gen(function* () {
      const frame = yield* frameOf(runId, round, valueOf(command, "agent"));
      if (has(command, "json")) yield* Output.json({ runId, ...frame });
      else yield* Effect.forEach(linesOf(frame, columns()), Output.line, { discard: true });
      return 0;
    }),
  );

/** The request as lines: what it is and how long, then a row for each part in the order in which they were sent. */
export const linesOf = (frame: ContextFrame, width?: number): ReadonlyArray<string> => [
  `request    round ${frame.round} of ${frame.invocationId}, ${printable(frame.model)}${sent(frame.attempt)}`,
  `tokens     ${frame.tokens.count}, ${countedBy(frame.tokens)}`,
  `window     ${frame.window.tokens}, ${frame.window.isStated ? "as the profile states" : "assumed: the profile states none"}`,
  ...(frame.tokens.budget === null
    ? []
    : [`budget     ${frame.tokens.budget} for the request, the rest for the answer`]),
  "",
  ...table(heads, frame.components.map(rowOf), width),
];

const heads = ["#", "KIND", "PART", "SOURCE", "TOKENS", "SHOWN"];

const rowOf = (part: PromptComponent, index: number): ReadonlyArray<string> => [
  String(index + 1),
  part.kind,
  printable(part.identifier),
  // A part that is called by its source has no other name.
  part.source === part.identifier ? "" : printable(part.source),
  part.tokens === null ? "" : String(part.tokens),
  shownAs(part),
];

const shownAs = ({ form, skipped, within }: PromptComponent): string => {
  if (skipped !== null) return reasons[skipped];
  if (within !== undefined) return `within ${printable(within)}`;
  return form === undefined ? "" : forms[form];
};

const reasons: { readonly [Reason in SkipReason]: string } = {
  disabled: "left out: disabled",
  otherGenerationType: "left out: for another type of generation",
  empty: "left out: empty",
  overBudget: "left out: no room for it",
  historyLimit: "left out: the profile shows fewer messages",
  excluded: "left out: the profile excludes it",
};

const forms: { readonly [Form in ShownForm]: string } = {
  full: "whole",
  summary: "its beginning",
  gone: "a note in its place",
  file: "with the whole file that it wrote",
};

const sent = (attempt: number): string => {
  if (attempt === 0) return ", not sent yet";
  return attempt === 1 ? "" : `, sent ${attempt} times`;
};

/** Who has counted, and whether to rely on it. */
const countedBy = ({ counter, isExact }: TokenCount): string => {
  if (counter === "provider") return "counted by the provider";
  if (counter === estimator) return "an estimate";
  return `${isExact ? "exact, counted" : "an estimate"} by ${printable(counter)}`;
};

/** A terminal's own width; elsewhere nothing is cut. */
const columns = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns : undefined);
