/**
 * The simplest correct PromptAssembler: the agent's system prompt, its task, world info, then the visible history.
 */
import type { ChatMessage } from "@cahier/domain/chat/Chat";
import * as Message from "@cahier/domain/model/Message";
import type { PromptComponent } from "@cahier/domain/prompt/PromptComponent";
import type { ActivatedWorldInfo } from "@cahier/domain/worldinfo/ActivatedWorldInfo";
import { anchorMarker, PromptAssembler, PromptFault, type PromptInput } from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";

/** `worldInfo` is active in every prompt; without it the assembler knows of none. */
export interface Options {
  readonly worldInfo?: ActivatedWorldInfo;
}

const anchors = ["agentSystemPrompt", "agentTask", "chatHistory"];

/** An assembler without state or presets, which takes four characters for a token. A text with an anchor's marker is refused. */
export const make = ({ worldInfo }: Options = {}): PromptAssembler["Service"] => ({
  source: "plain",
  anchors,
  assemble: Effect.fnUntraced(function* (input) {
    if (input.preset !== undefined) {
      const { apiId, name } = input.preset;
      return yield* new PromptFault({
        reason: { _tag: "PresetMissing", apiId, name },
        detail: `There is no preset ${name}: this assembler has none.`,
      });
    }
    const { components, messages, required } = filled(input, worldInfo);
    if (required !== undefined) {
      return yield* new PromptFault({
        reason: { _tag: "RequiredOverBudget", identifier: required },
        detail: `There is no room for ${required}: shorten it or give more tokens.`,
      });
    }
    if (messages.length === 0) {
      return yield* new PromptFault({ reason: { _tag: "Empty" }, detail: "There is nothing to say to the model." });
    }
    const marker = anchors
      .map(anchorMarker)
      .find((one) => messages.some((message) => Message.textOf(message).includes(one)));
    if (marker !== undefined) {
      return yield* new PromptFault({
        reason: { _tag: "MarkerUnmaterialized", marker },
        detail: `A text of the prompt contains ${marker}: take it out.`,
      });
    }
    const count = messages.reduce((sum, message) => sum + tokensOf(message), 0);
    return {
      messages,
      components,
      tokens: { count, counter: "estimate", isExact: false, budget: input.budgetTokens ?? null },
      ...(worldInfo === undefined ? {} : { activated: worldInfo }),
    };
  }),
});

export const layer: Layer.Layer<PromptAssembler> = Layer.sync(PromptAssembler, make);

interface Part extends Pick<PromptComponent, "identifier" | "kind" | "source"> {
  readonly message: Message.Message;
}

/** All messages that have room, and every part; `required` is the first that must have room and has none. */
const filled = (input: PromptInput, worldInfo: ActivatedWorldInfo | undefined) => {
  const components: Array<PromptComponent> = [];
  let left = input.budgetTokens ?? Number.POSITIVE_INFINITY;
  const skip = (parts: ReadonlyArray<Part>, skipped: PromptComponent["skipped"]): void => {
    for (const part of parts) components.push(componentOf(part, null, skipped));
  };
  const take = (parts: ReadonlyArray<Part>): boolean => {
    const tokens = parts.map(({ message }) => tokensOf(message));
    const sum = tokens.reduce((total, one) => total + one, 0);
    if (sum > left) return false;
    left -= sum;
    parts.forEach((part, at) => components.push(componentOf(part, tokens[at] ?? 0, null)));
    return true;
  };
  const takeEach = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
    parts.filter((part) => {
      const fits = take([part]);
      if (!fits) skip([part], "overBudget");
      return fits;
    });

  const agent = agentParts(input);
  const told = takeEach(agent);
  const required = agent.find((part) => !told.includes(part))?.identifier;
  const lore = worldInfoParts(worldInfo);
  const includesLore = input.includeActivatedWorldInfo ?? true;
  if (!includesLore) skip(lore, "excluded");
  const active = includesLore ? takeEach(lore) : [];
  const turns = turnsOf(historyParts(input)).toReversed();
  const firstLost = turns.findIndex((turn) => !take(turn));
  const kept = firstLost < 0 ? turns : turns.slice(0, firstLost);
  skip(turns.slice(kept.length).flat(), "overBudget");
  const messages = [...told, ...active, ...kept.toReversed().flat()].map(({ message }) => message);
  return { components, messages, required };
};

const componentOf = (
  { identifier, kind, source }: Part,
  tokens: number | null,
  skipped: PromptComponent["skipped"],
): PromptComponent => ({ identifier, kind, source, tokens, skipped });

const tokensOf = (message: Message.Message): number => Math.ceil(Message.textOf(message).length / 4);

const agentParts = ({ agentSystemPrompt, agentTask = "" }: PromptInput): ReadonlyArray<Part> => [
  ...(agentSystemPrompt === ""
    ? []
    : [
        {
          identifier: "agentSystemPrompt",
          kind: "system",
          source: "profile",
          message: Message.text("system", agentSystemPrompt),
        } as const,
      ]),
  ...(agentTask === ""
    ? []
    : [{ identifier: "agentTask", kind: "task", source: "task", message: Message.text("user", agentTask) } as const]),
];

const worldInfoParts = (worldInfo: ActivatedWorldInfo | undefined): ReadonlyArray<Part> =>
  (worldInfo?.entries ?? []).map(({ content, uid, world }) => {
    const source = `worldinfo:${world}#${uid}`;
    return { identifier: source, kind: "worldInfo", source, message: Message.text("system", content) };
  });

const historyParts = (input: PromptInput): ReadonlyArray<Part> =>
  history(input).map(({ index, name, role, text }) => {
    const source = `chat:current#${index}`;
    return { identifier: source, kind: "history", source, message: Message.text(role, text, name) };
  });

/** A turn begins with what the user says. */
const turnsOf = (parts: ReadonlyArray<Part>): ReadonlyArray<ReadonlyArray<Part>> => {
  const turns: Array<Array<Part>> = [];
  for (const part of parts) {
    if (part.message.role === "user" || turns.length === 0) turns.push([]);
    turns.at(-1)?.push(part);
  }
  return turns;
};

const history = (input: PromptInput): ReadonlyArray<ChatMessage> => {
  const visible = input.chat.messages.filter((message) => !message.hidden);
  if (input.initialChatHistoryMessages < 0) return visible;
  return visible.slice(Math.max(0, visible.length - input.initialChatHistoryMessages));
};
