/**
 * A prompt as SillyTavern 1.19 assembles it.
 *
 * Owns what fits: blocks first, then history and examples, and the order of the whole. A pure function of its input and the
 * numbers that `random` gives. Does not own the texts of the blocks (`Blocks`), nor the check for markers that are left.
 */
import * as TokenCounter from "../tokens/TokenCounter.ts";
import { notePlace } from "../material/ChatRecord.ts";
import type { Assembled, AssemblyInput, PromptMessage } from "./AssemblyInput.ts";
import * as Blocks from "./Blocks.ts";
import type { PromptComponent, SkipReason } from "@cahier/domain/prompt/PromptComponent";
import * as ComponentList from "./ComponentList.ts";
import * as ExampleDialogue from "./ExampleDialogue.ts";
import * as Gathering from "./Gathering.ts";
import * as HistoryMessages from "./HistoryMessages.ts";
import * as InChatPrompts from "./InChatPrompts.ts";
import { squash } from "./squash.ts";
import * as Turns from "./Turns.ts";
import * as TokenBudget from "./TokenBudget.ts";

/** Always gives a prompt; one without its required blocks says so in `requiredOverBudget`. */
export const assemble = (given: AssemblyInput): Assembled => {
  const input = { ...given, counter: TokenCounter.remembering(given.counter) };
  const { preset } = input;
  const gathered = Gathering.gather(input);
  const { blocks, left } = Blocks.ordered(input, gathered);
  const budget = TokenBudget.make(input.counter, preset.context - preset.response - TokenBudget.primedReply);
  const frame: Frame = { input, gathered, budget, slots: new Map(), components: [] };
  for (const { identifier } of blocks) frame.slots.set(identifier, []);
  const skipped = left.map(({ identifier, reason }) => component(identifier, null, reason));

  const placed = withNote(frame, blocks);
  const requiredOverBudget =
    reserveAgentTexts(frame, placed.inChat) ??
    fillBlocks(frame, placed, new Set(left.map(({ identifier }) => identifier)));
  if (requiredOverBudget === null) {
    if (input.settings.pinsExamples) fillExamples(frame);
    fillHistory(frame, placed.inChat);
    if (!input.settings.pinsExamples) fillExamples(frame);
  }
  const filled = [...frame.slots.values()].flat();
  const messages = preset.squashesSystemMessages ? squash(filled) : filled.filter(({ content }) => content !== "");
  return {
    messages,
    components: ComponentList.distinct(
      ComponentList.inOrderSent([...frame.components, ...skipped, ...loreComponents(frame)], filled),
    ),
    requiredOverBudget,
    tokens: messages.reduce((sum, message) => sum + budget.cost(message), TokenBudget.primedReply),
    tokenizer: { name: input.counter.name, isExact: input.counter.isExact },
    activated: gathered.scan.activated,
    timed: gathered.scan.timed,
    variables: gathered.scene.variables.local,
  };
};

interface Frame {
  readonly input: AssemblyInput;
  readonly gathered: Gathering.Gathered;
  readonly budget: TokenBudget.TokenBudget;
  readonly slots: Map<string, ReadonlyArray<PromptMessage>>;
  readonly components: Array<PromptComponent>;
}

/** Blocks in the order in which they are charged, before those that a preset adds. */
const chargedFirst = [
  "agentSystemPrompt",
  "agentTask",
  "worldInfoBefore",
  "main",
  "worldInfoAfter",
  "charDescription",
  "charPersonality",
  "scenario",
  "personaDescription",
  "nsfw",
  "jailbreak",
];
const chargedLast = "enhanceDefinitions";

interface Note {
  readonly message: PromptMessage;
  readonly isBefore: boolean;
}

/** Blocks in their places and in the chat; a note beside main goes where main goes. */
const withNote = (frame: Frame, blocks: ReadonlyArray<Blocks.Block>) => {
  const { note } = frame.input.metadata;
  const relative = blocks.filter(({ isInChat }) => !isInChat);
  const inChat = blocks.filter((block) => block.isInChat && block.content !== "");
  const content = note.position === notePlace.inChat ? "" : frame.gathered.expand(frame.gathered.note.trim());
  if (content === "") return { relative, inChat, notes: [] };
  const isBefore = note.position === notePlace.beforeMain;
  const main = inChat.findIndex(({ identifier }) => identifier === "main");
  const block = inChat[main];
  if (block === undefined) {
    return { relative, inChat, notes: [{ isBefore, message: { role: note.role, content, part: "authorsNote" } }] };
  }
  const beside = inChat.toSpliced(isBefore ? main : main + 1, 0, { ...block, identifier: "authorsNote", content });
  return { relative, inChat: beside, notes: [] };
};

/** An agent's texts in the chat have their room before all else; the identifier of the first without room, or null. */
const reserveAgentTexts = (frame: Frame, inChat: ReadonlyArray<Blocks.Block>): string | null => {
  let failed: string | null = null;
  for (const { content, identifier, isVerbatim, role } of inChat) {
    if (!isVerbatim) continue;
    const tokens = frame.budget.cost({ role, content });
    const fits = frame.budget.take(tokens);
    if (!fits) failed ??= identifier;
    frame.components.push(component(identifier, tokens, fits ? null : "overBudget"));
  }
  return failed;
};

/** The identifier of the first required block that does not fit, after which none is added; null where all fit. */
const fillBlocks = (
  frame: Frame,
  { notes, relative: blocks }: { readonly notes: ReadonlyArray<Note>; readonly relative: ReadonlyArray<Blocks.Block> },
  leftOut: ReadonlySet<string>,
): string | null => {
  const rank = ({ identifier }: Blocks.Block): number => {
    const first = chargedFirst.indexOf(identifier);
    if (first >= 0) return first;
    return chargedFirst.length + (identifier === chargedLast ? 1 : 0);
  };
  let failed: string | null = null;
  const charge = (message: PromptMessage): boolean => {
    const tokens = frame.budget.cost(message);
    const fits = failed === null && frame.budget.take(tokens);
    const isRequired = frame.input.turns === "single" || Blocks.isAgentBlock(message.part);
    if (!fits && isRequired) failed ??= message.part;
    frame.components.push(component(message.part, tokens, fits ? null : "overBudget"));
    return fits;
  };
  for (const block of blocks.toSorted((left, right) => rank(left) - rank(right))) {
    const { content, identifier, role } = block;
    if (identifier === Blocks.historyBlock || identifier === Blocks.examplesBlock) continue;
    if (content === "") {
      if (!leftOut.has(identifier)) frame.components.push(component(identifier, null, "empty"));
      continue;
    }
    const message = { role, content, part: identifier };
    if (charge(message)) frame.slots.set(identifier, [message]);
  }
  for (const { isBefore, message } of notes) {
    const main = frame.slots.get("main");
    if (main === undefined || !charge(message)) continue;
    frame.slots.set("main", isBefore ? [message, ...main] : [...main, message]);
  }
  return failed;
};

const fillExamples = (frame: Frame): void => {
  const { budget, gathered, input } = frame;
  if (!frame.slots.has(Blocks.examplesBlock) || input.settings.stripsExamples) return;
  const speakers = { user: gathered.scene.user, character: gathered.scene.character };
  const separator = { role: "system" as const, content: gathered.expand(input.preset.newExampleChat), part: "newChat" };
  const sent: Array<PromptMessage> = [];
  let isFull = false;
  ExampleDialogue.gathered(gathered.scene.card.exampleMessages, gathered.placed.examples).forEach((text, block) => {
    const lines = ExampleDialogue.lines(text, speakers).map((line, index) => ({
      ...line,
      role: "system" as const,
      part: `${Blocks.examplesBlock} ${block}-${index}`,
    }));
    const messages = [separator, ...lines];
    const tokens = isFull ? null : messages.reduce((sum, message) => sum + budget.cost(message), 0);
    isFull = tokens === null || !budget.take(tokens);
    frame.components.push({
      ...component(Blocks.examplesBlock, tokens, isFull ? "overBudget" : null),
      identifier: `${Blocks.examplesBlock} ${block}`,
    });
    if (!isFull) sent.push(...messages);
  });
  frame.slots.set(Blocks.examplesBlock, sent);
};

const fillHistory = (frame: Frame, inChat: ReadonlyArray<Blocks.Block>): void => {
  const { budget, gathered, input } = frame;
  if (!frame.slots.has(Blocks.historyBlock)) return;
  const { historyMessages, preset } = input;
  const limit = historyMessages < 0 ? gathered.lines.length : historyMessages;
  const wanted = limit === 0 ? [] : gathered.lines.slice(-limit);
  const { namesBehavior } = preset;
  const speakers = { namesBehavior, user: gathered.scene.user, isGroup: input.group.length > 0 };
  const newestFirst = wanted.map(({ index, line }) => HistoryMessages.message(line, index, speakers)).toReversed();
  const all = InChatPrompts.inserted<HistoryMessages.HistoryMessage>(
    newestFirst,
    inChat,
    InChatPrompts.extensions(input, gathered),
    gathered.expand,
  );
  const beginning: PromptMessage = {
    role: "system",
    content: gathered.expand(input.group.length === 0 ? preset.newChat : preset.newGroupChat),
    part: "newMainChat",
  };
  const opening = budget.cost(beginning);
  const isOpened = budget.take(opening);
  if (opening > 0) frame.components.push(component(beginning.part, opening, isOpened ? null : "overBudget"));
  const items = all.map((given, index) =>
    itemOf(given, `${Blocks.historyBlock}-${all.length - index}`, gathered.expand),
  );
  const groups =
    input.turns === "whole"
      ? Turns.grouped(items, ({ chatRole, isAgents }) => (isAgents ? null : chatRole))
      : items.map((item) => [item]);
  const sent: Array<PromptMessage> = [];
  let isFull = !isOpened;
  for (const group of groups) {
    const fitting = isFull ? null : group.map((item) => ({ ...item, message: item.make() }));
    const costs = fitting?.map(({ isAgents, message }) => (isAgents ? 0 : budget.cost(message)));
    isFull ||= !budget.take((costs ?? []).reduce((sum, tokens) => sum + tokens, 0));
    for (const [at, item] of group.entries()) {
      if (!isFull || item.isAgents) sent.push(fitting?.[at]?.message ?? item.make());
      if (item.isAgents) continue;
      const tokens = costs?.[at] ?? null;
      const skipped = isFull ? "overBudget" : null;
      frame.components.push({ identifier: item.part, kind: "history", source: item.source, tokens, skipped });
    }
  }
  for (const { index } of gathered.lines.slice(0, gathered.lines.length - wanted.length)) {
    const source = `chat:current#${index}`;
    frame.components.push({ identifier: source, kind: "history", source, tokens: null, skipped: "historyLimit" });
  }
  frame.slots.set(Blocks.historyBlock, [...(isOpened ? [beginning] : []), ...sent.toReversed()]);
};

/** What stands in the chat, before it is known whether it has room. `chatRole` is null for what is no message of the chat. */
interface HistoryItem {
  readonly part: string;
  readonly source: string;
  readonly chatRole: string | null;
  readonly isAgents: boolean;
  /** Replaces macros, so it is asked for what may be sent only. */
  readonly make: () => PromptMessage;
}

const itemOf = (
  given: HistoryMessages.HistoryMessage | InChatPrompts.InChatPrompt,
  part: string,
  expand: (text: string) => string,
): HistoryItem => {
  const { content, role } = given;
  if ("index" in given) {
    const name = given.name === null ? {} : { name: given.name };
    const source = `chat:current#${given.index}`;
    const make = () => ({ role, content: expand(content), part, ...name });
    return { part, source, chatRole: role, isAgents: false, make };
  }
  if (given.agentBlock === null) {
    const make = () => ({ role, content: expand(content), part });
    return { part, source: "preset", chatRole: null, isAgents: false, make };
  }
  const block = given.agentBlock;
  return {
    part: block,
    source: "preset",
    chatRole: null,
    isAgents: true,
    make: () => ({ role, content, part: block }),
  };
};

const component = (identifier: string, tokens: number | null, skipped: SkipReason | null): PromptComponent => ({
  identifier,
  ...ComponentList.ofBlock(identifier),
  tokens,
  skipped,
});

/** Lore that was found and left out: no room in its budget, or the agent's profile does without lore. */
const loreComponents = ({ gathered, input }: Frame): ReadonlyArray<PromptComponent> => {
  const { activated, overBudget } = gathered.scan;
  const excluded = input.includesWorldInfo ? [] : activated.map(({ entry }) => entry);
  const skipped = (skipReason: SkipReason) => (entry: (typeof overBudget)[number]) => {
    const source = `worldinfo:${entry.world}#${entry.uid}`;
    return { identifier: source, kind: "worldInfo" as const, source, tokens: null, skipped: skipReason };
  };
  return [...overBudget.map(skipped("overBudget")), ...excluded.map(skipped("excluded"))];
};
