/**
 * Ports that a gate stands around: what a run does through them comes past its boundaries.
 *
 * Owns which operations are writes and which reach outside. Everything else is passed on.
 */
import type { RunJournal } from "@cahier/ports/RunJournal";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { ChatHost } from "@cahier/ports/ChatHost";
import type { ModelGateway } from "@cahier/ports/ModelGateway";
import type { Gate } from "./Gate.ts";

/** Creating, claiming and appending come past as appends. */
export const runJournal = (journal: RunJournal["Service"], gate: Gate): RunJournal["Service"] => ({
  ...journal,
  create: (record) => gate.appending(record.runId, journal.create(record)),
  claim: (runId, epoch, event) => gate.appending(runId, journal.claim(runId, epoch, event)),
  append: (runId, position, events) => gate.appending(runId, journal.append(runId, position, events)),
});

/** A scope is taken for the run that it is named after. */
export const blobStore = (blobs: BlobStore["Service"], gate: Gate): BlobStore["Service"] => ({
  ...blobs,
  put: (scope, bytes) => gate.storing(scope, blobs.put(scope, bytes)),
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
