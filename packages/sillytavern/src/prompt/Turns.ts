/**
 * Which messages of a chat are kept or left out together.
 *
 * A turn is what the user said, in one or several messages, and all that answered it. What stands before the user's first
 * message is a turn of its own.
 */

/**
 * The items in groups, given and returned newest first. `roleOf` is null for what is no message of the chat: within a turn it
 * belongs to the turn, between turns it is a group of its own.
 */
export const grouped = <Item>(
  newestFirst: ReadonlyArray<Item>,
  roleOf: (item: Item) => string | null,
): ReadonlyArray<ReadonlyArray<Item>> => {
  const groups: Array<ReadonlyArray<Item>> = [];
  let turn: Array<Item> = [];
  let others: Array<Item> = [];
  let isAsked = false;
  const close = (): void => {
    if (turn.length > 0) groups.push(turn);
    groups.push(...others.map((item) => [item]));
    turn = [];
    others = [];
    isAsked = false;
  };
  for (const item of newestFirst) {
    const role = roleOf(item);
    if (role === null) {
      others.push(item);
      continue;
    }
    if (turn.length === 0 || (isAsked && role !== "user")) close();
    turn.push(...others, item);
    others = [];
    isAsked ||= role === "user";
  }
  close();
  return groups;
};
