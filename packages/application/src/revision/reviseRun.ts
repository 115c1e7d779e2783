/**
 * Lets a run that has completed change what it has published, as a user asks.
 *
 * Owns what the new invocation is given: everything that was frozen for the run, fresh rounds, the message as it stands in the
 * chat, and the user's request. Does not own carrying it on (`Runs`); its commit replaces the same message as any later one.
 */
import type { FrozenChat } from "@cahier/domain/chat/Chat";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Guidance from "@cahier/domain/guidance/Guidance";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { isRevisable } from "@cahier/domain/run/evolveRevision";
import { draft, type PayloadOf } from "@cahier/domain/run/RunEvent";
import { chatRevision, type RunState } from "@cahier/domain/run/RunState";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import { ChatHost } from "@cahier/ports/ChatHost";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { chatRefusal } from "../failure/classifyChat.ts";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as Identifiers from "../identity/Identifiers.ts";
import * as Payloads from "../payload/Payloads.ts";
import { letGo, release } from "../rollback/atRest.ts";
import { settleRollback } from "../rollback/settleRollback.ts";
import { chatOf } from "../run/chatOf.ts";
import { claimRun, foregroundOf } from "../run/claimRun.ts";
import * as InvocationSetup from "../run/InvocationSetup.ts";
import { loadWritable } from "../run/loadState.ts";
import * as paths from "../run/paths.ts";
import { changeStatus, type RunContext } from "../run/RunContext.ts";
import { summariesCollection } from "../run/RunSummary.ts";
import { type CarryOnOptions, Runs } from "../run/Runs.ts";
import type { RunWriter } from "../run/RunWriter.ts";
import * as SkillContents from "../skill/SkillContents.ts";
import { toolName } from "../tool/toolNames.ts";
import { Tools } from "../tool/Tools.ts";

/**
 * Revises the message of a run that has completed and gives the run that is carried on; whether an earlier revision failed
 * or was cancelled makes no difference. Refused before anything is recorded: an empty
 * or too long `text` is `agent.guidance_{empty,too_large}`, a run that has not completed or has published nothing is
 * `agent.revision_unavailable`, and a chat that is not as the run left it is `chat.conflict`.
 */
export const reviseRun = Effect.fn("Runs.revise")(function* (runId: RunId, text: string, options: CarryOnOptions = {}) {
  const runs = yield* Runs;
  const documents = yield* DocumentStore;
  yield* requireGuidance(text);
  const frozen = yield* load(runId);
  yield* requirePublished(frozen.state);
  // A rollback that a crash left open decides what the message is: it is settled once the run is claimed.
  if (frozen.state.pendingRollback === null) yield* presentText(frozen.state);
  const writer = yield* claimRun(runId, "evenEnded");
  yield* Effect.gen(function* () {
    // What is kept of a run that has ended would hide that it goes on.
    yield* documents.remove(summariesCollection, runId).pipe(Effect.mapError(classifyStorage));
    yield* settleRollback(writer);
    yield* requirePublished(writer.state());
    yield* begin(writer, frozen, text, yield* presentText(writer.state()));
  }).pipe(Effect.onError(() => Effect.andThen(Effect.ignore(release(writer, "revision_refused")), letGo(runId))));
  return yield* runs.carryOn(writer, options);
});

const requireGuidance = (text: string): Effect.Effect<unknown, Fatal> =>
  Effect.fromResult(Result.mapError(Guidance.admitText(text), ({ code, message }) => fatal(code, message)));

const requirePublished = (state: RunState): Effect.Effect<void, Fatal> => {
  if (isRevisable(state)) return Effect.void;
  return Effect.fail(
    fatal(
      "agent.revision_unavailable",
      state.commits.length > 0
        ? `Only a run that has completed is revised; this one is ${state.status}. Fork it, or start a new one.`
        : "The chat has no message of this run, so there is nothing to revise. Start a new one.",
    ),
  );
};

/** What was frozen for the last invocation, as its events say. */
interface Frozen {
  readonly state: RunState;
  readonly assembled: PayloadOf<"context_assembled"> | undefined;
  readonly bound: PayloadOf<"agent_model_binding_resolved"> | undefined;
}

const load = Effect.fnUntraced(function* (runId: RunId): Effect.fn.Return<Frozen, Fatal, RunJournal> {
  const journal = yield* RunJournal;
  const last = new Map<string, StoredEvent>();
  const { state } = yield* loadWritable(journal, runId, (event) => {
    if (event.type === "context_assembled" || event.type === "agent_model_binding_resolved")
      last.set(event.type, event);
  });
  const payload = (type: string): unknown => last.get(type)?.payload;
  return {
    state,
    assembled: payload("context_assembled") as Frozen["assembled"],
    bound: payload("agent_model_binding_resolved") as Frozen["bound"],
  };
});

/** The text of the run's message in the chat, which must be as the run left it. */
const presentText = Effect.fnUntraced(function* (state: RunState): Effect.fn.Return<string, Fatal, ChatHost> {
  const chatHost = yield* ChatHost;
  const chat: FrozenChat = yield* chatHost.freeze(yield* chatOf(state), "normal").pipe(Effect.mapError(chatRefusal));
  const index = state.commits.at(-1)?.messageIndex;
  const message = chat.messages.find((one) => one.index === index);
  if (message === undefined || chat.revision !== chatRevision(state))
    return yield* fatal(
      "chat.conflict",
      "The chat is not any more as the run left it, so its message is not revised. Take back what was changed in the chat, or start a new run.",
    );
  return message.text;
});

/** One append that makes the run go on with a new invocation. */
const begin = Effect.fnUntraced(function* (
  writer: RunWriter,
  { assembled, bound }: Frozen,
  text: string,
  message: string,
): Effect.fn.Return<void, Fatal, RunJournal | Tools | Payloads.Requirements> {
  const tools = yield* Tools;
  const parent = foregroundOf(writer);
  const { profileId } = writer.state();
  if (assembled === undefined || bound === undefined || profileId === null)
    return yield* fatal("journal.corrupt", "The journal does not say what the run was started with.");
  const payloads = yield* Payloads.make(writer.runId);
  const { setup } = yield* InvocationSetup.load(writer.state(), parent, payloads, tools, yield* SkillContents.make);
  const invocationId = Identifiers.invocationId((yield* Identifiers.Identifiers).next());
  const guidance = yield* payloads.store(paths.guidance(invocationId), told(text, setup));
  const content = yield* payloads.store(paths.previousOutput, message);
  const invocation = { invocationId, parentInvocationId: parent, profileId, kind: "revision" as const };
  changeStatus(writer, invocationId, "assembling_context", "revision");
  writer.record(
    draft("agent_invocation_created", invocationId, {
      ...invocation,
      status: "created",
      exitPolicy: "run_finish_allowed",
    }),
    draft("run_revision_started", invocationId, {
      invocationId,
      guidance,
      path: paths.previousOutput,
      content,
      ...TextMetrics.measure(message),
    }),
    draft("agent_model_binding_resolved", invocationId, { ...bound, invocationId }),
    draft("context_assembled", invocationId, { ...assembled, invocationId }),
    draft("agent_invocation_started", invocationId, { ...invocation, status: "running" }),
  );
  yield* writer.flush;
});

/** What the agent reads: the user's words as they are, and where the message stands. */
const told = (
  text: string,
  { messageBodyPath, snapshot }: Pick<RunContext["setup"], "messageBodyPath" | "snapshot">,
): string =>
  [
    Guidance.toldAs([text]),
    `You have published a message, and the user wants it to be changed. It stands as it is in the file ${paths.previousOutput}. Put the whole new text into ${messageBodyPath}, publish it with ${toolName(snapshot, "workspace.commit")}: it takes the place of the message. Then call ${toolName(snapshot, "workspace.finish")}.`,
  ].join("\n");
