/**
 * About how many tokens a text or a message takes, for any model.
 *
 * Never exact, and said to be an estimate wherever it is shown: a token for four characters of ASCII, one for each other.
 */
import type { Message } from "../model/Message.ts";

/** What the counter of an estimate is called. */
export const estimator = "estimate";

export const ofText = (text: string): number => {
  let others = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) others += 1;
  return Math.ceil((text.length - others) / 4) + others;
};

/** What a message costs beside its parts. */
const overhead = 4;

/** A picture or a sound, whatever its size: what providers charge at the least. */
const media = 256;

export const ofMessage = ({ parts }: Message): number => {
  let tokens = overhead;
  for (const part of parts) {
    switch (part.type) {
      case "text":
      case "reasoning":
        tokens += ofText(part.text);
        break;
      case "toolCall":
        tokens += ofText(part.name) + ofText(part.arguments);
        break;
      case "toolResult":
        tokens += ofText(part.content);
        break;
      case "media":
        tokens += media;
        break;
      case "resourceRef":
        tokens += ofText(part.uri);
        break;
      // Native parts say again what the others say.
      case "native":
        break;
      default:
        return part satisfies never;
    }
  }
  return tokens;
};
