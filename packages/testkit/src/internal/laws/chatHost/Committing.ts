/**
 * Laws of applying commits.
 */
import * as Effect from "effect/Effect";
import type { ChatFault, ChatLocation } from "@cahier/ports/ChatHost";
import * as Expectation from "../../../Expectation.ts";
import { answered, asked, commitId, type Host, law, refusedUntouched, request, runId, texts } from "./Harness.ts";

export const laws = [
  law({
    id: "CHT-20",
    title: "a commit appends exactly one message of the character, at the revision that freezing then gives",
    *check(harness) {
      const chat = yield* harness.chat(asked);
      const host = yield* harness.open;
      const { revision } = yield* host.freeze(chat, "normal");
      const receipt = yield* host.commit(request(chat, revision, "We sail."));
      yield* Expectation.same("commit id and index", [receipt.commitId, receipt.messageIndex], [commitId(1), 4]);
      const frozen = yield* (yield* harness.open).freeze(chat, "normal");
      yield* Expectation.same("revision", frozen.revision, receipt.revision);
      yield* Expectation.isTrue(revision !== receipt.revision, "the revision did not change");
      yield* Expectation.same(
        "role and text",
        [frozen.messages[4]?.role, frozen.messages[4]?.text],
        ["assistant", "We sail."],
      );
      yield* Expectation.same("texts", texts(yield* harness.read(chat)), [...texts(asked), "We sail."]);
    },
  }),
  law({
    id: "CHT-21",
    title:
      "the same commit again, from any process and after the chat moved on, changes nothing and gives the same receipt",
    *check(harness) {
      const chat = yield* harness.chat(asked);
      const host = yield* harness.open;
      const { revision } = yield* host.freeze(chat, "normal");
      const commit = request(chat, revision, "We sail.");
      const receipt = yield* host.commit(commit);
      const before = yield* harness.bytes(chat);
      for (const view of [host, yield* harness.open]) {
        yield* Expectation.same("receipt", fields(yield* view.commit(commit)), fields(receipt));
        yield* Expectation.sameBytes("chat", yield* harness.bytes(chat), before);
      }
      yield* harness.disturb(chat, "from outside");
      const moved = yield* harness.bytes(chat);
      const again = yield* (yield* harness.open).commit(commit);
      yield* Expectation.same(
        "message",
        [again.messageId, again.messageIndex],
        [receipt.messageId, receipt.messageIndex],
      );
      yield* Expectation.sameBytes("chat that moved on", yield* harness.bytes(chat), moved);
    },
  }),
  law({
    id: "CHT-22",
    title: "a commit to a chat that has moved is refused and the chat stays byte-identical",
    *check(harness) {
      const chat = yield* harness.chat(answered);
      const host = yield* harness.open;
      const { revision } = yield* host.freeze(chat, "normal");
      yield* harness.disturb(chat, "from outside");
      yield* refusedUntouched(harness, chat, "normal", host.commit(request(chat, revision, "x")), "Moved");
      for (const generationType of ["swipe", "regenerate"] as const) {
        const target = yield* harness.chat(answered);
        const frozen = yield* host.freeze(target, generationType);
        yield* harness.disturb(target, "from outside");
        const commit = host.commit(request(target, frozen.revision, "x", { n: 2, generationType }));
        yield* refusedUntouched(harness, target, generationType, commit, "Moved");
      }
    },
  }),
  law({
    id: "CHT-23",
    title:
      "of two commits at one revision from two processes exactly one is applied, and the other learns that the chat moved",
    *check(harness) {
      const views = [yield* harness.open, yield* harness.open];
      for (const round of [0, 1, 2, 3, 4]) {
        const chat = yield* harness.chat(asked);
        const { revision } = yield* (yield* harness.open).freeze(chat, "normal");
        const results = yield* Effect.forEach(
          views,
          (view, index) =>
            Effect.result(
              view.commit(request(chat, revision, `text ${index}`, { n: round * 2 + index, run: index + 1 })),
            ),
          { concurrency: "unbounded" },
        );
        const { failed, succeeded } = Expectation.outcomes(results);
        yield* Expectation.same("applied", succeeded.length, 1);
        yield* Expectation.same(
          "refused",
          failed.map((fault) => fault.reason._tag),
          ["Moved"],
        );
        const winner = results.findIndex((result) => result._tag === "Success");
        yield* Expectation.same("texts", texts(yield* harness.read(chat)), [...texts(asked), `text ${winner}`]);
      }
    },
  }),
  law({
    id: "CHT-24",
    title: "commits of several runs to one chat are applied one after the other, and each later one sees the earlier",
    *check(harness) {
      const chat = yield* harness.chat(asked);
      const writers = [1, 2, 3, 4];
      const prefixes = yield* Effect.forEach(
        writers,
        (n) => Effect.flatMap(harness.open, (host) => commitUntilApplied(host, chat, n)),
        { concurrency: "unbounded" },
      );
      const seen = texts(yield* harness.read(chat)).slice(asked.length);
      yield* Expectation.same(
        "texts",
        seen.toSorted(),
        writers.map((n) => `text ${n}`),
      );
      for (const [index, prefix] of prefixes.entries()) {
        const own = seen.indexOf(`text ${index + 1}`);
        yield* Expectation.same(`what writer ${index + 1} saw`, prefix.slice(asked.length), seen.slice(0, own));
      }
    },
  }),
  law({
    id: "CHT-25",
    title: "a swipe adds an alternative to the last message and shows it",
    *check(harness) {
      const chat = yield* harness.chat(answered);
      const host = yield* harness.open;
      const first = yield* host.commit(
        request(chat, (yield* host.freeze(chat, "swipe")).revision, "At the pier.", { generationType: "swipe" }),
      );
      yield* Expectation.same("index", first.messageIndex, 2);
      yield* host.commit(request(chat, first.revision, "On board.", { n: 2, run: 2, generationType: "swipe" }));
      const seen = yield* harness.read(chat);
      yield* Expectation.same("texts", texts(seen), ["Welcome.", "Where are we?", "On board."]);
      yield* Expectation.same("swipes", seen[2]?.swipes, ["At the harbour.", "At the pier.", "On board."]);
    },
  }),
  law({
    id: "CHT-26",
    title: "a regenerate replaces the last message",
    *check(harness) {
      const chat = yield* harness.chat(answered);
      const host = yield* harness.open;
      const { revision } = yield* host.freeze(chat, "regenerate");
      const receipt = yield* host.commit(request(chat, revision, "At the pier.", { generationType: "regenerate" }));
      yield* Expectation.same("index", receipt.messageIndex, 2);
      const seen = yield* harness.read(chat);
      yield* Expectation.same("texts", texts(seen), ["Welcome.", "Where are we?", "At the pier."]);
      const frozen = yield* host.freeze(chat, "normal");
      yield* Expectation.same("frozen", [texts(frozen.messages), frozen.revision], [texts(seen), receipt.revision]);
    },
  }),
  law({
    id: "CHT-27",
    title: "text survives: NUL, line breaks, U+2028, lone surrogates, characters beyond the basic plane",
    *check(harness) {
      const host = yield* harness.open;
      for (const [index, text] of hardTexts.entries()) {
        const chat = yield* harness.chat(asked);
        const { revision } = yield* host.freeze(chat, "normal");
        yield* host.commit(request(chat, revision, text, { n: index }));
        yield* Expectation.same("read", (yield* harness.read(chat)).at(-1)?.text, text);
        const frozen = yield* (yield* harness.open).freeze(chat, "normal");
        yield* Expectation.same("frozen", frozen.messages.at(-1)?.text, text);
      }
    },
  }),
  law({
    id: "CHT-28",
    title: "a commit names its run, profile, model, path and id beside the text",
    *check(harness) {
      const chat = yield* harness.chat(asked);
      const host = yield* harness.open;
      const { revision } = yield* host.freeze(chat, "normal");
      yield* host.commit(request(chat, revision, "We sail."));
      const extra = (yield* harness.read(chat)).at(-1)?.extra ?? "";
      for (const value of [runId(), commitId(1), "law-writer", "law-model", "output/law.md"]) {
        yield* Expectation.isTrue(extra.includes(JSON.stringify(value)), `the message does not name ${value}`);
      }
    },
  }),
];

const fields = (receipt: {
  readonly commitId: string;
  readonly messageId: string;
  readonly messageIndex: number;
  readonly revision: string;
}) => [receipt.commitId, receipt.messageId, receipt.messageIndex, receipt.revision];

/** Freezes and commits until the commit is applied; gives the texts that its prefix had. */
const commitUntilApplied = (
  host: Host,
  chat: ChatLocation,
  n: number,
): Effect.Effect<ReadonlyArray<string>, ChatFault> =>
  Effect.gen(function* () {
    const { messages, revision } = yield* host.freeze(chat, "normal");
    yield* Effect.yieldNow;
    return yield* host.commit(request(chat, revision, `text ${n}`, { n, run: n })).pipe(
      Effect.as(texts(messages)),
      Effect.catchReason("ChatFault", "Moved", () => commitUntilApplied(host, chat, n)),
    );
  });

const hardTexts: ReadonlyArray<string> = [
  "a\u0000b\u0001",
  "line\r\nline\nline\r",
  "\u2028 \u2029",
  "\ud800 alone",
  "\u{1f600}\u{10ffff}",
  'quote " and backslash \\',
];
