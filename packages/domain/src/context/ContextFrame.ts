/**
 * A request of a model as it was sent, in its parts.
 *
 * Owns the order of the parts behind the prompt and what is said of each. Does not own their texts, nor finding out how long
 * they are.
 */
import type { InvocationId } from "../identity/Identity.ts";
import type { PromptComponent, ShownForm, TokenCount } from "../prompt/PromptComponent.ts";
import type { MessageReference } from "../run/RunState.ts";
import { isLeftOut } from "./fitConversation.ts";

/**
 * `attempt` is how often the request was sent; 0: it is decided and not sent yet. `window`: how much the model reads, in
 * tokens, and whether the profile states that. `tokens` are of the whole request; `counter` is `provider` where the model's
 * provider has counted. `components` are in the order in which they were sent, with those that were left out.
 */
export interface ContextFrame {
  readonly round: number;
  readonly invocationId: InvocationId;
  readonly attempt: number;
  readonly model: string;
  readonly window: { readonly tokens: number; readonly isStated: boolean };
  readonly tokens: TokenCount;
  readonly components: ReadonlyArray<PromptComponent>;
}

/** A message behind the prompt: how long it is as it is shown, or as it would be, and in which form. */
export interface FrameMessage {
  readonly reference: MessageReference;
  readonly tokens: number | null;
  readonly form: ShownForm;
}

/** The parts of a request that are not of its prompt. `note` takes the place of what is left out, so many tokens long. */
export interface FrameConversation {
  readonly leftOut: number;
  readonly note: number;
  readonly messages: ReadonlyArray<FrameMessage>;
}

/** The parts behind the prompt. */
export const conversationOf = ({ leftOut, messages, note }: FrameConversation): ReadonlyArray<PromptComponent> => [
  ...(leftOut === 0
    ? []
    : [{ identifier: "note", kind: "note", source: "profile", tokens: note, skipped: null } as const]),
  ...messages.map(({ form, reference, tokens }, index) => {
    const skipped = isLeftOut(reference.kind, index, leftOut) ? "overBudget" : null;
    const part = ofReference(reference, tokens, skipped);
    return reference.kind === "result" && skipped === null ? { ...part, form } : part;
  }),
];

/** A message behind the prompt as a part of a request. */
export const ofReference = (
  reference: MessageReference,
  tokens: number | null,
  skipped: PromptComponent["skipped"],
): PromptComponent => ({
  identifier: reference.payload.path,
  kind: kindOf(reference),
  source: reference.payload.path,
  tokens,
  skipped,
});

/** How many tokens all parts together take that are shown, each counted once. */
export const tokensOf = (components: ReadonlyArray<PromptComponent>): number =>
  components.reduce(
    (sum, { skipped, tokens, within }) => (skipped === null && within === undefined ? sum + (tokens ?? 0) : sum),
    0,
  );

const kindOf = (reference: MessageReference): PromptComponent["kind"] => {
  switch (reference.kind) {
    case "response":
      return "conversation";
    case "result":
      return "toolResults";
    case "user":
      return reference.about;
    default:
      return reference satisfies never;
  }
};
