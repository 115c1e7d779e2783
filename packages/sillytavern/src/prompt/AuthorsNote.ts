/**
 * The author's note, with what the character, the lore and the persona add to it.
 */
import { personaPlace } from "../material/UserSettings.ts";
import type { AssemblyInput } from "./AssemblyInput.ts";

/** Whether the note is due: every so many messages of the user, hidden ones too. */
export const isDue = ({ chat, metadata }: AssemblyInput): boolean => {
  const { interval } = metadata.note;
  if (interval === 1) return true;
  const count = chat.filter((line) => line.isUser).length;
  return interval > 0 && count > 0 && count % interval === 0;
};

/** The chat's note with the character's own; empty where it is not due. */
export const text = (input: AssemblyInput): string => {
  if (!isDue(input)) return "";
  const chats = input.metadata.note.text;
  const own = input.settings.characterNotes.find((note) => note.character === input.cardFileName && note.isUsed);
  if (own === undefined) return chats;
  if (own.position === 0) return own.text;
  return own.position === 1 ? `${own.text}\n${chats}` : `${chats}\n${own.text}`;
};

/** The note with lore around it, then the persona where its place is the note. */
export const surrounded = (
  input: AssemblyInput,
  note: string,
  lore: { readonly noteTop: ReadonlyArray<string>; readonly noteBottom: ReadonlyArray<string> },
  persona: string,
): string => {
  if (!isDue(input)) return "";
  const around = `${lore.noteTop.join("\n")}\n${note}\n${lore.noteBottom.join("\n")}`.replace(/^\n|\n$/g, "");
  if (persona === "") return around;
  const { position } = input.settings.persona;
  if (position === personaPlace.topOfNote) return `${persona}\n${around}`;
  return position === personaPlace.bottomOfNote ? `${around}\n${persona}` : around;
};
