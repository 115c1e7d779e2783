/**
 * What to say of a chat's line that is no JSON object: what it is, and what to do.
 */
import { isArray, parse, parseObject } from "./json.ts";

/**
 * A predicate and the advice after it, for a text that `parseObject` refuses. Only a text that ends too early is said to
 * be cut off: of such a line there is nothing to repair.
 */
export const describeFlaw = (text: string): string => {
  if (text.includes("\0")) {
    return "holds NUL bytes, as a crash of the machine leaves them. Restore a backup of the chat; without one, take these bytes out, and the line if it holds nothing else.";
  }
  if (isBeginningOfObject(text)) return "is cut off. Restore a backup of the chat, or delete that line.";
  return `${kindOf(parse(text))}. Restore a backup of the chat, or repair that line.`;
};

const kindOf = (value: unknown): string => {
  if (value === undefined) return "is not JSON";
  const kind = value === null ? "null" : isArray(value) ? "array" : typeof value;
  return `is a JSON ${kind}, not the JSON object that a message is`;
};

/** Whether more characters at its end would make the text a JSON object. */
const isBeginningOfObject = (text: string): boolean => {
  const { closers, inString } = openAtEnd(text);
  if (closers === "") return false;
  const endings = inString ? endingsInString : endingsOutside;
  return endings.some((ending) => parseObject(text + ending + closers) !== null);
};

/** What closes the objects and arrays that are open where the text ends, and whether it ends inside a string. */
const openAtEnd = (text: string): { readonly closers: string; readonly inString: boolean } => {
  const closers: Array<string> = [];
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString && character === "\\") at += 1;
    else if (character === '"') inString = !inString;
    else if (!inString && character === "{") closers.push("}");
    else if (!inString && character === "[") closers.push("]");
    else if (!inString && (character === "}" || character === "]")) closers.pop();
  }
  return { closers: closers.toReversed().join(""), inString };
};

/** What may be missing of a string, which is a value or a member's name. */
const endingsInString = ["", "n", "0", "00", "000", "0000"].flatMap((rest) => [`${rest}"`, `${rest}":0`]);

/** What may be missing of a member, a number or a word. */
const endingsOutside = ["", "0", ":0", '"":0', "rue", "ue", "e", "alse", "lse", "se", "ull", "ll", "l"];
