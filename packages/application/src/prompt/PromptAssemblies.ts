/**
 * Prompts that a host has to make: a request that waits until somebody has answered it.
 *
 * A run asks with an event that says that there is a request and nothing of it; the host reads the request by its id and
 * resolves it, once, with what it was asked about by fingerprint. Both are create-only documents, so that neither a crash nor
 * a second answer changes what was said first. Does not own what becomes of the answer.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { InvocationId, ProfileId, RunId } from "@cahier/domain/identity/Identity";
import { Payload } from "@cahier/domain/payload/Payload";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import { ContextPolicy } from "@cahier/domain/run/event/model";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as Payloads from "../payload/Payloads.ts";

export const kind = "cahier.promptAssemblyRequest";
export const schemaVersion = 1;

/** The anchors whose texts the answer must hold. */
export const requiredComponents = ["agentSystemPrompt", "agentTask"] as const;

/**
 * What a host makes a prompt of. `invocationKind` is `subagent` or `handoff`; `presetRef` is the preset that the profile names;
 * `fingerprint` names all of it, the frozen input included.
 */
export const PromptAssemblyRequest = Schema.Struct({
  kind: Schema.Literal(kind),
  schemaVersion: Schema.Literal(schemaVersion),
  assemblyId: Schema.String,
  runId: RunId,
  invocationId: InvocationId,
  invocationKind: Schema.String,
  parentInvocationId: Schema.NullOr(InvocationId),
  taskId: Schema.String,
  profileId: ProfileId,
  generationType: Schema.String,
  presetRef: Schema.Struct({ apiId: Schema.String, name: Schema.String }),
  modelId: Schema.String,
  contextPolicy: ContextPolicy,
  agentSystemPrompt: Schema.String,
  agentTaskPrompt: Schema.String,
  requiredAgentPromptComponents: Schema.Array(Schema.String),
  fingerprint: Schema.String,
});
export type PromptAssemblyRequest = typeof PromptAssemblyRequest.Type;

/** A request as a host reads it: with what was frozen when the run began, as its host gave it. */
export interface ReadRequest {
  readonly request: PromptAssemblyRequest;
  readonly promptInput: Schema.Json | undefined;
}

const Stored = Schema.Struct({ request: PromptAssemblyRequest, promptInput: Schema.optionalKey(Payload) });

const Answer = Schema.Union([
  Schema.Struct({ fingerprint: Schema.String, promptSnapshot: Payload }),
  Schema.Struct({ fingerprint: Schema.String, error: Schema.String }),
]);
export type Answer = typeof Answer.Type;

const decodeStored = Schema.decodeUnknownOption(Stored);
const decodeAnswer = Schema.decodeUnknownOption(Answer);
const encodeStored = Schema.encodeSync(Stored);
const parse = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Json));

/** What names a request: another input, profile, preset or task has another fingerprint. */
export const fingerprintOf = (
  request: Omit<PromptAssemblyRequest, "fingerprint" | "assemblyId">,
  promptInput: Payload | undefined,
): string => Sha256.ofText(JSON.stringify([request, promptInput?.sha256 ?? null]));

/** Leaves a request; one of this id that is there already is the same one, left before a crash. */
export const leave = Effect.fn("PromptAssemblies.leave")(function* (
  documents: DocumentStore["Service"],
  request: PromptAssemblyRequest,
  promptInput: Payload | undefined,
): Effect.fn.Return<void, Fatal> {
  const stored = encodeStored({ request, ...(promptInput === undefined ? {} : { promptInput }) });
  yield* documents.put(collectionOf(request.runId), request.assemblyId, 0, stored as Schema.Json).pipe(
    Effect.catchTag("Conflict", () => Effect.succeed(0)),
    Effect.mapError(classifyStorage),
  );
});

/** The request of a run by its id. One that nobody has made, or that is answered and done with, is not there. */
export const read = Effect.fn("PromptAssemblies.read")(function* (
  runId: RunId,
  assemblyId: string,
): Effect.fn.Return<ReadRequest, Fatal, DocumentStore | Payloads.Requirements> {
  const { promptInput, request } = yield* storedOf(yield* DocumentStore, runId, assemblyId);
  if (promptInput === undefined) return { request, promptInput: undefined };
  const payloads = yield* Payloads.make(runId);
  const json = yield* Effect.flatMap(payloads.read(promptInput), parse).pipe(
    Effect.mapError((cause) =>
      fatal("agent.prompt_assembly_request_missing", "What the run was started with cannot be read any more.", {
        cause,
      }),
    ),
  );
  return { request, promptInput: json };
});

/** What a host answers: a prompt as a start takes it, or why there is none. */
export type Resolution =
  | { readonly fingerprint: string; readonly promptSnapshot: unknown }
  | { readonly fingerprint: string; readonly error: string };

/** Answers a request, once: a second answer, one to other facts and one without a prompt change nothing. */
export const resolve = Effect.fn("PromptAssemblies.resolve")(function* (
  runId: RunId,
  assemblyId: string,
  resolution: Resolution,
): Effect.fn.Return<void, Fatal, DocumentStore | Payloads.Requirements> {
  const documents = yield* DocumentStore;
  const { request } = yield* storedOf(documents, runId, assemblyId);
  if (resolution.fingerprint !== request.fingerprint)
    return yield* fatal(
      "agent.prompt_assembly_resolve_invalid",
      `The answer is to other facts than were asked about. Read the request ${assemblyId} again and make the prompt of that.`,
    );
  if (
    "promptSnapshot" in resolution &&
    (typeof resolution.promptSnapshot !== "object" || resolution.promptSnapshot === null)
  )
    return yield* fatal(
      "agent.prompt_assembly_snapshot_required",
      "The answer has neither a prompt nor an error. Give promptSnapshot as for a start, or error as a sentence.",
    );
  const { fingerprint } = resolution;
  const answer =
    "error" in resolution
      ? { fingerprint, error: resolution.error }
      : {
          fingerprint,
          promptSnapshot: yield* (yield* Payloads.make(runId)).store(
            `input/invocations/${request.invocationId}/prompt_assembly.json`,
            JSON.stringify(resolution.promptSnapshot),
          ),
        };
  yield* documents.put(collectionOf(runId), answerIdOf(assemblyId), 0, answer as Schema.Json).pipe(
    Effect.catchTag("Conflict", () =>
      Effect.fail(fatal("agent.prompt_assembly_not_pending", `The request ${assemblyId} has been answered already.`)),
    ),
    Effect.mapError((fault) => (fault._tag === "Fatal" ? fault : classifyStorage(fault))),
  );
});

/** The answer to a request, if there is one. */
export const answerTo = Effect.fnUntraced(function* (
  documents: DocumentStore["Service"],
  runId: RunId,
  assemblyId: string,
): Effect.fn.Return<Option.Option<Answer>, Fatal> {
  return yield* documents.get(collectionOf(runId), answerIdOf(assemblyId)).pipe(
    Effect.map(({ value }) => decodeAnswer(value)),
    Effect.catchTag("NotFound", () => Effect.succeedNone),
    Effect.mapError(classifyStorage),
  );
});

/** Takes a request and its answer away: they are done with. */
export const remove = (documents: DocumentStore["Service"], runId: RunId, assemblyId: string): Effect.Effect<void> =>
  Effect.ignore(
    Effect.andThen(
      documents.remove(collectionOf(runId), assemblyId),
      documents.remove(collectionOf(runId), answerIdOf(assemblyId)),
    ),
  );

/** Takes away everything that a run has asked for: it has ended, and waits for nothing. */
export const clear = (documents: DocumentStore["Service"], runId: RunId): Effect.Effect<void> =>
  documents.list(collectionOf(runId)).pipe(
    Effect.flatMap(({ documents: left }) =>
      Effect.forEach(left, ({ id }) => documents.remove(collectionOf(runId), id), { discard: true }),
    ),
    Effect.ignore,
  );

const collectionOf = (runId: RunId): string => `prompt-assemblies/${runId}`;

const answerIdOf = (assemblyId: string): string => `${assemblyId}_answer`;

const storedOf = Effect.fnUntraced(function* (
  documents: DocumentStore["Service"],
  runId: RunId,
  assemblyId: string,
): Effect.fn.Return<typeof Stored.Type, Fatal> {
  const missing = () =>
    fatal("agent.prompt_assembly_request_missing", `The run ${runId} waits for no prompt of the id ${assemblyId}.`);
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(assemblyId)) return yield* missing();
  const found = yield* documents.get(collectionOf(runId), assemblyId).pipe(
    Effect.map(({ value }) => decodeStored(value)),
    Effect.catchTag("NotFound", () => Effect.succeedNone),
    Effect.mapError(classifyStorage),
  );
  if (Option.isNone(found)) return yield* missing();
  return found.value;
});
