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
import { hydrate, type Hydrated } from "./hydrate.ts";
import { shapeResults } from "./shapeResults.ts";

/** Where answers and results begin that are shown, and what is left out now that was shown before. */
export interface Fitted {
  readonly leftOut: number;
  readonly components: ReadonlyArray<PromptComponent>;
}

/** What a request shows, and the results in whose place whole files stand. */
export interface RequestView {
  readonly messages: ReadonlyArray<Message>;
  readonly hydrated: ReadonlyArray<Hydrated>;
}

/** Holds the messages to the window; fails where not even the last turn fits. */
export const fit = (context: RunContext, whole: ReadonlyArray<Message>): Effect.Effect<Fitted, Fatal> => {
  const { window } = context;
  const invocation = invocationOf(context);
  const leftOut = window.fit(invocation, whole);
  if (leftOut === undefined)
    return Effect.fail(
      fatal(
        "context.budget_exceeded",
        "The prompt and the last turn do not fit the model's window. Use a model with a larger one, or state it as context.windowTokens of the profile.",
      ),
    );
  const components =
    leftOut === invocation.leftOut
      ? []
      : Log.toArray(invocation.messages, 0)
          .slice(0, leftOut)
          .flatMap((reference, index) => {
            if (isLeftOut(reference.kind, index, invocation.leftOut) || reference.kind === "user") return [];
            const message = whole[window.promptLength + index];
            return [ofReference(reference, message === undefined ? null : window.tokensOf(message), "overBudget")];
          });
  return Effect.succeed({ leftOut, components });
};

/** The messages as they are sent. Without rules of its own, and while everything fits, they are those of the transcript. */
export const shownOf = Effect.fnUntraced(function* (
  context: RunContext,
  whole: ReadonlyArray<Message>,
  leftOut: number,
): Effect.fn.Return<RequestView, Fatal> {
  const { contextRules } = context.setup;
  const { form, budgetTokens, visible } = contextRules.toolResults;
  const isPlain = visible && form === "full" && budgetTokens === undefined && contextRules.hydrateRecentWrites <= 0;
  if (isPlain && leftOut === 0) return { messages: whole, hydrated: [] };
  const { promptLength } = context.window;
  const references = Log.toArray(invocationOf(context).messages);
  const shaped = shapeResults(contextRules, references, whole.slice(promptLength), context.window.tokensOf);
  const { hydrated, messages } = yield* hydrate(
    context,
    references,
    shaped.map(({ message }) => message),
  );
  const note = leftOut === 0 ? [] : [text("user", phrasesOf(contextRules.language).leftOut)];
  return {
    messages: [
      ...whole.slice(0, promptLength),
      ...note,
      ...messages.filter((_, index) => !isLeftOut(references[index]?.kind ?? "user", index, leftOut)),
    ],
    hydrated: hydrated.filter(({ index }) => index >= leftOut),
  };
});

/** Records what is left out from this request on, and which results are shown as whole files. */
export const recordView = (
  context: RunContext,
  round: number,
  { components, leftOut }: Fitted,
  { hydrated }: RequestView,
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
