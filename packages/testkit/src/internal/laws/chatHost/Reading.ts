/**
 * Laws of the frozen prefix.
 */
import type { GenerationType } from "@cahier/domain/chat/Chat";
import * as Expectation from "../../../Expectation.ts";
import { answered, asked, at, law, refused, refusedUntouched, request, texts } from "./Harness.ts";

export const laws = [
  law({
    id: "CHT-01",
    title: "freezing reads the messages in order and changes nothing",
    *check(harness) {
      const chat = yield* harness.chat([...asked, { role: "user", text: "aside", hidden: true }]);
      const before = yield* harness.bytes(chat);
      const host = yield* harness.open;
      const frozen = yield* host.freeze(chat, "normal");
      yield* Expectation.same(
        "messages",
        frozen.messages.map((message) => [message.index, message.role, message.text, message.hidden]),
        [
          ...asked.map((seed, index) => [index, seed.role, seed.text, false]),
          [4, frozen.messages[4]?.role, "aside", true],
        ],
      );
      yield* Expectation.isTrue(frozen.stableChatId.length > 0, "the frozen chat has no stable id");
      yield* Expectation.sameBytes("chat", yield* harness.bytes(chat), before);
    },
  }),
  law({
    id: "CHT-02",
    title: "the target of swipe and regenerate is not part of the frozen prefix",
    *check(harness) {
      const chat = yield* harness.chat(answered);
      const host = yield* harness.open;
      for (const generationType of ["swipe", "regenerate"] as const) {
        const frozen = yield* host.freeze(chat, generationType);
        yield* Expectation.same(generationType, texts(frozen.messages), ["Welcome.", "Where are we?"]);
      }
      yield* Expectation.same("normal", texts((yield* host.freeze(chat, "normal")).messages), texts(answered));
    },
  }),
  law({
    id: "CHT-03",
    title: "swipe and regenerate need a last message of the character",
    *check(harness) {
      const chat = yield* harness.chat(asked);
      const host = yield* harness.open;
      const { revision } = yield* host.freeze(chat, "normal");
      for (const generationType of ["swipe", "regenerate"] as const) {
        yield* refused(generationType, host.freeze(chat, generationType), "TargetInvalid");
        const commit = host.commit(request(chat, revision, "x", { generationType }));
        yield* refusedUntouched(harness, chat, generationType, commit, "TargetInvalid");
      }
    },
  }),
  law({
    id: "CHT-04",
    title: "the revision is the same for every reader of one state and another after any change",
    *check(harness) {
      const chat = yield* harness.chat(answered);
      const host = yield* harness.open;
      const first = yield* host.freeze(chat, "normal");
      const again = yield* (yield* harness.open).freeze(chat, "normal");
      yield* Expectation.same("frozen twice", again, first);
      yield* Expectation.same("as swipe", (yield* host.freeze(chat, "swipe")).revision, first.revision);
      yield* harness.disturb(chat, "from outside");
      const moved = yield* host.freeze(chat, "normal");
      yield* Expectation.isTrue(moved.revision !== first.revision, "a changed chat has the old revision");
      yield* Expectation.same("last text", moved.messages.at(-1)?.text, "from outside");
    },
  }),
  law({
    id: "CHT-05",
    title: "a chat that is not there is missing for every call",
    *check(harness) {
      const host = yield* harness.open;
      const chat = harness.missing;
      yield* refused("freeze", host.freeze(chat, "normal"), "Missing");
      yield* refused("commit", host.commit(request(chat, "any", "x")), "Missing");
      yield* refused("append", host.appendUserMessage(chat, { text: "x", revision: "any", at }), "Missing");
      yield* refused("freeze again", host.freeze(chat, "normal"), "Missing");
    },
  }),
  law({
    id: "CHT-06",
    title: "a generation type that the host does not take is refused by name and changes nothing",
    *check(harness) {
      const chat = yield* harness.chat(answered);
      const host = yield* harness.open;
      const { revision } = yield* host.freeze(chat, "normal");
      const others: ReadonlyArray<GenerationType> = ["continue", "quiet", "impersonate"];
      for (const generationType of others.filter((one) => !harness.supports.includes(one))) {
        yield* refused(generationType, host.freeze(chat, generationType), "GenerationTypeUnsupported");
        const commit = host.commit(request(chat, revision, "x", { generationType }));
        yield* refusedUntouched(harness, chat, generationType, commit, "GenerationTypeUnsupported");
      }
      const supported = yield* host.freeze(chat, "normal");
      yield* Expectation.same("revision", supported.revision, revision);
    },
  }),
  law({
    id: "CHT-07",
    title: "a chat without a stable id is refused unless one is given",
    needs: ["anonymous"],
    *check(harness) {
      const chat = yield* harness.anonymous(answered);
      const host = yield* harness.open;
      yield* refusedUntouched(harness, chat, "freeze", host.freeze(chat, "normal"), "StableIdMissing");
      const frozen = yield* host.freeze({ ...chat, chatId: "given id" }, "normal");
      yield* Expectation.same("stable id", frozen.stableChatId, "given id");
    },
  }),
  law({
    id: "CHT-08",
    title: "the user's line becomes the last message, at the revision that freezing then gives",
    *check(harness) {
      const chat = yield* harness.chat(answered);
      const host = yield* harness.open;
      const { revision } = yield* host.freeze(chat, "normal");
      const next = yield* host.appendUserMessage(chat, { text: "And now?\n\u{1f600}", revision, at });
      const frozen = yield* (yield* harness.open).freeze(chat, "normal");
      yield* Expectation.same("revision", frozen.revision, next);
      yield* Expectation.isTrue(next !== revision, "the revision did not change");
      yield* Expectation.same("texts", texts(yield* harness.read(chat)), [...texts(answered), "And now?\n\u{1f600}"]);
      yield* Expectation.same("role", frozen.messages.at(-1)?.role, "user");
      yield* Expectation.same("not hidden", frozen.messages.at(-1)?.hidden, false);
    },
  }),
  law({
    id: "CHT-09",
    title: "the user's line is not added to a chat that has moved",
    *check(harness) {
      const chat = yield* harness.chat(answered);
      const host = yield* harness.open;
      const { revision } = yield* host.freeze(chat, "normal");
      yield* harness.disturb(chat, "from outside");
      const append = host.appendUserMessage(chat, { text: "And now?", revision, at });
      yield* refusedUntouched(harness, chat, "append", append, "Moved");
    },
  }),
];
