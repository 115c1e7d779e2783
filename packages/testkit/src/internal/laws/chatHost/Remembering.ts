/**
 * Laws of what a host keeps with a chat besides its messages.
 */
import type { ChatLocation } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import * as Expectation from "../../../Expectation.ts";
import { answered, at, commitId, type Harness, type Host, law, refusedUntouched, request, texts } from "./Harness.ts";

export const laws = [
  law({
    id: "CHT-60",
    title: "a frozen chat has the metadata that is kept with it, as it stands, whatever is to be generated",
    needs: ["metadata"],
    *check(harness) {
      const chat = yield* harness.metadata.chat(answered, kept);
      const before = yield* harness.bytes(chat);
      for (const generationType of ["normal", "swipe", "regenerate"] as const) {
        const { metadata } = yield* (yield* harness.open).freeze(chat, generationType);
        for (const [key, value] of Object.entries(kept)) {
          yield* Expectation.same(`${generationType}: ${key}`, metadata?.[key], value);
        }
      }
      yield* Expectation.sameBytes("chat", yield* harness.bytes(chat), before);
    },
  }),
  law({
    id: "CHT-61",
    title: "a change of the metadata by another program moves the chat, and a commit that did not see it is refused",
    needs: ["metadata"],
    *check(harness) {
      const chat = yield* harness.metadata.chat(answered, kept);
      const host = yield* harness.open;
      const first = yield* host.freeze(chat, "normal");
      yield* harness.metadata.set(chat, "turns", 4);
      const moved = yield* host.freeze(chat, "normal");
      yield* Expectation.isTrue(moved.revision !== first.revision, "the revision did not change");
      yield* Expectation.same("turns", moved.metadata?.["turns"], 4);
      const commit = { ...request(chat, first.revision, "We sail."), chatState: { turns: 5 } };
      yield* refusedUntouched(harness, chat, "commit", host.commit(commit), "Moved");
    },
  }),
  law({
    id: "CHT-62",
    title:
      "a commit's chat state takes the place of those keys of the metadata, together with the text, and leaves others",
    needs: ["metadata"],
    *check(harness) {
      for (const generationType of ["normal", "swipe", "regenerate"] as const) {
        const chat = yield* harness.metadata.chat(answered, kept);
        const host = yield* harness.open;
        const { metadata: before, revision } = yield* host.freeze(chat, generationType);
        const receipt = yield* host.commit({ ...request(chat, revision, "We sail.", { generationType }), chatState });
        const frozen = yield* (yield* harness.open).freeze(chat, "normal");
        yield* Expectation.same(`${generationType}: metadata`, frozen.metadata, { ...before, ...chatState });
        yield* Expectation.same(`${generationType}: revision`, frozen.revision, receipt.revision);
        yield* Expectation.same(`${generationType}: text`, texts(frozen.messages).at(-1), "We sail.");
        yield* Expectation.same(`${generationType}: index`, frozen.messages.length - 1, receipt.messageIndex);
      }
    },
  }),
  law({
    id: "CHT-63",
    title: "the same commit again leaves the chat as it is, also where the metadata is another by then",
    needs: ["metadata"],
    *check(harness) {
      const { chat, commit, host, receipt } = yield* committed(harness);
      const before = yield* harness.bytes(chat);
      yield* Expectation.same("receipt", (yield* host.commit(commit)).revision, receipt.revision);
      yield* Expectation.sameBytes("chat", yield* harness.bytes(chat), before);
      yield* harness.metadata.set(chat, "turns", 9);
      const changed = yield* harness.bytes(chat);
      yield* (yield* harness.open).commit(commit);
      yield* Expectation.sameBytes("chat that moved on", yield* harness.bytes(chat), changed);
    },
  }),
  law({
    id: "CHT-64",
    title: "what is written without chat state leaves the metadata as it is",
    needs: ["metadata"],
    *check(harness) {
      const { chat, host, receipt } = yield* committed(harness);
      yield* harness.metadata.set(chat, "turns", 9);
      const { metadata, revision } = yield* host.freeze(chat, "normal");
      const second = yield* host.commit(request(chat, revision, "We stay.", { n: 2, previous: receipt }));
      yield* Expectation.same("after a commit", yield* metadataOf(host, chat), metadata);
      const stated = yield* host.writeMetadata(chat, second, second.revision, { lawState: 1 });
      yield* Expectation.same("after state metadata", yield* metadataOf(host, chat), metadata);
      yield* host.appendUserMessage(chat, { text: "And now?", revision: stated, at });
      yield* Expectation.same("after a user's line", yield* metadataOf(host, chat), metadata);
    },
  }),
  law({
    id: "CHT-65",
    title: "withdrawing a message leaves the metadata as it is",
    needs: ["metadata"],
    *check(harness) {
      const { chat, host, receipt } = yield* committed(harness);
      const before = yield* metadataOf(host, chat);
      yield* host.withdraw(chat, receipt, receipt.revision);
      yield* Expectation.same("metadata", yield* metadataOf(yield* harness.open, chat), before);
      yield* Expectation.same("lookup", yield* host.lookup(chat, commitId(1)), null);
    },
  }),
];

/** Metadata with what JSON can hold; keys that a host may have of its own are not among them. */
const kept: Readonly<Record<string, Schema.Json>> = {
  turns: 3,
  "a \u{1f600} key": '\u2028 " \\ \ud800',
  effects: { sticky: { "tower.1": { end: 7 } }, cooldown: {} },
  list: [1, null, true, []],
  none: null,
};

/** One key that is replaced whole, one that is new. */
const chatState = { effects: { sticky: { "tower.2": { end: 9 } } }, variables: { seen: "yes" } };

/** A chat with one applied commit, whose chat state sets `turns` to 4. */
const committed = Effect.fnUntraced(function* (harness: Harness & Required<Pick<Harness, "metadata">>) {
  const chat = yield* harness.metadata.chat(answered, kept);
  const host = yield* harness.open;
  const { revision } = yield* host.freeze(chat, "normal");
  const commit = { ...request(chat, revision, "We sail."), chatState: { turns: 4 } };
  const receipt = yield* host.commit(commit);
  return { chat, commit, host, receipt };
});

const metadataOf = (host: Host, chat: ChatLocation) =>
  Effect.map(host.freeze(chat, "normal"), ({ metadata }) => metadata);
