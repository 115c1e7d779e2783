/**
 * The laws of PromptAssembler.
 */
import type { ChatMessage } from "@cahier/domain/chat/Chat";
import { StableChatId } from "@cahier/domain/identity/Identity";
import * as Message from "@cahier/domain/model/Message";
import { anchorMarker, type PromptAssembler, type PromptInput } from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type * as Scope from "effect/Scope";
import * as Expectation from "../Expectation.ts";
import * as Law from "../Law.ts";

/** `open` gives a fresh assembler, as another process would have. */
export interface PromptAssemblerHarness {
  readonly open: Effect.Effect<PromptAssembler["Service"], unknown, Scope.Scope>;
}

type Messages = ReadonlyArray<Message.Message>;

const law = Law.of<PromptAssemblerHarness>();

export const laws: ReadonlyArray<Law.Law<PromptAssemblerHarness>> = [
  law({
    id: "PRM-01",
    title: "equal inputs give equal messages, in any process",
    *check(harness) {
      const assembler = yield* harness.open;
      const first = yield* assembler.assemble(input());
      yield* Expectation.isTrue(first.messages.length > 0, "there are no messages");
      yield* Expectation.same("again", yield* assembler.assemble(input()), first);
      yield* Expectation.same("in another process", yield* (yield* harness.open).assemble(input()), first);
    },
  }),
  law({
    id: "PRM-02",
    title: "the input is never changed",
    *check(harness) {
      const assembler = yield* harness.open;
      const given = input();
      yield* assembler.assemble(given);
      yield* Expectation.same("input", given, input());
      yield* assembler.assemble(deepFreeze(input()));
    },
  }),
  law({
    id: "PRM-03",
    title: "the agent's system prompt stands in the messages once",
    *check(harness) {
      const assembler = yield* harness.open;
      yield* Expectation.isTrue(assembler.anchors.includes("agentSystemPrompt"), "agentSystemPrompt is no anchor");
      for (const initialChatHistoryMessages of [-1, 0, 2]) {
        const { messages } = yield* assembler.assemble(input({ initialChatHistoryMessages }));
        yield* Expectation.same("occurrences", occurrences(messages, systemPrompt), 1);
      }
    },
  }),
  law({
    id: "PRM-04",
    title: "-1 gives the whole history, 0 none of it and n its last n messages, in order and in their roles",
    *check(harness) {
      const assembler = yield* harness.open;
      for (const [wanted, lines] of [
        [-1, [1, 2, 3, 4, 6]],
        [0, []],
        [1, [6]],
        [3, [3, 4, 6]],
        [100, [1, 2, 3, 4, 6]],
      ] as const) {
        const { messages } = yield* assembler.assemble(input({ initialChatHistoryMessages: wanted }));
        yield* Expectation.same(`history of ${wanted}`, linesOf(messages), lines);
      }
      const { messages: all } = yield* assembler.assemble(input());
      const roles = all.filter((message) => linesOf([message]).length === 1).map((message) => message.role);
      yield* Expectation.same("roles", roles, ["assistant", "user", "assistant", "user", "user"]);
    },
  }),
  law({
    id: "PRM-05",
    title: "hidden messages never count and never enter",
    *check(harness) {
      const assembler = yield* harness.open;
      for (const wanted of [-1, 1, 2, 100]) {
        const { messages } = yield* assembler.assemble(input({ initialChatHistoryMessages: wanted }));
        yield* Expectation.isTrue(!linesOf(messages).includes(5), `the hidden message entered a history of ${wanted}`);
      }
      const { messages: two } = yield* assembler.assemble(input({ initialChatHistoryMessages: 2 }));
      yield* Expectation.same("last two", linesOf(two), [4, 6]);
    },
  }),
  law({
    id: "PRM-06",
    title: "no marker of an anchor is left in the messages",
    *check(harness) {
      const assembler = yield* harness.open;
      for (const initialChatHistoryMessages of [-1, 0, 2]) {
        const { messages } = yield* assembler.assemble(input({ initialChatHistoryMessages }));
        const left = assembler.anchors.filter((anchor) => occurrences(messages, anchorMarker(anchor)) > 0);
        yield* Expectation.same("markers left", left, []);
      }
    },
  }),
  law({
    id: "PRM-07",
    title: "a marker in the chat's or the agent's own text is refused by its name",
    *check(harness) {
      const assembler = yield* harness.open;
      for (const anchor of assembler.anchors) {
        const marker = anchorMarker(anchor);
        const inputs = [withLine(`before ${marker} after`), input({ agentSystemPrompt: `You write. ${marker}` })];
        for (const given of inputs) {
          const fault = yield* Expectation.failsWith(anchor, assembler.assemble(given), "PromptFault");
          yield* Expectation.same("reason", fault.reason, { _tag: "MarkerUnmaterialized", marker });
        }
      }
    },
  }),
  law({
    id: "PRM-08",
    title: "an input without any text gives messages or is refused as empty, never an empty list",
    *check(harness) {
      const assembler = yield* harness.open;
      const empty = input({ agentSystemPrompt: "", chat: { ...input().chat, messages: [] } });
      const outcome = yield* Effect.result(assembler.assemble(empty));
      yield* Result.isFailure(outcome)
        ? Expectation.same("reason", outcome.failure.reason, { _tag: "Empty" })
        : Expectation.isTrue(outcome.success.messages.length > 0, "the list of messages is empty");
    },
  }),
  law({
    id: "PRM-09",
    title: "text enters as it is, whatever characters it holds",
    *check(harness) {
      const assembler = yield* harness.open;
      const hard = "$& $1 \\n \u{1f600} \u2028 <b>&amp;</b> end";
      const { messages } = yield* assembler.assemble(withLine(hard));
      yield* Expectation.same("occurrences", occurrences(messages, hard), 1);
    },
  }),
];

const systemPrompt = "You are the writer of this law, with tools of your own.";

const line = (n: number, role: ChatMessage["role"], hidden = false): ChatMessage => ({
  index: n - 1,
  role,
  name: role === "user" ? "User" : "Character",
  text: `line-${n} of the chat`,
  hidden,
});

const input = (changes: Partial<PromptInput> = {}): PromptInput => ({
  generationType: "normal",
  chat: {
    ref: { kind: "character", characterId: "Character", fileName: "law" },
    stableChatId: StableChatId.make("a stable chat"),
    userName: "User",
    characterName: "Character",
    messages: [
      line(1, "assistant"),
      line(2, "user"),
      line(3, "assistant"),
      line(4, "user"),
      line(5, "user", true),
      line(6, "user"),
    ],
    revision: "revision 1",
  },
  agentSystemPrompt: systemPrompt,
  initialChatHistoryMessages: -1,
  ...changes,
});

const withLine = (text: string): PromptInput => {
  const given = input();
  return { ...given, chat: { ...given.chat, messages: [...given.chat.messages, { ...line(7, "user"), text }] } };
};

const textOf = (messages: Messages): string => messages.map(Message.textOf).join("\n");

const occurrences = (messages: Messages, text: string): number => textOf(messages).split(text).length - 1;

/** The numbers of the chat's lines in the order in which they stand in the messages. */
const linesOf = (messages: Messages): ReadonlyArray<number> =>
  Array.from(textOf(messages).matchAll(/line-(\d+)/g), (match) => Number(match[1]));

const deepFreeze = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
};
