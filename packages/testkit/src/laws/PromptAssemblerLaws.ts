/**
 * The laws of PromptAssembler.
 */
import type { ChatMessage } from "@cahier/domain/chat/Chat";
import { StableChatId } from "@cahier/domain/identity/Identity";
import * as Message from "@cahier/domain/model/Message";
import {
  anchorMarker,
  type AssembledPrompt,
  type PromptAssembler,
  type PromptInput,
} from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type * as Scope from "effect/Scope";
import * as Expectation from "../Expectation.ts";
import * as Law from "../Law.ts";

/**
 * `open` gives a fresh assembler, as another process would have. `worldInfo` is a text that the assembler finds active whatever
 * the chat says, and that is nowhere else; an assembler that knows of no world info lacks it.
 */
export interface PromptAssemblerHarness {
  readonly open: Effect.Effect<PromptAssembler["Service"], unknown, Scope.Scope>;
  readonly worldInfo?: string;
}

type Messages = ReadonlyArray<Message.Message>;

const law = Law.of<PromptAssemblerHarness>();

export const laws: ReadonlyArray<Law.Law<PromptAssemblerHarness>> = [
  law({
    id: "PRM-01",
    title: "equal inputs give equal prompts but for the moment that they tell, in any process",
    *check(harness) {
      const assembler = yield* harness.open;
      const first = timeless(yield* assembler.assemble(input()));
      yield* Expectation.isTrue(first.messages.length > 0, "there are no messages");
      yield* Expectation.same("again", timeless(yield* assembler.assemble(input())), first);
      const elsewhere = yield* (yield* harness.open).assemble(input());
      yield* Expectation.same("in another process", timeless(elsewhere), first);
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
      const empty = input({
        agentSystemPrompt: "",
        chat: { ...input().chat, messages: [] },
        includeActivatedWorldInfo: false,
      });
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
  law({
    id: "PRM-10",
    title:
      "the parts of a prompt have identifiers of their own, and those that are in it no more tokens than the budget",
    *check(harness) {
      const assembler = yield* harness.open;
      const whole = yield* assembler.assemble(longInput());
      yield* Expectation.isTrue(sumOf(whole) > 0, "no part that is in the prompt has tokens");
      for (const budgetTokens of [undefined, ...budgetsFor(whole)]) {
        const limit = budgetTokens === undefined ? {} : { budgetTokens };
        const outcome = yield* Effect.result(assembler.assemble(longInput(limit)));
        if (Result.isFailure(outcome)) continue;
        const { components, tokens } = outcome.success;
        const identifiers = components.map(({ identifier }) => identifier);
        yield* Expectation.same("identifiers", identifiers, [...new Set(identifiers)]);
        const most = Math.min(budgetTokens ?? Number.POSITIVE_INFINITY, tokens.budget ?? Number.POSITIVE_INFINITY);
        yield* Expectation.isTrue(
          sumOf(outcome.success) <= most,
          `the parts have ${sumOf(outcome.success)} tokens of ${most}`,
        );
      }
    },
  }),
  law({
    id: "PRM-11",
    title: "the agent's task stands in the messages once, however much of the chat does",
    *check(harness) {
      const assembler = yield* harness.open;
      yield* Expectation.isTrue(assembler.anchors.includes("agentTask"), "agentTask is no anchor");
      for (const initialChatHistoryMessages of [-1, 0, 2]) {
        const { components, messages } = yield* assembler.assemble(
          input({ agentTask: task, initialChatHistoryMessages }),
        );
        yield* Expectation.same("occurrences", occurrences(messages, task), 1);
        const tasks = components.filter(({ kind, skipped }) => kind === "task" && skipped === null);
        yield* Expectation.same("parts that are a task", tasks.length, 1);
      }
      const { components } = yield* assembler.assemble(input());
      const tasks = components.filter(({ kind, skipped }) => kind === "task" && skipped === null);
      yield* Expectation.same("parts that are a task where there is none", tasks.length, 0);
    },
  }),
  law({
    id: "PRM-12",
    title: "world info enters unless it is not to, and what is active is told either way",
    needs: ["worldInfo"],
    *check(harness) {
      const assembler = yield* harness.open;
      for (const [includeActivatedWorldInfo, wanted] of [
        [undefined, true],
        [true, true],
        [false, false],
      ] as const) {
        const choice = includeActivatedWorldInfo === undefined ? {} : { includeActivatedWorldInfo };
        const { activated, components, messages } = yield* assembler.assemble(input(choice));
        yield* Expectation.same("entered", occurrences(messages, harness.worldInfo) > 0, wanted);
        const told = activated?.entries.some(({ content }) => content.includes(harness.worldInfo)) === true;
        yield* Expectation.isTrue(told, "what is active is not told");
        const entered = components.filter(({ kind, skipped }) => kind === "worldInfo" && skipped === null);
        yield* Expectation.same("has parts of world info", entered.length > 0, wanted);
      }
    },
  }),
  law({
    id: "PRM-13",
    title:
      "a budget is kept: whole turns are left out, the oldest first, and the agent's texts have room or it is refused",
    *check(harness) {
      const assembler = yield* harness.open;
      const whole = yield* assembler.assemble(longInput());
      const lengths = new Set<number>();
      for (const budgetTokens of budgetsFor(whole)) {
        const outcome = yield* Effect.result(assembler.assemble(longInput({ budgetTokens })));
        if (Result.isFailure(outcome)) {
          yield* Expectation.same("refusal", outcome.failure.reason._tag, "RequiredOverBudget");
          continue;
        }
        const { messages, tokens } = outcome.success;
        yield* Expectation.isTrue(
          tokens.count <= budgetTokens,
          `there are ${tokens.count} tokens within ${budgetTokens}`,
        );
        lengths.add(linesOf(messages).length);
        yield* Expectation.same(`what is wrong within ${budgetTokens}`, lossesOf(messages), []);
      }
      yield* Expectation.isTrue(lengths.has(1) || lengths.has(2), "no chat was shortened to its last turn");
      const refused = assembler.assemble(longInput({ budgetTokens: 1 }));
      const { reason } = yield* Expectation.failsWith("one token", refused, "PromptFault");
      yield* Expectation.same("refusal of one token", reason._tag, "RequiredOverBudget");
    },
  }),
  law({
    id: "PRM-14",
    title: "a preset that is not there is missing, by its name",
    *check(harness) {
      const assembler = yield* harness.open;
      const preset = { apiId: "openai", name: "no preset of this name" };
      const fault = yield* Expectation.failsWith("preset", assembler.assemble(input({ preset })), "PromptFault");
      yield* Expectation.same("reason", fault.reason, { _tag: "PresetMissing", ...preset });
    },
  }),
];

const systemPrompt = "You are the writer of this law, with tools of your own.";

const task = "Find out what the tide does to the bell of this law.";

const timeless = (prompt: AssembledPrompt): AssembledPrompt =>
  prompt.activated === undefined ? prompt : { ...prompt, activated: { ...prompt.activated, timestampMs: 0 } };

/** The tokens of all parts that are in the prompt. */
const sumOf = ({ components }: AssembledPrompt): number =>
  components.filter(({ skipped }) => skipped === null).reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);

/** From what the whole prompt needs down to what no prompt can do with. */
const budgetsFor = (whole: AssembledPrompt): ReadonlyArray<number> =>
  Array.from({ length: 40 }, (_, step) => Math.max(1, Math.floor((whole.tokens.count * (40 - step)) / 40)));

/** An input whose lines of the chat are most of the prompt. */
const longInput = (changes: Partial<PromptInput> = {}): PromptInput => {
  const given = input({ agentTask: task, ...changes });
  const messages = given.chat.messages.map((message) => ({
    ...message,
    text: `${message.text}${" and so it went on".repeat(20)}`,
  }));
  return { ...given, chat: { ...given.chat, messages } };
};

/** What is wrong with the history and the agent's texts of a prompt that had to be shortened; empty where nothing is. */
const lossesOf = (messages: Messages): ReadonlyArray<string> => {
  const lines = linesOf(messages);
  const all = [1, 2, 3, 4, 6];
  const newest = all.slice(all.length - lines.length);
  return [
    ...(newest.join() === lines.join() ? [] : [`of lines 1, 2, 3, 4 and 6 it has ${lines.join(", ")}`]),
    ...(lines[0] === 3 ? ["it has an answer without what was asked"] : []),
    ...(occurrences(messages, systemPrompt) === 1 ? [] : ["the system prompt does not stand in it once"]),
    ...(occurrences(messages, task) === 1 ? [] : ["the task does not stand in it once"]),
  ];
};

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
