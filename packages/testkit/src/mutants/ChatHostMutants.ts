/**
 * Broken chat hosts: at least one for each law of ChatHost.
 */
import { CommitId } from "@cahier/domain/identity/Identity";
import { ChatFault, type CommitRequest } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import type { ChatHostHarness } from "../laws/ChatHostLaws.ts";
import type { Mutant } from "../Mutant.ts";
import {
  change,
  changeFrozen,
  changeRequest,
  commitBlindly,
  presentRevision,
} from "../internal/mutants/chatHost/change.ts";
import * as Remembering from "../internal/mutants/chatHost/Remembering.ts";

/** A commit that is made anew, without what the run published before. */
const asFirst = ({ previous: _previous, ...request }: CommitRequest): CommitRequest => request;

export const mutants: ReadonlyArray<Mutant<ChatHostHarness>> = [
  {
    kills: "CHT-01",
    title: "a prefix without its hidden messages",
    breaks: changeFrozen((frozen) => ({
      ...frozen,
      messages: frozen.messages.filter((message) => !message.hidden),
    })),
  },
  {
    kills: "CHT-02",
    title: "a prefix that holds the target of a swipe",
    breaks: change((host) => ({ freeze: (chat) => host.freeze(chat, "normal") })),
  },
  {
    kills: "CHT-03",
    title: "a swipe of the user's message",
    breaks: change((host) => ({
      freeze: (chat, generationType) =>
        Effect.catchTag(host.freeze(chat, generationType), "ChatFault", () => host.freeze(chat, "normal")),
    })),
  },
  {
    kills: "CHT-04",
    title: "a revision that never changes",
    breaks: changeFrozen((frozen) => ({ ...frozen, revision: "always" })),
  },
  {
    kills: "CHT-05",
    title: "a missing chat that is called malformed",
    breaks: change((host) => ({
      freeze: (chat, generationType) =>
        Effect.mapError(host.freeze(chat, generationType), (fault) =>
          fault.reason._tag === "Missing"
            ? new ChatFault({ reason: { _tag: "Malformed" }, detail: fault.detail })
            : fault,
        ),
    })),
  },
  {
    kills: "CHT-06",
    title: "a host that takes every generation for a normal one",
    breaks: changeRequest((request) => ({ ...request, generationType: "normal" })),
  },
  {
    kills: "CHT-07",
    title: "a host that makes up a stable id",
    breaks: change((host) => ({
      freeze: (chat, generationType) => host.freeze({ ...chat, chatId: chat.chatId ?? "made up" }, generationType),
    })),
  },
  {
    kills: "CHT-08",
    title: "a user's line that gives the revision from before",
    breaks: change((host) => ({
      appendUserMessage: (chat, message) => Effect.as(host.appendUserMessage(chat, message), message.revision),
    })),
  },
  {
    kills: "CHT-09",
    title: "a user's line that ignores the revision",
    breaks: change((host) => ({
      appendUserMessage: (chat, message) =>
        Effect.flatMap(presentRevision(host, chat), (revision) =>
          host.appendUserMessage(chat, { ...message, revision }),
        ),
    })),
  },
  {
    kills: "CHT-20",
    title: "a commit that leaves a second message",
    breaks: change((host) => ({
      commit: (request) =>
        Effect.tap(host.commit(request), ({ revision }) =>
          host.appendUserMessage(request.chat, { text: "second", revision, at: request.at }),
        ),
    })),
  },
  {
    kills: "CHT-21",
    title: "a commit that is applied each time it is asked for",
    breaks: (harness) => {
      const asked = { times: 0 };
      return change((host) => ({
        commit: (request) =>
          Effect.gen(function* () {
            asked.times += 1;
            const revision = yield* presentRevision(host, request.chat);
            const commitId = CommitId.make(`${request.commitId}_${asked.times}`);
            const receipt = yield* host.commit({ ...request, commitId, revision });
            return { ...receipt, commitId: request.commitId };
          }),
      }))(harness);
    },
  },
  { kills: "CHT-22", title: "a commit that ignores the revision", breaks: commitBlindly },
  { kills: "CHT-23", title: "a commit that does not notice another one", breaks: commitBlindly },
  { kills: "CHT-24", title: "a commit that writes behind what it has not seen", breaks: commitBlindly },
  {
    kills: "CHT-25",
    title: "a swipe that replaces the message",
    breaks: changeRequest((request) => ({ ...request, generationType: "regenerate" })),
  },
  {
    kills: "CHT-26",
    title: "a regenerate that appends a message",
    breaks: changeRequest((request) => ({ ...request, generationType: "normal" })),
  },
  {
    kills: "CHT-27",
    title: "text that went through UTF-8, which has no lone surrogates",
    breaks: changeRequest((request) => ({ ...request, text: request.text.toWellFormed() })),
  },
  {
    kills: "CHT-28",
    title: "a commit that does not name its model",
    breaks: changeRequest((request) => ({ ...request, metadata: { ...request.metadata, model: "" } })),
  },
  { kills: "CHT-40", title: "a later commit that appends another message", breaks: changeRequest(asFirst) },
  {
    kills: "CHT-41",
    title: "an append that replaces",
    breaks: changeRequest((request) => ({ ...request, mode: "replace" })),
  },
  { kills: "CHT-42", title: "a later commit that makes another swipe", breaks: changeRequest(asFirst) },
  { kills: "CHT-43", title: "a later commit that ignores the revision", breaks: commitBlindly },
  {
    kills: "CHT-44",
    title: "a lookup that knows the commits of its own process alone",
    breaks: change((host) => {
      const own = new Set<string>();
      return {
        commit: (request) => Effect.tap(host.commit(request), () => Effect.sync(() => void own.add(request.commitId))),
        lookup: (chat, commitId) => (own.has(commitId) ? host.lookup(chat, commitId) : Effect.succeed(null)),
      };
    }),
  },
  {
    kills: "CHT-45",
    title: "a lookup that finds what was only asked for",
    breaks: change((host) => {
      const asked = new Set<string>();
      return {
        commit: (request) =>
          Effect.suspend(() => {
            asked.add(request.commitId);
            return host.commit(request);
          }),
        lookup: (chat, commitId) =>
          Effect.map(
            host.lookup(chat, commitId),
            (found) =>
              found ?? (asked.has(commitId) ? { commitId, messageId: "?", messageIndex: 0, revision: "?" } : null),
          ),
      };
    }),
  },
  {
    kills: "CHT-46",
    title: "a withdrawal that withdraws nothing",
    breaks: change(() => ({ withdraw: (_chat, _receipt, revision) => Effect.succeed(revision) })),
  },
  {
    kills: "CHT-47",
    title: "a withdrawal that leaves swipes where they are",
    breaks: change((host) => ({
      withdraw: (chat, receipt, revision) =>
        Effect.flatMap(host.freeze(chat, "normal"), (frozen) =>
          receipt.messageIndex < 3 ? Effect.succeed(frozen.revision) : host.withdraw(chat, receipt, revision),
        ),
    })),
  },
  {
    kills: "CHT-48",
    title: "state metadata that goes nowhere",
    breaks: change(() => ({ writeMetadata: (_chat, _receipt, revision) => Effect.succeed(revision) })),
  },
  {
    kills: "CHT-49",
    title: "state metadata that is written whatever the revision",
    breaks: change((host) => ({
      writeMetadata: (chat, receipt, _revision, metadata) =>
        Effect.flatMap(presentRevision(host, chat), (present) => host.writeMetadata(chat, receipt, present, metadata)),
    })),
  },
  {
    kills: "CHT-50",
    title: "a frozen chat that does not tell what runs have left in it",
    breaks: changeFrozen((frozen) => ({
      ...frozen,
      messages: frozen.messages.map(({ agent: _agent, ...message }) => message),
    })),
  },
  {
    kills: "CHT-51",
    title: "a withdrawal that gives nothing back",
    breaks: change((host) => ({ withdraw: (chat, receipt, revision) => host.withdraw(chat, receipt, revision) })),
  },
  {
    kills: "CHT-52",
    title: "a message that is made anew in place of the one that was withdrawn",
    breaks: change((host) => ({
      commit: ({ message, ...request }) => host.commit(message === undefined ? request : asFirst(request)),
    })),
  },
  {
    kills: "CHT-53",
    title: "a message that is captured whatever the revision",
    breaks: change((host) => ({
      capture: (chat, message, _revision) =>
        Effect.flatMap(presentRevision(host, chat), (present) => host.capture(chat, message, present)),
    })),
  },
  ...Remembering.mutants,
];
