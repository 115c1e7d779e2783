/**
 * The macros of cards and chats that name the two speakers.
 *
 * Owns `{{char}}`, `{{user}}`, `{{original}}` and the older `<CHAR>`, `<BOT>`, `<USER>`, all in any case. Any other macro
 * stays as it is.
 */

/** `original` is what a card's own prompt may build on; without it the macro stays. */
export interface Values {
  readonly character: string;
  readonly user: string;
  readonly original?: string;
}

/** The text with its macros filled in, once: a name that looks like a macro is not filled in again. */
export const expand = (text: string, values: Values): string =>
  text.replace(macro, (found) => {
    const name = found.replace(/[{}<>\s]/g, "").toLowerCase();
    if (name === "user") return values.user;
    return name === "original" ? (values.original ?? found) : values.character;
  });

const macro = /\{\{\s*(?:char|user|original)\s*\}\}|<(?:char|bot|user)>/gi;
