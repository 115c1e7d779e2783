/** `chat.search`: where words stand in the chat. */
import { ChatRole } from "@cahier/domain/chat/Chat";
import * as Search from "@cahier/domain/chat/search";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { admit, defineTool } from "../defineTool.ts";
import { chatMessages } from "./chatMessages.ts";

/** A whole number from `minimum` to `maximum` that may be left out. */
const optionalInt = (description: string, minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({ description }));

export const searchChat = defineTool({
  name: "chat.search",
  title: "Search the chat",
  description:
    "Finds messages of the chat by words, best first, as the chat was when this work began. Each hit shows a line of the message and its number to read it by.",
  parameters: Schema.Struct({
    query: Schema.String.annotate({ description: "Words to look for." }),
    limit: optionalInt(`Most hits, 1 to ${Search.maxLimit}. Default ${Search.defaultLimit}.`, 1, Search.maxLimit),
    role: Schema.optionalKey(ChatRole.annotate({ description: "Only messages of this role." })),
    hidden: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Only hidden messages, or only shown ones. Default: both." }),
    ),
    start_message: optionalInt("First message to search, from 0.", 0),
    end_message: optionalInt("Last message to search, included.", 0),
    scan_limit: optionalInt(`Most messages to look at, from the newest; up to ${Search.maxScan}.`, 1, Search.maxScan),
  }),
  annotations: { readOnly: true, idempotent: true },
  effectClass: "pure",
  run: Effect.fnUntraced(function* (parameters, context) {
    const { end_message, hidden, limit, query, role, scan_limit, start_message } = parameters;
    const { hits } = yield* admit(
      Search.search(yield* chatMessages(context), {
        query,
        ...(limit === undefined ? {} : { limit }),
        ...(role === undefined ? {} : { role }),
        ...(hidden === undefined ? {} : { hidden }),
        ...(start_message === undefined ? {} : { startMessage: start_message }),
        ...(end_message === undefined ? {} : { endMessage: end_message }),
        ...(scan_limit === undefined ? {} : { scanLimit: scan_limit }),
      }),
    );
    return {
      _tag: "Done" as const,
      content:
        hits.length === 0
          ? "No hits. Try other or fewer words."
          : hits
              .map(
                (hit) =>
                  `Message ${hit.index} (${hit.role}, ${hit.name}; ${hit.chars} characters, ${hit.words} words):\n${hit.snippet}`,
              )
              .join("\n\n"),
      structured: { query, hits: hits.map((hit) => ({ ...hit })) },
      resourceRefs: hits.map((hit) => hit.ref),
    };
  }),
});
