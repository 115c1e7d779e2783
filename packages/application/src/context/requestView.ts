/**
 * The messages that a request shows: the prompt, and of what came after what its profile and its window let it show.
 *
 * The journal keeps everything. What is left out of a request is written down, and stays out of those after it, so that a
 * request that is made again after a crash is the same.
 */
import type { PromptComponent } from "@cahier/domain/prompt/PromptComponent";
import { ofReference } from "@cahier/domain/context/ContextFrame";
import { isLeftOut } from "@cahier/domain/context/fitConversation";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { type Message, text } from "@cahier/domain/model/Message";
import { draft } from "@cahier/domain/run/RunEvent";
import * as Log from "@cahier/domain/run/Log";
import * as Effect from "effect/Effect";
import { phrasesOf } from "../prompt/phrases.ts";
import { mostNamed } from "../prompt/skippedOf.ts";
import { invocationOf, record, type RunContext } from "../run/RunContext.ts";
import type { ContextRules } from "./ContextRules.ts";
import { hydrate, type Hydrated } from "./hydrate.ts";
import { shapeResults } from "./shapeResults.ts";

/**
 * What a request shows. Answers and results before `leftOut` are not in it; `components` are those of them that the request
 * before still showed. `hydrated` are the results in whose place whole files stand. `isPlain`: nothing is shown otherwise than it
 * is stored.
 */
export interface RequestView {
  readonly messages: ReadonlyArray<Message>;
  readonly leftOut: number;
  readonly components: ReadonlyArray<PromptComponent>;
  readonly hydrated: ReadonlyArray<Hydrated>;
  readonly isPlain: boolean;
}

/**
 * The next request of the invocation. Without rules of its own, and while everything fits, its messages are those of the
 * transcript. Whole files are shown while there is room for them. Fails where not even the last turn fits.
 */
export const viewOf = Effect.fnUntraced(function* (context: RunContext): Effect.fn.Return<RequestView, Fatal> {
  const { setup, transcript, window } = context;
  const invocation = invocationOf(context);
  const whole = yield* transcript.messages(invocation.messages);
  const isPlain = isShownAsStored(setup.contextRules);
  if (isPlain && invocation.leftOut === 0) {
    const leftOut = window.fit(invocation, whole, true);
    if (leftOut === 0) return { messages: whole, leftOut, components: [], hydrated: [], isPlain };
  }
  const { promptLength } = window;
  const prompt = whole.slice(0, promptLength);
  const references = Log.toArray(invocation.messages);
  const shaped = shapeResults(setup.contextRules, references, whole.slice(promptLength), window.tokensOf).map(
    ({ message }) => message,
  );
  const filled = yield* hydrate(context, references, shaped);
  const fits = window.fit(invocation, [...prompt, ...filled.messages], isPlain) === invocation.leftOut;
  const { hydrated, messages } = fits ? filled : { hydrated: [], messages: shaped };
  const leftOut = fits ? invocation.leftOut : window.fit(invocation, [...prompt, ...shaped], isPlain);
  if (leftOut === undefined) return yield* tooLong();
  return {
    messages: [
      ...prompt,
      ...(leftOut === 0 ? [] : [text("user", phrasesOf(setup.contextRules.language).leftOut)]),
      ...messages.filter((_, index) => !isLeftOut(references[index]?.kind ?? "user", index, leftOut)),
    ],
    leftOut,
    components: references.slice(0, leftOut).flatMap((reference, index) => {
      if (isLeftOut(reference.kind, index, invocation.leftOut) || reference.kind === "user") return [];
      const message = shaped[index];
      return [ofReference(reference, message === undefined ? null : window.tokensOf(message), "overBudget")];
    }),
    hydrated: hydrated.filter(({ index }) => index >= leftOut),
    isPlain,
  };
});

const isShownAsStored = ({ hydrateRecentWrites, toolResults }: ContextRules): boolean =>
  toolResults.visible &&
  toolResults.form === "full" &&
  toolResults.budgetTokens === undefined &&
  hydrateRecentWrites <= 0;

const tooLong = (): Fatal =>
  fatal(
    "context.budget_exceeded",
    "The prompt and the last turn do not fit the model's window. Use a model with a larger one, or state it as context.windowTokens of the profile.",
  );

/** Records what is left out from this request on, and which results are shown as whole files. */
export const recordView = (
  context: RunContext,
  round: number,
  { components, hydrated, leftOut }: RequestView,
): void => {
  const { invocationId } = context;
  if (leftOut !== invocationOf(context).leftOut)
    record(
      context,
      draft("context_component_skipped", invocationId, {
        round,
        invocationId,
        components: components.slice(0, mostNamed),
        ...(components.length > mostNamed ? { more: components.length - mostNamed } : {}),
        leftOut,
      }),
    );
  for (const { callId, path, sha256 } of hydrated)
    record(context, draft("context_tool_result_hydrated", invocationId, { round, invocationId, callId, path, sha256 }));
};
