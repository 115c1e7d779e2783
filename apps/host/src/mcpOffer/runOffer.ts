/**
 * What other clients of the Model Context Protocol are shown of this host's runs.
 *
 * Owns filling the forms of `@cahier/mcp-server` from what the application reads. Does not own what they may do (`runActions`).
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { checkpointsOf } from "@cahier/domain/run/checkpoint";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { allTasks } from "@cahier/domain/run/tasks";
import { readDiff } from "@cahier/application/diff/readDiff";
import type { Ownership } from "@cahier/application/run/Ownership";
import {
  listRuns,
  readEvents,
  readFileBytes,
  showRun,
  subscribe,
  summarizeRun,
} from "@cahier/application/run/RunReader";
import { Tools } from "@cahier/application/tool/Tools";
import { filesOf } from "@cahier/application/workspace/WorkspaceFiles";
import type { Offer } from "@cahier/mcp-server/Offer";
import type { FileContent, FileEntry, RunDetail, RunLine } from "@cahier/mcp-server/OfferedRun";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { modelFactsOf } from "../cli/modelFacts.ts";
import { version } from "../cli/usage.ts";
import { waitingCallsOf } from "../cli/waitingCalls.ts";
import * as AgentNames from "../timeline/AgentNames.ts";
import { rowOf } from "../timeline/Timeline.ts";
import { faultOf } from "./faultOf.ts";

/** What looking at runs takes. */
export type Looking = BlobStore | DocumentStore | Ownership | RunJournal | Tools;

/** Reading alone, over the storage and the tools in context. */
export const make: Effect.Effect<Offer, never, Looking> = Effect.gen(function* () {
  const services = yield* Effect.context<Looking>();
  const offered = <A>(work: Effect.Effect<A, Fatal, Looking>) =>
    work.pipe(Effect.mapError(faultOf), Effect.provideContext(services));
  return {
    identity: { name: "cahier", version, title: "Cahier: runs of writing agents" },
    runs: {
      list: (page) => offered(listRuns(page)),
      show: (runId) => offered(detailOf(runId)),
      events: (runId, page) => offered(linesOf(runId, page)),
      follow: (runId, afterSeq) =>
        Stream.unwrap(Effect.map(namesIn(runId), (names) => followed(runId, afterSeq, names))).pipe(
          Stream.mapError(faultOf),
          Stream.provideContext(services),
        ),
    },
    files: {
      list: (runId) => offered(Effect.map(showRun(runId), ({ state }) => filesOf(state).map(entryOf))),
      read: (runId, path) => offered(contentOf(runId, path)),
    },
    diff: (runId, range) => offered(readDiff(runId, range)),
    tools: offered(
      Effect.gen(function* () {
        const { tools } = yield* (yield* Tools).catalogue;
        return tools.map(({ descriptor }) => descriptor);
      }),
    ),
  };
});

const detailOf = Effect.fnUntraced(function* (runId: RunId) {
  const { state } = yield* showRun(runId);
  const { models } = yield* modelFactsOf(runId, state.seq);
  return {
    ...(yield* summarizeRun(runId)),
    lastSeq: state.seq,
    invocations: Object.values(state.invocations).map((one) => {
      const model = models.get(one.id)?.modelId;
      return {
        invocationId: one.id,
        status: one.status,
        ...(model === undefined ? {} : { model }),
        rounds: one.completedResponses,
        toolCalls: one.callCount,
        inputTokens: one.inputTokens,
        outputTokens: one.outputTokens,
      };
    }),
    files: filesOf(state).map(entryOf),
    committed: state.commits.map(({ chars, commitId, messageIndex, path }) => ({
      messageIndex,
      path,
      characters: chars,
      commitId,
    })),
    checkpoints: checkpointsOf(state).map(({ id, label, seq }) => ({
      checkpointId: id,
      seq,
      ...(label === null ? {} : { label }),
    })),
    waitingFor: waitingCallsOf(state),
  } satisfies RunDetail;
});

const linesOf = Effect.fnUntraced(function* (
  runId: RunId,
  page: { readonly afterSeq: number; readonly limit: number },
) {
  const { nameOf } = yield* namesIn(runId);
  const { events } = yield* readEvents(runId, page);
  return events.map((event) => lineOf(event, nameOf));
});

const followed = (runId: RunId, afterSeq: number, { learn, nameOf }: AgentNames.AgentNames) =>
  subscribe(runId, afterSeq).pipe(
    Stream.tap(learn),
    Stream.map((event) => lineOf(event, nameOf)),
  );

const namesIn = Effect.fnUntraced(function* (runId: RunId) {
  const { state } = yield* showRun(runId);
  return yield* AgentNames.make(runId, allTasks(state));
});

const lineOf = (event: StoredEvent, nameOf: AgentNames.NameOf): RunLine => ({
  seq: event.seq,
  at: event.timestamp,
  type: event.type,
  text: rowOf(event, { colours: false, nameOf }),
});

const entryOf = ({ bytes, path, sha256 }: FileEntry): FileEntry => ({ path, bytes, sha256 });

const decoder = new TextDecoder();

const contentOf = (runId: RunId, asked: string) =>
  Effect.map(readFileBytes(runId, asked), ({ bytes, isText, path, sha256 }): FileContent =>
    isText ? { path, sha256, text: decoder.decode(bytes) } : { path, sha256, data: bytes },
  );
