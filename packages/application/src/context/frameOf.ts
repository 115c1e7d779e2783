/**
 * The request of one round of an agent as it was sent, read back from the journal alone.
 *
 * Owns finding the moment of the request, and how long its parts are. Does not own their order (`ContextFrame`).
 */
import * as estimate from "@cahier/domain/context/estimateTokens";
import { type ContextFrame, conversationOf, tokensOf } from "@cahier/domain/context/ContextFrame";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { InvocationId, rootInvocation, type RunId } from "@cahier/domain/identity/Identity";
import { type Message, text, textOf } from "@cahier/domain/model/Message";
import type { PromptComponent } from "@cahier/domain/prompt/PromptComponent";
import type { Sha256 } from "@cahier/domain/payload/Sha256";
import * as Log from "@cahier/domain/run/Log";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as PathMap from "@cahier/domain/run/PathMap";
import type { PayloadOf } from "@cahier/domain/run/RunEvent";
import type { FileState, RunState } from "@cahier/domain/run/RunState";
import { taskOf } from "@cahier/domain/run/tasks";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as Payloads from "../payload/Payloads.ts";
import { phrasesOf } from "../prompt/phrases.ts";
import { skillCatalogue } from "../prompt/systemPrompt.ts";
import * as Transcript from "../prompt/Transcript.ts";
import { type FrozenInvocation, readFrozen, rulesOf } from "../run/InvocationSetup.ts";
import { loadState } from "../run/loadState.ts";
import { definitionsOf } from "../tool/prepareSnapshot.ts";
import * as WorkspaceFiles from "../workspace/WorkspaceFiles.ts";
import { assumedWindowTokens, reservedTokens } from "./ContextRules.ts";
import { withFile } from "./hydrate.ts";
import { type Shaped, shapeResults } from "./shapeResults.ts";

const decodeInvocationId = Schema.decodeUnknownOption(InvocationId);

/**
 * The request of `round`, counted from 1, of an agent; without `invocation` of whoever began the run. A round without a
 * request is `agent.model_turn_round_invalid`, an agent that the run does not have `agent.model_turn_invocation_id_invalid`.
 */
export const frameOf = Effect.fn("ContextFrame.of")(function* (
  runId: RunId,
  round: number,
  invocation: string = rootInvocation,
): Effect.fn.Return<ContextFrame, Fatal, RunJournal | BlobStore> {
  if (!Number.isSafeInteger(round) || round < 1)
    return yield* fatal("agent.model_turn_round_invalid", "round is a whole number from 1.");
  const decoded = decodeInvocationId(invocation);
  if (Option.isNone(decoded))
    return yield* fatal(
      "agent.model_turn_invocation_id_invalid",
      `"${invocation}" is not an invocation id, such as ${rootInvocation}.`,
    );
  const invocationId = decoded.value;
  const journal = yield* RunJournal;
  const search = searchFor(invocationId, round);
  const { damage, state: now } = yield* loadState(journal, runId, search.see);
  const found = search.found();
  if (found !== undefined) return yield* described(runId, invocationId, round, found);
  if (damage !== undefined) return yield* classifyStorage(damage);
  if (now.invocations[invocationId] === undefined)
    return yield* fatal(
      "agent.model_turn_invocation_id_invalid",
      `The run has no agent ${invocationId}. It has: ${Object.keys(now.invocations).join(", ") || "none yet"}.`,
    );
  return yield* fatal(
    "agent.model_turn_round_invalid",
    search.last() === 0
      ? `${invocationId} has asked its model nothing yet.`
      : `${invocationId} has no request of round ${round}. Its last is of round ${search.last()}.`,
  );
});

type Hydrated = PayloadOf<"context_tool_result_hydrated">;

/** A request: the state when it was sent last, the files that it shows, and what its provider counted. */
interface FoundRequest {
  readonly state: RunState;
  readonly attempt: number;
  readonly hydrated: ReadonlyArray<Hydrated>;
  readonly inputTokens: number;
  readonly versions: ReadonlyMap<Sha256, FileState>;
}

/** Looks for one request in the events of a run as they pass. A later request of the same round takes the place of one before. */
const searchFor = (invocationId: InvocationId, round: number) => {
  const versions = new Map<Sha256, FileState>();
  const seen = { found: undefined as FoundRequest | undefined, last: 0, hydrated: [] as ReadonlyArray<Hydrated> };

  const keepVersion = (event: StoredEvent, { files }: RunState): void => {
    const { path } = event.payload as { readonly path?: unknown };
    const file = typeof path === "string" ? PathMap.get(files, path) : undefined;
    if (file !== undefined) versions.set(file.sha256, file);
  };

  const see = (event: StoredEvent, state: RunState): void => {
    keepVersion(event, state);
    const payload = event.payload as { readonly round?: unknown; readonly invocationId?: unknown };
    if (payload.invocationId !== invocationId || typeof payload.round !== "number") return;
    if (event.type === "model_request_created") seen.last = Math.max(seen.last, payload.round);
    if (payload.round !== round) return;
    switch (event.type) {
      case "model_request_created":
        seen.hydrated = [];
        seen.found = { state, attempt: 0, hydrated: [], inputTokens: 0, versions };
        return;
      case "context_tool_result_hydrated":
        seen.hydrated = [...seen.hydrated, event.payload as unknown as Hydrated];
        return;
      case "model_call_attempt_started":
        seen.found = {
          state,
          attempt: (event.payload as unknown as PayloadOf<"model_call_attempt_started">).attempt,
          hydrated: seen.hydrated,
          inputTokens: 0,
          versions,
        };
        seen.hydrated = [];
        return;
      case "model_response_stored": {
        const { usage } = event.payload as unknown as PayloadOf<"model_response_stored">;
        if (seen.found !== undefined) seen.found = { ...seen.found, inputTokens: usage?.inputTokens ?? 0 };
        return;
      }
      default:
        return;
    }
  };

  return { see, found: () => seen.found, last: () => seen.last };
};

const described = Effect.fnUntraced(function* (
  runId: RunId,
  invocationId: InvocationId,
  round: number,
  request: FoundRequest,
): Effect.fn.Return<ContextFrame, Fatal, RunJournal | BlobStore> {
  const { attempt, inputTokens, state } = request;
  const payloads = yield* Payloads.make(runId);
  const frozen = yield* readFrozen(state, invocationId, payloads);
  const rules = rulesOf(frozen.profile);
  const task = taskOf(state, invocationId);
  const invocation = state.invocations[invocationId];
  const log = invocation?.messages ?? Log.empty();
  const references = Log.toArray(log);
  const whole = yield* Transcript.make(payloads, frozen.prompt.messages).messages(log);
  const behind = whole.slice(frozen.prompt.messages.length);
  const shaped = shapeResults(rules, references, behind, estimate.ofMessage);
  const shown = yield* withFiles(WorkspaceFiles.make(payloads), request, references, shaped);
  const components = [
    ...promptParts(frozen, task === undefined ? "" : yield* payloads.read(task.brief)),
    ...conversationOf({
      leftOut: invocation?.leftOut ?? 0,
      note: estimate.ofMessage(text("user", phrasesOf(rules.language).leftOut)),
      messages: references.map((reference, index) => {
        const { form, message } = shown[index] ?? { form: "full", message: undefined };
        return { reference, form, tokens: message === undefined ? null : estimate.ofMessage(message) };
      }),
    }),
    toolsOf(frozen),
  ];
  const windowTokens = rules.windowTokens ?? assumedWindowTokens;
  const isStated = rules.windowTokens !== undefined;
  const isCounted = inputTokens > 0;
  return {
    round,
    invocationId,
    attempt,
    model: frozen.binding.modelId,
    window: { tokens: windowTokens, isStated },
    tokens: {
      count: isCounted ? inputTokens : tokensOf(components),
      counter: isCounted ? "provider" : estimate.estimator,
      isExact: isCounted,
      budget: isStated
        ? windowTokens - reservedTokens(windowTokens, frozen.prompt.generationParameters.maxOutputTokens)
        : null,
    },
    components,
  };
});

/** The results with the files that the request showed behind them, as those were then. */
const withFiles = (
  files: WorkspaceFiles.WorkspaceFiles,
  { hydrated, versions }: FoundRequest,
  references: ReadonlyArray<RunReference>,
  shaped: ReadonlyArray<Shaped>,
): Effect.Effect<ReadonlyArray<Shaped>, Fatal> =>
  hydrated.length === 0
    ? Effect.succeed(shaped)
    : Effect.forEach(shaped, (result, index) => {
        const reference = references[index];
        const file = hydrated.find(({ callId }) => reference?.kind === "result" && reference.callId === callId);
        const version = file === undefined ? undefined : versions.get(file.sha256);
        if (file === undefined || version === undefined) return Effect.succeed(result);
        return Effect.map(files.content(version), (content): Shaped => ({
          message: withFile(result.message, file.path, content),
          form: "file",
        }));
      });

type RunReference = Parameters<typeof shapeResults>[1][number];

/** The parts of the prompt, as its assembler has told them or one for each message, and what stands within its instructions. */
const promptParts = (frozen: FrozenInvocation, agentTask: string): ReadonlyArray<PromptComponent> => {
  const { components } = frozen.prompt;
  const parts = components ?? messageParts(frozen, agentTask);
  const catalogue = skillCatalogue(frozen.snapshot, frozen.profile, frozen.skills.skills);
  const isThere = catalogue !== "" && frozen.prompt.messages.some((message) => textOf(message).includes(catalogue));
  if (!isThere) return parts;
  const host = parts.find(({ identifier }) => identifier === instructionsIdentifier);
  return parts.flatMap((part) =>
    part === host
      ? [
          part,
          {
            identifier: "skills",
            kind: "skills",
            source: "skills/",
            tokens: estimate.ofText(catalogue),
            skipped: null,
            within: instructionsIdentifier,
          } as const,
        ]
      : [part],
  );
};

/** What assemblers call the instructions of the agent. */
const instructionsIdentifier = "agentSystemPrompt";

const messageParts = ({ prompt }: FrozenInvocation, agentTask: string): ReadonlyArray<PromptComponent> => {
  const { agentSystemPrompt = "", messages } = prompt;
  const placeOf = (said: string) => messages.findIndex((message) => said !== "" && textOf(message).includes(said));
  const instructions = placeOf(agentSystemPrompt);
  const task = placeOf(agentTask);
  return messages.map((message, index) => {
    const counted = { tokens: estimate.ofMessage(message), skipped: null };
    if (index === instructions)
      return { identifier: instructionsIdentifier, kind: "system", source: "profile", ...counted };
    if (index === task) return { identifier: "agentTask", kind: "task", source: "task", ...counted };
    return { identifier: `prompt#${index}`, kind: kindOf(message), source: `prompt#${index}`, ...counted };
  });
};

const kindOf = ({ role }: Message): PromptComponent["kind"] =>
  role === "system" || role === "developer" ? "system" : "history";

const toolsOf = ({ snapshot }: FrozenInvocation): PromptComponent => ({
  identifier: "tools",
  kind: "tools",
  source: `tools (${snapshot.bindings.length})`,
  tokens: estimate.ofText(JSON.stringify(definitionsOf(snapshot))),
  skipped: null,
});
