/**
 * A small chat as SillyTavern writes one.
 */
import * as fs from "node:fs";

const lines = (number: number) => [
  {
    chat_metadata: { integrity: `0b5f7c1e-77a2-4f4e-8a55-${String(number).padStart(12, "0")}` },
    user_name: "unused",
    character_name: "unused",
  },
  {
    name: "Marit",
    is_user: false,
    is_system: false,
    send_date: "2026-11-30T18:00:00.000Z",
    mes: "The ferry is late, and the bell has stopped.",
    extra: {},
  },
  {
    name: "Jon",
    is_user: true,
    is_system: false,
    send_date: "2026-11-30T18:01:00.000Z",
    mes: "Then we wait for the tide.",
    extra: {},
  },
];

/** Writes the chat to a file and gives the file's path. Another `number` makes it another chat of the same words. */
export const writeChat = (file: string, number = 0): string => {
  fs.writeFileSync(
    file,
    lines(number)
      .map((line) => JSON.stringify(line))
      .join("\n"),
  );
  return file;
};
