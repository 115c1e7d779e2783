/**
 * Chat hosts that break the laws of what is kept with a chat besides its messages.
 */
import { CommitId } from "@cahier/domain/identity/Identity";
import type { FrozenChat } from "@cahier/domain/chat/Chat";
import type { CommitReceipt, CommitRequest } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import type { ChatHostHarness } from "../../../laws/ChatHostLaws.ts";
import type { Mutant } from "../../../Mutant.ts";
import { change, changeFrozen, changeRequest, commitBlindly, presentRevision } from "./change.ts";

export const mutants: ReadonlyArray<Mutant<ChatHostHarness>> = [
  {
    kills: "CHT-60",
    title: "a frozen chat that does not tell what is kept with the chat",
    breaks: changeFrozen(({ metadata: _metadata, ...frozen }) => frozen),
  },
  {
    kills: "CHT-60",
    title: "metadata whose empty values are left out",
    breaks: changeFrozen((frozen) => withKeys(frozen, (_key, value) => value !== null)),
  },
  {
    kills: "CHT-61",
    title: "a revision of the messages alone",
    breaks: changeFrozen((frozen) => ({ ...frozen, revision: JSON.stringify(frozen.messages) })),
  },
  { kills: "CHT-61", title: "a commit that does not notice other metadata", breaks: commitBlindly },
  {
    kills: "CHT-62",
    title: "a commit that forgets the chat state",
    breaks: changeRequest(({ chatState: _chatState, ...request }) => request),
  },
  {
    kills: "CHT-62",
    title: "chat state that takes the place of all metadata",
    breaks: (harness) => {
      const written = new Set<string>();
      return change((host) => ({
        commit: (request) => {
          for (const key of Object.keys(request.chatState ?? {})) written.add(key);
          return host.commit(request);
        },
        freeze: (chat, type) =>
          Effect.map(host.freeze(chat, type), (frozen) =>
            written.size === 0 ? frozen : withKeys(frozen, (key) => written.has(key)),
          ),
      }))(harness);
    },
  },
  {
    kills: "CHT-63",
    title: "chat state that is written each time it is asked for",
    breaks: (harness) => {
      const given = new Map<string, CommitReceipt>();
      return change((host) => ({
        commit: (request) =>
          Effect.gen(function* () {
            const previous = given.get(request.commitId);
            const receipt = yield* previous === undefined
              ? host.commit(request)
              : host.commit({
                  ...request,
                  previous,
                  commitId: CommitId.make(`${request.commitId}_again`),
                  revision: yield* presentRevision(host, request.chat),
                });
            given.set(request.commitId, receipt);
            return receipt;
          }),
      }))(harness);
    },
  },
  {
    kills: "CHT-64",
    title: "a later commit that writes the chat state of the first again",
    breaks: change((host) => {
      const first: Array<Required<Pick<CommitRequest, "chatState">>> = [];
      return {
        commit: ({ chatState, ...request }) => {
          if (chatState !== undefined) first.push({ chatState });
          return host.commit({ ...request, ...first[0] });
        },
      };
    }),
  },
  {
    kills: "CHT-65",
    title: "a withdrawal that gives the metadata from before the commit back",
    breaks: (harness) => {
      const before: Array<FrozenChat["metadata"]> = [];
      const shown: Array<FrozenChat["metadata"]> = [];
      return change((host) => ({
        freeze: (chat, type) =>
          Effect.map(host.freeze(chat, type), (frozen) => {
            const [metadata] = shown;
            return metadata === undefined ? frozen : { ...frozen, metadata };
          }),
        commit: (request) =>
          Effect.gen(function* () {
            before.push((yield* host.freeze(request.chat, request.generationType)).metadata);
            return yield* host.commit(request);
          }),
        withdraw: (chat, receipt, revision) =>
          Effect.map(host.withdraw(chat, receipt, revision), (next) => {
            shown.push(before[0]);
            return next;
          }),
      }))(harness);
    },
  },
];

const withKeys = (frozen: FrozenChat, isKept: (key: string, value: unknown) => boolean): FrozenChat => ({
  ...frozen,
  metadata: Object.fromEntries(Object.entries(frozen.metadata ?? {}).filter(([key, value]) => isKept(key, value))),
});
