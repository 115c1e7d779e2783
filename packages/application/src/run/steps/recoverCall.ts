/** A call that cannot be repeated and was interrupted: its tool may know what became of it, else the model is told so. */
import { Denied, Fatal } from "@cahier/domain/failure/Failure";
import type { Step } from "@cahier/domain/run/nextStep";
import { byId } from "@cahier/domain/tool/ToolSnapshot";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Option from "effect/Option";
import { errorResult } from "../../tool/settle.ts";
import type { Reconciliation, Tool } from "../../tool/Tool.ts";
import { atomically, type RunContext } from "../RunContext.ts";
import { nothingSampled, type SampledSoFar } from "../sampleModel.ts";
import { identityOf } from "./closeCall.ts";
import { toolContextOf } from "../toolContext.ts";
import { admitted, applySettled, argumentsOf, runTool } from "./runTool.ts";

type Interrupted = Extract<Step, { _tag: "RecordUnknownOutcome" }>;

/**
 * Closes the call with what its tool knows of it, runs it when it never took effect, or closes it as
 * `tool.outcome_unknown`. Nothing is repeated on a guess.
 */
export const recoverCall = Effect.fnUntraced(function* (
  context: RunContext,
  { call, turn }: Interrupted,
): Effect.fn.Return<void, Denied | Fatal> {
  const { setup, writer } = context;
  const identity = identityOf(call);
  const tool = setup.tools.get(identity.toolId);
  const binding = byId(setup.snapshot, identity.toolId);
  const startedAt = writer.now();
  const sampled = nothingSampled();
  const found: Reconciliation =
    tool?.reconcile === undefined ? { _tag: "Unknown" } : yield* ask(context, call, tool, tool.reconcile, sampled);
  switch (found._tag) {
    case "Known":
      return yield* atomically(
        context,
        applySettled(
          context,
          turn,
          call,
          binding,
          { _tag: "Outcome", outcome: found.outcome },
          { elapsedMs: writer.now() - startedAt, sampled },
        ),
      );
    case "NeverHappened":
      return yield* runTool(context, { _tag: "RunTool", turn, call }, sampled);
    case "Unknown":
      return yield* atomically(
        context,
        applySettled(
          context,
          turn,
          call,
          binding,
          { _tag: "Error", result: errorResult(identity, "tool.outcome_unknown", unknown) },
          { elapsedMs: 0, sampled },
        ),
      );
    default:
      return found satisfies never;
  }
});

const unknown = "This call was interrupted, and it is not known whether it took effect. Check before you repeat it.";

/** What a tool says must be known is known; one that fails, takes too long or answers anything else knows nothing. */
const ask = Effect.fnUntraced(function* (
  context: RunContext,
  call: Interrupted["call"],
  tool: Tool,
  reconcile: NonNullable<Tool["reconcile"]>,
  sampled: SampledSoFar,
): Effect.fn.Return<Reconciliation, Denied | Fatal> {
  const binding = byId(context.setup.snapshot, identityOf(call).toolId);
  const duration = binding?.policy?.budget.timeoutMs ?? tool.descriptor.budget.timeoutMs;
  const asked = Effect.gen(function* () {
    const given = yield* argumentsOf(context, call);
    const seen = toolContextOf(context, call, { sampled });
    const answer: Reconciliation = yield* reconcile(given, seen);
    if (answer._tag !== "Known") return answer._tag === "NeverHappened" ? answer : notKnown;
    const outcome = yield* admitted(tool, given, seen, Effect.succeed(answer.outcome));
    return outcome._tag === "Done" ? { _tag: "Known" as const, outcome } : notKnown;
  });
  const exit = yield* Effect.exit(Effect.timeoutOption(asked, duration));
  if (Exit.isSuccess(exit)) return Option.getOrElse(exit.value, () => notKnown);
  const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause));
  return failure instanceof Denied || failure instanceof Fatal ? yield* failure : notKnown;
});

const notKnown: Reconciliation = { _tag: "Unknown" };
