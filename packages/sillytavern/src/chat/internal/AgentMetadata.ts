/**
 * What a commit leaves in a message under `extra.cahier.agent`, and finding it again.
 *
 * Owns the fields and their meaning. Does not own where in a message they stand: `Place` does.
 */
import type { MessageAgent } from "@cahier/domain/chat/Chat";
import type { CommitRequest } from "@cahier/ports/ChatHost";
import * as Schema from "effect/Schema";
import { isArray, isObject, type JsonObject } from "./json.ts";

/** Where the metadata stands inside an `extra`. */
export const path = ["cahier", "agent"] as const;

/**
 * How the commit is taken back: `deleteMessage`, or `deleteSwipe` with the swipe's position. `previous` holds the JSON
 * text of what the swipe replaced, so that taking it back gives the same bytes.
 */
export interface Rollback {
  readonly strategy: "deleteMessage" | "deleteSwipe";
  readonly swipeId: number;
  readonly previous?: JsonObject;
}

/** Fields that only commits write. */
export const reserved: ReadonlySet<string> = new Set([
  "version",
  "runId",
  "workspaceId",
  "stableChatId",
  "commitId",
  "commitSeq",
  "commits",
  "rollback",
]);

/** The metadata of a run's first commit. */
export const first = (request: CommitRequest, rollback: Rollback): JsonObject => ({
  version: 1,
  runId: request.metadata.runId,
  workspaceId: request.metadata.workspaceId,
  stableChatId: request.metadata.stableChatId,
  profileId: request.metadata.profileId,
  persistStateStatus: "not_committed",
  commitId: request.commitId,
  commitSeq: 1,
  commits: [entry(request, 1)],
  rollback,
  artifacts: [{ path: request.metadata.path }],
});

/** One element of `commits`. */
export const entry = (request: CommitRequest, commitSeq: number): JsonObject => ({
  commitId: request.commitId,
  commitSeq,
  mode: request.mode,
  path: request.metadata.path,
  at: request.at,
});

/** The metadata in an `extra`, or null. */
export const of = (extra: unknown): JsonObject | null => {
  const cahier = isObject(extra) ? extra["cahier"] : undefined;
  const agent = isObject(cahier) ? cahier["agent"] : undefined;
  return isObject(agent) ? agent : null;
};

/**
 * What a message says of the states that runs published: of the swipe that it shows, and which ids its other swipes name.
 * Chats that were written under the original's name are read as well. Undefined where no run has left anything.
 */
export const stateOf = (fields: JsonObject): MessageAgent | undefined => {
  const shown = either(fields["extra"]);
  const infos = fields["swipe_info"];
  const others = (isArray(infos) ? infos : []).flatMap((info, index) =>
    index === fields["swipe_id"] || !isObject(info) ? [] : idIn(either(info["extra"])),
  );
  const found: MessageAgent = {
    ...pick(shown, "persistStateStatus"),
    ...pick(shown, "persistStateId"),
    ...(others.length === 0 ? {} : { otherStateIds: [...new Set(others)] }),
  };
  return Object.keys(found).length === 0 ? undefined : found;
};

const either = (extra: unknown): JsonObject | null => {
  const original = isObject(extra) ? extra["tauritavern"] : undefined;
  const agent = isObject(original) ? original["agent"] : undefined;
  return of(extra) ?? (isObject(agent) ? agent : null);
};

const idIn = (agent: JsonObject | null): ReadonlyArray<string> => {
  const stateId = agent?.["persistStateId"];
  return typeof stateId === "string" && stateId !== "" ? [stateId] : [];
};

const pick = (agent: JsonObject | null, key: "persistStateId" | "persistStateStatus") => {
  const value = agent?.[key];
  return isJson(value) ? { [key]: value } : {};
};

const isJson = Schema.is(Schema.Json);

/** The commits in an `extra`, in order. */
export const commitIds = (extra: unknown): ReadonlyArray<string> => {
  const commits = of(extra)?.["commits"];
  if (!isArray(commits)) return [];
  return commits.flatMap((commit) => {
    const commitId = isObject(commit) ? commit["commitId"] : undefined;
    return typeof commitId === "string" ? [commitId] : [];
  });
};

/** Whether a path is among the artifacts. */
export const hasArtifact = (agent: JsonObject, artifact: string): boolean => {
  const artifacts = agent["artifacts"];
  return isArray(artifacts) && artifacts.some((found) => isObject(found) && found["path"] === artifact);
};
