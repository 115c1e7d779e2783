/**
 * From what a server answered to what a call gave.
 *
 * Pure. Owns what of an answer a model sees: texts as they are, references in place of what is no text, and notes about what was
 * left out. What is no text goes along as attachments; their names are of the call and the place in its answer, and the runtime
 * puts paths in their place. Does not own the length of it all: the runtime shortens.
 */
import { isFailureCode } from "@cahier/domain/failure/FailureCode";
import { canonicalJson } from "@cahier/domain/tool/canonicalArguments";
import { isNestedTooDeep } from "@cahier/domain/tool/nesting";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import { noContent, type ToolContent } from "@cahier/domain/tool/ToolContent";
import { quote } from "@cahier/domain/workspace/Refusal";
import type { McpAnswer, McpOutcome } from "@cahier/ports/McpGateway";
import type { SourceAttachment, SourceOutcome } from "@cahier/ports/ToolSource";
import * as Base64 from "effect/encoding/Base64";
import * as Predicate from "effect/Predicate";
import * as Result from "effect/Result";
import type * as Schema from "effect/Schema";
import { cutText } from "../payload/cutText.ts";

/** Whose answer it is: `server` is what people call the server, `key` names the call. */
export interface Answered {
  readonly server: string;
  readonly key: string;
}

/** What became of a call. Of one that was not answered the message is the reason alone: who calls says what it is the reason of. */
export const sourceOutcome = (answered: Answered, outcome: McpOutcome): SourceOutcome => {
  const server = quote(answered.server);
  switch (outcome._tag) {
    case "Known":
      return answerOf(answered, outcome.answer);
    case "ServerError":
      return {
        _tag: "Answered",
        errorCode: "mcp.server_error",
        content: sections([
          `${server} refused the call: ${sentence(outcome.message)} (${outcome.code})`,
          ...(outcome.data === undefined ? [] : [section("Error details", json(outcome.data))]),
        ]),
      };
    case "Unsupported":
      return {
        _tag: "Answered",
        errorCode: "mcp.unsupported_response",
        content: `${server} answered, and the answer cannot be used: ${sentence(outcome.detail)} The call may have taken effect.`,
      };
    case "NotSent":
      return {
        _tag: "NotSent",
        code: isFailureCode(outcome.code) ? outcome.code : "mcp.call_not_queued",
        message: `${sentence(outcome.detail)} ${adviceOf(outcome.code)}`,
      };
    case "Unknown":
      return {
        _tag: "Unknown",
        code: isFailureCode(outcome.code) ? outcome.code : "mcp.call_response_failed",
        message: sentence(outcome.detail),
      };
    default:
      return outcome satisfies never;
  }
};

const adviceOf = (code: string): string => {
  if (code === "mcp.call_arguments_too_large") return "Send less at once.";
  if (code === "mcp.call_tool_unavailable" || code === "mcp.call_tools_capability_missing")
    return "Go on without this tool.";
  return "Try it again later, or go on without this tool.";
};

const answerOf = (answered: Answered, { content, isError, structuredContent }: McpAnswer): SourceOutcome => {
  const read = content.map((block, index) => readBlock(block, `mcp-content:${answered.key}/${index + 1}`));
  const parts = read.flatMap(({ part }) => (part === undefined ? [] : [part]));
  const refs = read.flatMap(({ ref }) => (ref === undefined ? [] : [ref]));
  const attachments = read.flatMap(({ attachment }) => (attachment === undefined ? [] : [attachment]));
  const isTooDeep = structuredContent !== undefined && isNestedTooDeep(structuredContent);
  const structured = isTooDeep ? undefined : structuredContent;
  const notes = [
    ...new Set(read.flatMap(({ note }) => (note === undefined ? [] : [note]))),
    ...(isTooDeep ? ["Structured data was left out, for it is nested too deep."] : []),
    ...(refs.length > mostRefs ? [`Of ${refs.length} references only the first ${mostRefs} are in the record.`] : []),
  ];
  const all: ReadonlyArray<ToolContent> = [
    ...parts,
    ...(structured === undefined || isSaid(parts, structured) ? [] : [text(section("Details", json(structured)))]),
    ...(notes.length === 0 ? [] : [text(section("Notes", notes.map((note) => `- ${note}`).join("\n")))]),
  ];
  const [first] = all;
  return {
    _tag: "Answered",
    content: all.length === 0 ? noContent : all.length === 1 && first?.type === "text" ? first.text || noContent : all,
    ...(isJsonObject(structured) ? { structured } : {}),
    ...(refs.length === 0 ? {} : { resourceRefs: refs.slice(0, mostRefs) }),
    ...(attachments.length === 0 ? {} : { attachments: attachments.slice(0, mostRefs) }),
    ...(isError ? { errorCode: "mcp.tool_error" as const } : {}),
  };
};

interface Block {
  readonly part?: ToolContent;
  readonly ref?: string;
  readonly note?: string;
  readonly attachment?: SourceAttachment;
}

const readBlock = (block: Schema.Json, ownRef: string): Block => {
  if (!isJsonObject(block)) return { note: "A part of the answer was left out, for it is no object." };
  switch (block["type"]) {
    case "text":
      return typeof block["text"] === "string" ? { part: text(block["text"]) } : malformed("text");
    case "image":
    case "audio":
      return media(block["type"], block, ownRef);
    case "resource_link":
      return typeof block["uri"] === "string"
        ? resource(block, block["uri"], ownRef, titleOf(block))
        : malformed("resource_link");
    case "resource":
      return embedded(block["resource"], ownRef);
    default:
      return {
        note: `A part of the kind ${quote(typeof block["type"] === "string" ? block["type"] : json(block["type"] ?? null))} was left out: it is not known here.`,
      };
  }
};

const media = (kind: "image" | "audio", block: JsonObject, ownRef: string): Block => {
  const bytes = bytesIn(block["data"]);
  if (bytes === undefined) return malformed(kind);
  return {
    part: {
      type: kind === "image" ? "imageRef" : "audioRef",
      uri: ownRef,
      title: `${bytes.byteLength} bytes`,
      ...mimeTypeOf(block),
    },
    ref: ownRef,
    note: "Images and sounds cannot be shown here.",
    attachment: { uri: ownRef, bytes, ...mimeTypeOf(block) },
  };
};

const embedded = (stated: Schema.Json | undefined, ownRef: string): Block => {
  if (!isJsonObject(stated) || typeof stated["uri"] !== "string") return malformed("resource");
  const block = resource(stated, stated["uri"], ownRef, titleOf(stated));
  if (typeof stated["text"] === "string" && block.part?.type === "resourceRef")
    return { ...block, part: { ...block.part, text: stated["text"] } };
  if (stated["blob"] === undefined) return block;
  const bytes = bytesIn(stated["blob"]);
  if (bytes === undefined) return malformed("resource");
  // It is kept as a file, whose path stands where its address would.
  const kept = resource(stated, ownRef, ownRef, { title: cutText(stated["uri"], wordBytes), ...titleOf(stated) });
  return {
    ...kept,
    note: "A resource that is no text cannot be shown.",
    attachment: { uri: ownRef, bytes, ...mimeTypeOf(stated) },
  };
};

const bytesIn = (data: Schema.Json | undefined): Uint8Array | undefined =>
  typeof data === "string" ? Result.getOrUndefined(Base64.decode(data)) : undefined;

/** An address that holds the thing itself is no name of it. */
const resource = (stated: JsonObject, address: string, ownRef: string, title: { readonly title?: string }): Block => {
  const uri = /^data:/i.test(address) ? ownRef : cutText(address, refBytes);
  return { part: { type: "resourceRef", uri, ...title, ...mimeTypeOf(stated) }, ref: uri };
};

/** Most references of an answer that its record names, and most bytes of one, of a title and of a type. */
const mostRefs = 100;
const refBytes = 2048;
const wordBytes = 200;

const titleOf = (stated: JsonObject): { readonly title?: string } => {
  const title = [stated["title"], stated["name"]].find((word) => typeof word === "string" && word !== "");
  return typeof title === "string" ? { title: cutText(title, wordBytes) } : {};
};

const mimeTypeOf = ({ mimeType }: JsonObject): { readonly mimeType?: string } =>
  typeof mimeType === "string" ? { mimeType: cutText(mimeType, wordBytes) } : {};

const malformed = (kind: string): Block => ({
  note: `A part of the kind ${quote(kind)} was left out: it lacks what it must have.`,
});

const text = (value: string): ToolContent => ({ type: "text", text: value });

const section = (title: string, content: string): string => `${title}:\n${content}`;

const sections = (all: ReadonlyArray<string>): string => all.join("\n\n");

const json = (value: Schema.Json): string =>
  isNestedTooDeep(value) ? "(nested too deep to be shown)" : JSON.stringify(value, undefined, 2);

/** Whether a text of the answer is the same data already. */
const isSaid = (parts: ReadonlyArray<ToolContent>, structured: Schema.Json): boolean => {
  const wanted = canonicalJson(structured);
  return parts.some((part) => {
    if (part.type !== "text") return false;
    const parsed = parse(part.text);
    return parsed !== undefined && !isNestedTooDeep(parsed) && canonicalJson(parsed) === wanted;
  });
};

const parse = (given: string): Schema.Json | undefined => {
  try {
    return JSON.parse(given) as Schema.Json;
  } catch {
    return undefined;
  }
};

const isJsonObject = (value: Schema.Json | undefined): value is JsonObject =>
  Predicate.isObject(value) && !Array.isArray(value);

/** What a gateway or a server says begins small and has no end, or it has both, or it is nothing. */
const sentence = (detail: string): string => {
  const said = detail.trim() === "" ? "It is not said why" : detail.trim();
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}${/[.!?]$/.test(said) ? "" : "."}`;
};
