/**
 * The canonical digest of a run: equal for equal journals, wherever they are stored.
 */
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import { canonicalJson } from "@cahier/domain/tool/canonicalArguments";
import type { RunRecord } from "@cahier/ports/RunJournal";

/** The digest before the first event: that of the run's record. */
export const begin = ({ createdAt, runId, workspaceId }: RunRecord): Sha256.Sha256 =>
  Sha256.ofText(canonicalJson({ createdAt, runId, workspaceId }));

/**
 * The digest with one more event: of the digest so far, a line feed, and the event as JSON with sorted keys. Everything of
 * the envelope counts; batch and checksum are of the storage and no part of it.
 */
export const add = (digest: Sha256.Sha256, event: StoredEvent): Sha256.Sha256 =>
  Sha256.ofText(`${digest}\n${canonicalJson(event)}`);
