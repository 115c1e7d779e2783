/**
 * Broken storage and a broken chat host that only a crash shows: each works as long as its process lives. The sweep must
 * notice every one of them.
 */
import { CommitId, type RunId } from "@cahier/domain/identity/Identity";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { ChatHost } from "@cahier/ports/ChatHost";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";

/** The ports of one process that a sweep strikes. */
export interface StruckPorts {
  readonly journal: RunJournal["Service"];
  readonly blobs: BlobStore["Service"];
  readonly chatHost: ChatHost["Service"];
}

/** `breaks` is called once in each process. */
export interface CrashMutant {
  readonly name: string;
  readonly title: string;
  readonly breaks: (ports: StruckPorts) => StruckPorts;
}

export const mutants: ReadonlyArray<CrashMutant> = [
  {
    name: "early-append",
    title: "an append that answers before it is durable",
    breaks: (ports) => ({ ...ports, journal: answersEarly(ports.journal) }),
  },
  {
    name: "short-append",
    title: "an append that loses the last of its events",
    breaks: (ports) => ({ ...ports, journal: renumbered(ports.journal, (events) => events.slice(0, -1)) }),
  },
  {
    name: "double-append",
    title: "an append that writes its events twice",
    breaks: (ports) => ({ ...ports, journal: renumbered(ports.journal, (events) => [...events, ...events]) }),
  },
  {
    name: "open-fence",
    title: "a claim that does not fence the owner before it",
    breaks: (ports) => ({ ...ports, journal: unfenced(ports.journal) }),
  },
  {
    name: "late-blob",
    title: "a blob that is stored after the event that refers to it",
    breaks: (ports) => ({ ...ports, blobs: storesLate(ports.blobs) }),
  },
  {
    name: "nameless-commit",
    title: "a commit that goes to the chat under another id each time",
    breaks: (ports) => ({ ...ports, chatHost: forgetsIds(ports.chatHost) }),
  },
];

type Journal = RunJournal["Service"];

/** What was answered for is written before anything else is asked of the run; whoever dies before has lost it. */
const answersEarly = (journal: Journal): Journal => {
  const kept = new Map<RunId, Effect.Effect<unknown, unknown>>();
  const write = (runId: RunId): Effect.Effect<void> =>
    Effect.suspend(() => {
      const waiting = kept.get(runId) ?? Effect.void;
      kept.delete(runId);
      return Effect.ignore(waiting);
    });
  return {
    ...journal,
    append: (runId, position, events) =>
      Effect.andThen(
        write(runId),
        Effect.sync(() => {
          kept.set(runId, journal.append(runId, position, events));
          return position.expectedSeq + events.length;
        }),
      ),
    claim: (runId, epoch, event) => Effect.andThen(write(runId), journal.claim(runId, epoch, event)),
    read: (runId, options) => Effect.andThen(write(runId), journal.read(runId, options)),
    release: (runId) => Effect.andThen(write(runId), journal.release(runId)),
  };
};

/** Writes other events than it was given, and numbers on as if nothing were amiss until the run is claimed. */
const renumbered = (
  journal: Journal,
  change: (events: Parameters<Journal["append"]>[2]) => Parameters<Journal["append"]>[2],
): Journal => {
  const ahead = new Map<RunId, number>();
  return {
    ...journal,
    append: (runId, position, events) =>
      Effect.suspend(() => {
        const written = events.length > 1 ? change(events) : events;
        const expectedSeq = position.expectedSeq - (ahead.get(runId) ?? 0);
        return Effect.map(journal.append(runId, { ...position, expectedSeq }, written), (lastSeq) => {
          const told = position.expectedSeq + events.length;
          ahead.set(runId, told - lastSeq);
          return told;
        });
      }),
    claim: (runId, epoch, event) =>
      Effect.tap(journal.claim(runId, epoch, event), () => Effect.sync(() => ahead.delete(runId))),
  };
};

/** Whoever appends is taken for the owner, wherever the journal stands. */
const unfenced = (journal: Journal): Journal => ({
  ...journal,
  append: (runId, position, events) => {
    const anyway = Effect.gen(function* () {
      const { epoch, lastSeq } = yield* journal.read(runId, { limit: 1 });
      yield* journal.append(runId, { epoch, expectedSeq: lastSeq }, events);
      return position.expectedSeq + events.length;
    });
    return journal
      .append(runId, position, events)
      .pipe(Effect.catchTags({ Fenced: () => anyway, Conflict: () => anyway }));
  },
});

/** A blob is written when the next one is, or when it is read. */
const storesLate = (blobs: BlobStore["Service"]): BlobStore["Service"] => {
  const kept = new Map<string, Uint8Array>();
  const write = (scope: string) =>
    Effect.suspend(() => {
      const bytes = kept.get(scope);
      kept.delete(scope);
      return bytes === undefined ? Effect.void : Effect.ignore(blobs.put(scope, bytes));
    });
  return {
    ...blobs,
    put: (scope, bytes) =>
      Effect.andThen(
        write(scope),
        Effect.sync(() => {
          kept.set(scope, bytes);
          return Sha256.ofBytes(bytes);
        }),
      ),
    get: (scope, sha256) => Effect.andThen(write(scope), blobs.get(scope, sha256)),
    stat: (scope, sha256) => Effect.andThen(write(scope), blobs.stat(scope, sha256)),
  };
};

/** The chat is taken as it stands, and no commit is known again by another process. */
const forgetsIds = (host: ChatHost["Service"]): ChatHost["Service"] => {
  const count = { commits: 0 };
  const renamed = new Map<CommitId, CommitId>();
  return {
    ...host,
    commit: Effect.fnUntraced(function* (request) {
      const { revision } = yield* host.freeze(request.chat, request.generationType);
      count.commits += 1;
      const id = `${(yield* Clock.currentTimeMillis).toString(16)}${count.commits.toString(16).padStart(4, "0")}`;
      const commitId = CommitId.make(`commit_${id.padStart(32, "0")}`);
      renamed.set(request.commitId, commitId);
      const { previous } = request;
      return yield* host.commit({
        ...request,
        commitId,
        revision,
        ...(previous === undefined
          ? {}
          : { previous: { ...previous, commitId: renamed.get(previous.commitId) ?? previous.commitId } }),
      });
    }),
    lookup: () => Effect.succeed(null),
  };
};
