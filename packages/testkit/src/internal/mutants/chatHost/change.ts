/**
 * How broken chat hosts are made of correct ones.
 */
import type { FrozenChat } from "@cahier/domain/chat/Chat";
import type { ChatHost, ChatLocation, CommitRequest } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import type { ChatHostHarness } from "../../../laws/ChatHostLaws.ts";
import * as Change from "../../../mutants/Change.ts";

type Host = ChatHost["Service"];

export const change = Change.of<Host, ChatHostHarness>();

/** Changes what a commit asks for. */
export const changeRequest = (map: (request: CommitRequest) => CommitRequest) =>
  change((host) => ({ commit: (request) => host.commit(map(request)) }));

/** Changes what freezing gives. */
export const changeFrozen = (map: (frozen: FrozenChat) => FrozenChat) =>
  change((host) => ({ freeze: (chat, type) => Effect.map(host.freeze(chat, type), map) }));

export const presentRevision = (host: Host, chat: ChatLocation) =>
  Effect.map(host.freeze(chat, "normal"), (frozen) => frozen.revision);

/** A commit at whatever revision the chat has. */
export const commitBlindly = change((host) => ({
  commit: (request) =>
    Effect.flatMap(presentRevision(host, request.chat), (revision) => host.commit({ ...request, revision })),
}));
