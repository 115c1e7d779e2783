/**
 * Answers as the script of a scripted model.
 */
import type { Turn } from "../Turn.ts";
import { usage } from "../Turn.ts";
import { sentences } from "./Writer.ts";

/** The text of a script that plays these turns. */
export const scriptOf = (turns: ReadonlyArray<Turn>): string =>
  JSON.stringify({ format: "cahier.script/1", turns: turns.map(turnOf) });

const turnOf = ({ calls, ending, reasoning, refused, text }: Turn): object => {
  if (refused !== undefined) {
    const wait = refused.headers?.["retry-after"];
    return {
      error: {
        status: refused.status,
        body: sentences[refused.complaint],
        ...(wait === undefined ? {} : { retryAfter: Number(wait) }),
      },
    };
  }
  return {
    ...(text === undefined ? {} : { text }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(calls === undefined ? {} : { toolCalls: calls.map(({ id, name, raw }) => ({ id, name, rawArguments: raw })) }),
    usage,
    ...(ending === "cut" ? { error: { cutAfterChars: [...(text ?? "")].length } } : {}),
    ...(ending === "open" ? { error: { hang: true } } : {}),
  };
};
