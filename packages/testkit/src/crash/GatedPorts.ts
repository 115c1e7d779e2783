/**
 * Ports that a gate stands around: what a run does through them comes past its boundaries.
 *
 * Owns which operations are writes and which reach outside. Everything else is passed on.
 */
import type { RunJournal } from "@cahier/ports/RunJournal";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { ChatHost } from "@cahier/ports/ChatHost";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { ModelGateway } from "@cahier/ports/ModelGateway";
import type { Gate } from "./Gate.ts";

/** Creating, claiming and appending come past as appends. */
export const runJournal = (journal: RunJournal["Service"], gate: Gate): RunJournal["Service"] => ({
  ...journal,
  create: (record, history) => gate.appending(record.runId, journal.create(record, history)),
  claim: (runId, epoch, event) => gate.appending(runId, journal.claim(runId, epoch, event)),
  append: (runId, position, events) => gate.appending(runId, journal.append(runId, position, events)),
});

/** Blobs are those of the run whose id is in the name of their scope; others are passed on. */
export const blobStore = (blobs: BlobStore["Service"], gate: Gate): BlobStore["Service"] => ({
  ...blobs,
  put: (scope, bytes) => {
    const run = runIn(scope);
    return run === undefined ? blobs.put(scope, bytes) : gate.storing(run, blobs.put(scope, bytes));
  },
});

/** Documents are those of the run whose id is in their collection or their id; others are passed on. */
export const documentStore = (documents: DocumentStore["Service"], gate: Gate): DocumentStore["Service"] => ({
  ...documents,
  put: (collection, id, revision, value) => {
    const run = runIn(`${collection}/${id}`);
    const put = documents.put(collection, id, revision, value);
    return run === undefined ? put : gate.documenting(run, put);
  },
});

/** Commits come past as requests to the outside. */
export const chatHost = (host: ChatHost["Service"], gate: Gate): ChatHost["Service"] => ({
  ...host,
  commit: (request) => gate.answering(request.metadata.runId, host.commit(request)),
});

/** So do calls of a model; the run stands before the colon in the id of the session. */
export const modelGateway = (gateway: ModelGateway["Service"], gate: Gate): ModelGateway["Service"] => ({
  ...gateway,
  generate: (request, onDelta) =>
    gate.answering(request.sessionId.split(":")[0] ?? "", gateway.generate(request, onDelta)),
});

/** The id of a run, wherever it stands in a name. */
const runIn = (name: string): string | undefined => /run_[A-Za-z0-9]+/u.exec(name)?.[0];
