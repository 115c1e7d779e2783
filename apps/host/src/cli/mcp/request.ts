/**
 * `cahier mcp call|resources|prompts`: asking an MCP server for something oneself. Nothing of it is recorded.
 */
import { sourceOutcome } from "@cahier/application/mcp/answerOf";
import { McpServers } from "@cahier/application/mcp/McpServers";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import { render } from "@cahier/domain/tool/ToolContent";
import type { SourceOutcome } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import * as Predicate from "effect/Predicate";
import type * as Schema from "effect/Schema";
import { lookAtTools } from "../lookAtTools.ts";
import * as Output from "../Output.ts";
import { has, invalid, numberOf, type ParsedCommand, valueOf } from "../parse.ts";
import { printable, printableLines } from "../printable.ts";
import { table } from "../table.ts";

/** Calls a tool and prints what a model would be told of it; exit code 3 where that is no result. */
export const call = Effect.fn("cli.mcp.call")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [id = "", tool = ""] = command.positionals;
  const given = yield* statedArguments(command);
  const seconds = yield* numberOf(command, "timeout", 1, 3600);
  const work = Effect.gen(function* () {
    const servers = yield* McpServers;
    const { registration } = yield* servers.get(id);
    const outcome = yield* servers.testCall(
      id,
      tool,
      given,
      seconds === undefined ? {} : { timeoutMs: seconds * 1000 },
    );
    const told = sourceOutcome({ server: registration.displayName, key: "call" }, outcome);
    if (has(command, "json")) yield* Output.json({ id, tool, outcome });
    else yield* say(told);
    return told._tag === "Answered" && told.errorCode === undefined ? 0 : 3;
  });
  return yield* lookAtTools(command, work);
});

/** The resources of a server, or the content of one. */
export const resources = Effect.fn("cli.mcp.resources")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const uri = valueOf(command, "read");
  const work = Effect.gen(function* () {
    const servers = yield* McpServers;
    if (uri !== undefined) {
      const read = yield* servers.readResource(id, uri);
      yield* has(command, "json") ? Output.json(read) : lines(itemsOf(read, "contents").flatMap(contentLines));
      return 0;
    }
    const listed = yield* servers.entries(id, "resources");
    const templates = yield* servers.entries(id, "resourceTemplates");
    if (has(command, "json")) yield* Output.json({ resources: listed, resourceTemplates: templates });
    else
      yield* rows(["URI", "NAME", "TYPE", "DESCRIPTION"], "It offers no resources.", [
        ...listed.map((one) => ["uri", "name", "mimeType", "description"].map((key) => textAt(one, key))),
        ...templates.map((one) => ["uriTemplate", "name", "mimeType", "description"].map((key) => textAt(one, key))),
      ]);
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** The prompts of a server, or the messages of one. */
export const prompts = Effect.fn("cli.mcp.prompts")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [id = ""] = command.positionals;
  const name = valueOf(command, "get");
  const given = yield* statedArguments(command);
  const texts = Object.entries(given).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : []));
  if (texts.length < Object.keys(given).length)
    return yield* invalid('The arguments of a prompt are texts, such as {"who": "Ada"}.');
  const work = Effect.gen(function* () {
    const servers = yield* McpServers;
    if (name !== undefined) {
      const prompt = yield* servers.getPrompt(id, name, Object.fromEntries(texts));
      yield* has(command, "json") ? Output.json(prompt) : lines(itemsOf(prompt, "messages").flatMap(messageLines));
      return 0;
    }
    const listed = yield* servers.entries(id, "prompts");
    if (has(command, "json")) yield* Output.json({ prompts: listed });
    else
      yield* rows(
        ["PROMPT", "ARGUMENTS", "DESCRIPTION"],
        "It offers no prompts.",
        listed.map((one) => [textAt(one, "name"), argumentsOf(one), textAt(one, "description")]),
      );
    return 0;
  });
  return yield* lookAtTools(command, work);
});

/** What `--arguments` says: one JSON object. */
const statedArguments = Effect.fnUntraced(function* (command: ParsedCommand): Effect.fn.Return<JsonObject, Fatal> {
  const stated = valueOf(command, "arguments");
  if (stated === undefined) return {};
  const refused = invalid(`--arguments takes one JSON object, such as '{"text": "hello"}'.`);
  const value = yield* Effect.try({ try: () => JSON.parse(stated) as Schema.Json, catch: () => refused });
  return isObject(value) ? value : yield* refused;
});

const isObject = (value: Schema.Json | undefined): value is JsonObject =>
  Predicate.isObject(value) && !Array.isArray(value);

const say = (told: SourceOutcome): Effect.Effect<void> => {
  if (told._tag === "NotSent") return Output.complain(`The call was not made: ${told.message}`, told.code);
  if (told._tag === "Unknown")
    return Output.complain(`Nobody knows whether the call took effect: ${told.message}`, told.code);
  const text = typeof told.content === "string" ? told.content : render(told.content);
  const shown = Output.line(printableLines(text));
  return told.errorCode === undefined
    ? shown
    : Effect.andThen(shown, Output.complain("The tool answered with an error.", told.errorCode));
};

const lines = (texts: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(texts, Output.line, { discard: true });

const rows = (
  heads: ReadonlyArray<string>,
  otherwise: string,
  found: ReadonlyArray<ReadonlyArray<string>>,
): Effect.Effect<void> =>
  found.length === 0
    ? Output.line(otherwise)
    : lines(table(heads, found, process.stdout.isTTY ? process.stdout.columns : undefined));

/** A text of what a server has sent, on one line; empty where there is none. */
const textAt = (value: Schema.Json, key: string): string => {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "string" ? printable(found) : "";
};

const itemsOf = (value: Schema.Json, key: string): ReadonlyArray<Schema.Json> => {
  const found: Schema.Json | undefined = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
};

/** A text as it is; of anything else how long it is. */
const contentLines = (content: Schema.Json): ReadonlyArray<string> => {
  if (!isObject(content)) return [];
  const { blob, text } = content;
  if (typeof text === "string") return [printableLines(text)];
  const size = typeof blob === "string" ? Math.floor((blob.length * 3) / 4) : 0;
  return [`${textAt(content, "uri")}: about ${size} bytes of ${textAt(content, "mimeType") || "an unknown type"}`];
};

const messageLines = (message: Schema.Json): ReadonlyArray<string> => {
  const content = isObject(message) ? (message["content"] ?? null) : null;
  const text = isObject(content) && typeof content["text"] === "string" ? content["text"] : JSON.stringify(content);
  return [`${textAt(message, "role")}:`, printableLines(text)];
};

/** The names of a prompt's arguments; those that may be left out in brackets. */
const argumentsOf = (prompt: Schema.Json): string =>
  itemsOf(prompt, "arguments")
    .map((one) => (isObject(one) && one["required"] === true ? textAt(one, "name") : `[${textAt(one, "name")}]`))
    .join(" ");
