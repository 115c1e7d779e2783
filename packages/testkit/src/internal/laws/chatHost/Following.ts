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
  law({
    id: "CHT-51",
    title:
      "what a regenerate has replaced is given back when its message is withdrawn, byte for byte but for the revision",
    *check(harness) {
      const chat = yield* harness.chat(asked);
      const host = yield* harness.open;
      const { revision } = yield* host.freeze(chat, "normal");
      const first = yield* host.commit(request(chat, revision, "We sail.", { run: 2, n: 9 }));
      const marked = yield* host.writeMetadata(chat, first, first.revision, { lawState: "state-7f3a" });
      const before = yield* harness.read(chat);
      const replaced = yield* host.capture(chat, "last", marked);
      const made = yield* host.commit(request(chat, marked, "We stay.", { generationType: "regenerate" }));
      const last = yield* host.commit(
        request(chat, made.revision, "We stay here.", { n: 2, generationType: "regenerate", previous: made }),
      );
      const other = yield* harness.open;
      const after = yield* other.withdraw(chat, made, last.revision, replaced);
      yield* Expectation.same("messages", yield* harness.read(chat), before);
      yield* Expectation.same("revision", (yield* host.freeze(chat, "normal")).revision, after);
      yield* Expectation.same("lookup of the run", yield* other.lookup(chat, commitId(1)), null);
      const found = yield* other.lookup(chat, commitId(9));
      yield* Expectation.same("lookup of the run before", found?.messageIndex, first.messageIndex);
    },
  }),
  law({
    id: "CHT-52",
    title: "a message that was withdrawn is made again of what was captured of it, with what it had, and another text",
    *check(harness) {
      for (const generationType of ["normal", "swipe", "regenerate"] as const) {
        const chat = yield* harness.chat(answered);
        const host = yield* harness.open;
        const frozen = yield* host.freeze(chat, generationType);
        const first = yield* host.commit(request(chat, frozen.revision, "We sail.", { generationType }));
        const marked = yield* host.writeMetadata(chat, first, first.revision, { lawState: "state-7f3a" });
        const before = yield* harness.read(chat);
        const message = yield* host.capture(chat, first, marked);
        const replaced = generationType === "regenerate" ? yield* capturedBefore(harness) : undefined;
        const gone = yield* host.withdraw(chat, first, marked, replaced);
        const again = { ...request(chat, gone, "We stay.", { n: 2, generationType, previous: first }), message };
        const receipt = yield* (yield* harness.open).commit(again);
        const after = yield* harness.read(chat);
        yield* Expectation.same(generationType, texts(after), [...texts(before).slice(0, -1), "We stay."]);
        yield* Expectation.same(`${generationType}: index`, receipt.messageIndex, first.messageIndex);
        yield* Expectation.isTrue(
          after.at(-1)?.extra.includes('"state-7f3a"') ?? false,
          `${generationType}: the message has lost what it had`,
        );
        const once = yield* host.commit(again);
        yield* Expectation.same(`${generationType}: asked again`, once.revision, receipt.revision);
      }
    },
  }),
  law({
    id: "CHT-53",
    title: "nothing is captured of a chat that has moved, nor of a commit that it does not have, and nothing changes",
    *check(harness) {
      const { chat, first, host } = yield* committed(harness);
      const before = yield* harness.bytes(chat);
      yield* host.capture(chat, first, first.revision);
      yield* host.capture(chat, "last", first.revision);
      const absent = host.capture(chat, { ...first, commitId: commitId(7) }, first.revision);
      yield* refusedUntouched(harness, chat, "capture of another", absent, "Refused");
      yield* Expectation.sameBytes("the chat", yield* harness.bytes(chat), before);
      yield* harness.disturb(chat, "from outside");
      for (const message of [first, "last"] as const)
        yield* refusedUntouched(harness, chat, "capture", host.capture(chat, message, first.revision), "Moved");
    },
  }),
];

/** What a host captures of the last message of `answered`. */
const capturedBefore = Effect.fnUntraced(function* (harness: Harness.Harness) {
  const chat = yield* harness.chat(answered);
  const host = yield* harness.open;
  const { revision } = yield* host.freeze(chat, "regenerate");
  return yield* host.capture(chat, "last", revision);
});

/** A chat with one applied commit, `We sail.`. */
const committed = Effect.fnUntraced(function* (harness: Harness.Harness) {
  const chat: ChatLocation = yield* harness.chat(asked);
  const host = yield* harness.open;
  const { revision } = yield* host.freeze(chat, "normal");
  const first = yield* host.commit(request(chat, revision, "We sail."));
  return { chat, first, host };
});
