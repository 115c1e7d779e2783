/**
 * Prompts that stand in the chat, counted from its end.
 *
 * Owns which are joined and where they go. Does not own whether they fit.
 */
import { notePlace } from "../material/ChatRecord.ts";
import { personaPlace } from "../material/UserSettings.ts";
import type { AssemblyInput, PromptRole } from "./AssemblyInput.ts";
import type { Block } from "./Blocks.ts";
import type { Gathered } from "./Gathering.ts";

/** `agentBlock` names the block of an agent's text, which stands alone and is taken as it is. */
export interface InChatPrompt {
  readonly role: PromptRole;
  readonly content: string;
  readonly agentBlock: string | null;
}

/** What extensions put into the chat, in the order in which those of one place are joined. */
export interface Extension {
  readonly role: PromptRole;
  readonly depth: number;
  readonly text: string;
}

/** The author's note, the card's note, the persona at its depth and lore at its depths; their macros are still there. */
export const extensions = (input: AssemblyInput, gathered: Gathered): ReadonlyArray<Extension> => {
  const { card, metadata, settings } = input;
  const { depth, position, role } = metadata.note;
  const note = position === notePlace.inChat ? [{ role, depth, text: gathered.note }] : [];
  const { persona } = settings;
  const isPersonaHere = persona.position === personaPlace.atDepth;
  return [
    ...note,
    { role: card.depthPrompt.role, depth: card.depthPrompt.depth, text: gathered.scene.card.depthPrompt },
    ...(isPersonaHere ? [{ role: persona.role, depth: persona.depth, text: persona.description }] : []),
    ...gathered.placed.depths.map((lore) => ({ role: lore.role, depth: lore.depth, text: lore.contents.join("\n") })),
  ];
};

/**
 * The messages, given newest first, with the prompts among them. A depth counts messages of the chat; a deeper one than the
 * chat has stands before its first message.
 */
export const inserted = <Message>(
  newestFirst: ReadonlyArray<Message>,
  blocks: ReadonlyArray<Block>,
  added: ReadonlyArray<Extension>,
  expand: (text: string) => string,
): ReadonlyArray<Message | InChatPrompt> => {
  const depths = [...new Set([...blocks, ...added].map(({ depth }) => depth))].toSorted((left, right) => left - right);
  const result: Array<Message | InChatPrompt> = [];
  let taken = 0;
  for (const depth of depths) {
    const upTo = Math.max(depth, 0);
    result.push(...newestFirst.slice(taken, upTo));
    taken = Math.max(taken, Math.min(upTo, newestFirst.length));
    result.push(
      ...atDepth(
        blocks.filter((block) => block.depth === depth),
        added.filter((extension) => extension.depth === depth),
        expand,
      ),
    );
  }
  return [...result, ...newestFirst.slice(taken)];
};

/** Newest first: the highest order nearest to the end, and within an order system, user, assistant. */
const atDepth = (
  blocks: ReadonlyArray<Block>,
  added: ReadonlyArray<Extension>,
  expand: (text: string) => string,
): ReadonlyArray<InChatPrompt> => {
  const orders = [...new Set([...blocks.map(({ order }) => order), extensionOrder])];
  return orders
    .toSorted((left, right) => right - left)
    .flatMap((order) =>
      roles.flatMap((role) => {
        const all = blocks.filter((block) => block.order === order && block.role === role && block.content !== "");
        const own = all.filter(({ isVerbatim }) => !isVerbatim);
        const others = order === extensionOrder ? added.filter((extension) => extension.role === role) : [];
        const texts = [own.map(({ content }) => content).join("\n"), ...others.map(({ text }) => expand(text.trim()))];
        const content = texts
          .map((text) => text.trim())
          .filter((text) => text !== "")
          .join("\n");
        const agents = all.filter(({ isVerbatim }) => isVerbatim).toReversed();
        return [
          ...(content === "" ? [] : [{ role, content, agentBlock: null }]),
          ...agents.map((block) => ({ role, content: block.content, agentBlock: block.identifier })),
        ];
      }),
    );
};

const extensionOrder = 100;
const roles: ReadonlyArray<PromptRole> = ["system", "user", "assistant"];
