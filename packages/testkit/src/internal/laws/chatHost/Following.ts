/**
 * Laws of what comes after a first commit: later commits, lookup, withdrawal, state metadata.
 */
import type { ChatLocation } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import * as Expectation from "../../../Expectation.ts";
import * as Harness from "./Harness.ts";

const { answered, asked, commitId, law, refused, refusedUntouched, request, texts } = Harness;

export const laws = [
  law({
    id: "CHT-40",
    title: "a later commit of a run updates the message that its first commit made",
    *check(harness) {
      const { chat, first, host } = yield* committed(harness);
      const second = yield* host.commit(request(chat, first.revision, "We sail at dawn.", { n: 2, previous: first }));
      yield* Expectation.same("index", second.messageIndex, first.messageIndex);
      yield* Expectation.same("texts", texts(yield* harness.read(chat)), [...texts(asked), "We sail at dawn."]);
      const third = yield* (yield* harness.open).commit(
        request(chat, second.revision, "We stay.", { n: 3, previous: first }),
      );
      const frozen = yield* host.freeze(chat, "normal");
      yield* Expectation.same("frozen", [texts(frozen.messages).at(-1), frozen.revision], ["We stay.", third.revision]);
    },
  }),
  law({
    id: "CHT-41",
    title: "append adds to the text that the run published before",
    *check(harness) {
      const { chat, first, host } = yield* committed(harness);
      yield* host.commit(request(chat, first.revision, " At dawn.", { n: 2, mode: "append", previous: first }));
      yield* Expectation.same("texts", texts(yield* harness.read(chat)), [...texts(asked), "We sail. At dawn."]);
    },
  }),
  law({
    id: "CHT-42",
    title: "a later commit of a swipe run updates its swipe and makes no other",
    *check(harness) {
      const chat = yield* harness.chat(answered);
      const host = yield* harness.open;
      const { revision } = yield* host.freeze(chat, "swipe");
      const first = yield* host.commit(request(chat, revision, "At the pier.", { generationType: "swipe" }));
      yield* host.commit(
        request(chat, first.revision, "On board.", { n: 2, generationType: "swipe", previous: first }),
      );
      const seen = yield* harness.read(chat);
      yield* Expectation.same("texts", texts(seen), ["Welcome.", "Where are we?", "On board."]);
      yield* Expectation.same("swipes", seen[2]?.swipes, ["At the harbour.", "On board."]);
    },
  }),
  law({
    id: "CHT-43",
    title: "a later commit to a chat that has moved is refused and the chat stays byte-identical",
    *check(harness) {
      const { chat, first, host } = yield* committed(harness);
      yield* harness.disturb(chat, "from outside");
      const commit = host.commit(request(chat, first.revision, "We stay.", { n: 2, previous: first }));
      yield* refusedUntouched(harness, chat, "later commit", commit, "Moved");
    },
  }),
  law({
    id: "CHT-44",
    title: "lookup finds a commit that was applied, in any process and after the chat moved on",
    *check(harness) {
      const { chat, first, host } = yield* committed(harness);
      for (const view of [host, yield* harness.open]) {
        const found = yield* view.lookup(chat, commitId(1));
        yield* Expectation.same(
          "receipt",
          [found?.commitId, found?.messageId, found?.messageIndex],
          [first.commitId, first.messageId, first.messageIndex],
        );
      }
      yield* harness.disturb(chat, "from outside");
      const later = yield* host.lookup(chat, commitId(1));
      yield* Expectation.same("message", later?.messageIndex, first.messageIndex);
    },
  }),
  law({
    id: "CHT-45",
    title: "lookup finds nothing of a commit that was never asked for or was refused",
    *check(harness) {
      const { chat, first, host } = yield* committed(harness);
      yield* Expectation.same("never asked for", yield* host.lookup(chat, commitId(9)), null);
      yield* harness.disturb(chat, "from outside");
      yield* refused("stale commit", host.commit(request(chat, first.revision, "x", { n: 2, run: 2 })), "Moved");
      for (const view of [host, yield* harness.open]) {
        yield* Expectation.same("refused", yield* view.lookup(chat, commitId(2)), null);
      }
      const other = yield* harness.chat(asked);
      yield* Expectation.same("another chat", yield* host.lookup(other, commitId(1)), null);
    },
  }),
  law({
    id: "CHT-46",
    title: "withdrawing takes a run's message out again and leaves the others",
    *check(harness) {
      const { chat, first, host } = yield* committed(harness);
      const revision = yield* host.withdraw(chat, first, first.revision);
      yield* Expectation.same("texts", texts(yield* harness.read(chat)), texts(asked));
      const frozen = yield* (yield* harness.open).freeze(chat, "normal");
      yield* Expectation.same("revision", frozen.revision, revision);
      yield* Expectation.same("lookup", yield* host.lookup(chat, commitId(1)), null);
    },
  }),
  law({
    id: "CHT-47",
    title: "withdrawing a swipe leaves the message with its other text",
    *check(harness) {
      const chat = yield* harness.chat(answered);
      const host = yield* harness.open;
      const { revision } = yield* host.freeze(chat, "swipe");
      const receipt = yield* host.commit(request(chat, revision, "At the pier.", { generationType: "swipe" }));
      yield* host.withdraw(chat, receipt, receipt.revision);
      const seen = yield* harness.read(chat);
      yield* Expectation.same("texts", texts(seen), texts(answered));
      yield* Expectation.isTrue(!(seen[2]?.swipes.includes("At the pier.") ?? false), "the swipe is still there");
      yield* Expectation.same("lookup", yield* host.lookup(chat, commitId(1)), null);
    },
  }),
  law({
    id: "CHT-48",
    title: "state metadata is written into the message of the commit, whose text stays as it is",
    *check(harness) {
      const { chat, first, host } = yield* committed(harness);
      const revision = yield* host.writeMetadata(chat, first, first.revision, { lawState: "state-7f3a" });
      const seen = yield* harness.read(chat);
      yield* Expectation.same("texts", texts(seen), [...texts(asked), "We sail."]);
      yield* Expectation.isTrue(
        seen.at(-1)?.extra.includes('"state-7f3a"') ?? false,
        "the metadata is not in the message",
      );
      const frozen = yield* (yield* harness.open).freeze(chat, "normal");
      yield* Expectation.same("revision", frozen.revision, revision);
      const found = yield* host.lookup(chat, commitId(1));
      yield* Expectation.same("lookup", found?.messageIndex, first.messageIndex);
    },
  }),
  law({
    id: "CHT-49",
    title: "nothing is withdrawn from and no metadata written into a chat that has moved",
    *check(harness) {
      const { chat, first, host } = yield* committed(harness);
      yield* harness.disturb(chat, "from outside");
      const withdraw = host.withdraw(chat, first, first.revision);
      yield* refusedUntouched(harness, chat, "withdraw", withdraw, "Moved");
      const write = host.writeMetadata(chat, first, first.revision, { lawState: 1 });
      yield* refusedUntouched(harness, chat, "write metadata", write, "Moved");
    },
  }),
  law({
    id: "CHT-50",
    title: "a frozen message says which state its run has left in it, and a message of nobody's run says nothing",
    *check(harness) {
      const { chat, first, host } = yield* committed(harness);
      const metadata = { persistStateId: "state-7f3a", persistStateStatus: "committed" };
      yield* host.writeMetadata(chat, first, first.revision, metadata);
      const { messages } = yield* (yield* harness.open).freeze(chat, "normal");
      const { persistStateId, persistStateStatus } = messages.at(-1)?.agent ?? {};
      yield* Expectation.same("left in the message", { persistStateId, persistStateStatus }, metadata);
      yield* Expectation.isTrue(messages[0]?.agent === undefined, "a message that no run has made names a state");
    },
  }),
];

/** A chat with one applied commit, `We sail.`. */
const committed = Effect.fnUntraced(function* (harness: Harness.Harness) {
  const chat: ChatLocation = yield* harness.chat(asked);
  const host = yield* harness.open;
  const { revision } = yield* host.freeze(chat, "normal");
  const first = yield* host.commit(request(chat, revision, "We sail."));
  return { chat, first, host };
});
