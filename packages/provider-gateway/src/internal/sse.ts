/**
 * Server-sent events as a framing. Comments and `retry:` lines are nothing to a model call.
 */
import * as Sse from "effect/encoding/Sse";
import type { Framing } from "../Route.ts";

export const sse: Framing = (onEvent) => {
  const parser = Sse.makeParser((event) => {
    if (event._tag === "Event") onEvent(event.data, event.event);
  });
  const feed = (text: string) => parser.feed(text)?.message;
  // Servers end without the last blank line; a broken event fails in the protocol as broken JSON.
  return { feed, end: () => feed("\n\n") };
};
