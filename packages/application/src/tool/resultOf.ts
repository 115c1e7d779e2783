/**
 * From what a tool gave to what the model sees and what the record keeps.
 *
 * Owns rendering, the check against the output schema and what becomes of a result that is too long for the model.
 * Does not own storing: the caller does, and it applies the changes.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { isNestedTooDeep, maxNesting } from "@cahier/domain/tool/nesting";
import { render, type ToolContent } from "@cahier/domain/tool/ToolContent";
import type { ToolResult } from "@cahier/domain/tool/ToolResult";
import type { InvocationToolSnapshot, ToolBinding } from "@cahier/domain/tool/ToolSnapshot";
import { byId } from "@cahier/domain/tool/ToolSnapshot";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import * as TextLines from "@cahier/domain/workspace/TextLines";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import { byteLength } from "@cahier/domain/workspace/Utf8";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { describeErrors } from "./checkArguments.ts";
import { compileSchema } from "./compileSchema.ts";
import { type NamedAttachment, namedIn } from "./attachments.ts";
import type { CallIdentity, Done } from "./Tool.ts";

/** What a result is made with. `inlineCharLimit` holds for MCP and extension tools; paths are those of the record. */
export interface ResultTerms {
  readonly call: CallIdentity;
  readonly snapshot: InvocationToolSnapshot;
  readonly binding: ToolBinding | undefined;
  readonly inlineCharLimit: number;
  readonly auditPath: string;
  readonly readablePath: string;
}

/** The whole of a long result as a file that the model can read in parts. */
export interface ReadableFile extends TextMetrics.TextMetrics {
  readonly path: string;
  readonly text: string;
}

/** `readable` is there for a long result only. `attachments` are what the result names by their paths. */
export interface MadeResult {
  readonly result: ToolResult;
  readonly readable?: ReadableFile;
  readonly attachments?: ReadonlyArray<NamedAttachment>;
}

/**
 * The result of a call. A tool that answers another call than the one that it was asked is fatal: its answer may be
 * anybody's. A result that breaks the tool's output schema counts, with a warning in the record.
 */
export const resultOf = (terms: ResultTerms, given: Done): Effect.Effect<MadeResult, Fatal> => {
  const { binding, call } = terms;
  const { attachments, outcome } = namedIn(terms.auditPath, given);
  if ((outcome.callId ?? call.callId) !== call.callId || (outcome.toolId ?? call.toolId) !== call.toolId)
    return Effect.fail(
      fatal(
        "tool.result_identity_mismatch",
        `${call.toolId} was called as ${call.callId} and answered ${outcome.toolId ?? call.toolId} as ${outcome.callId ?? call.callId}.`,
      ),
    );
  const all: ReadonlyArray<ToolContent> =
    typeof outcome.content === "string" ? [{ type: "text", text: outcome.content }] : outcome.content;
  const parts = all.filter((part) => part.type !== "json" || !isNestedTooDeep(part.value));
  const structured =
    outcome.structured === undefined || isNestedTooDeep(outcome.structured) ? undefined : outcome.structured;
  const warnings = [
    ...(parts.length < all.length || structured !== outcome.structured ? [tooDeep] : []),
    ...(outcome.errorCode === undefined ? outputWarnings(binding, structured) : []),
  ];
  const content = typeof outcome.content === "string" ? outcome.content : render(parts);
  const made = shortened(terms, {
    ...call,
    content: content.toWellFormed(),
    isError: outcome.errorCode !== undefined,
    ...(outcome.errorCode === undefined ? {} : { errorCode: outcome.errorCode }),
    ...(structured === undefined ? {} : { structured }),
    resourceRefs: outcome.resourceRefs ?? [],
    ...(parts.length === 1 && parts[0]?.type === "text" ? {} : { parts }),
    ...(warnings.length === 0 ? {} : { warnings }),
  });
  return Effect.succeed(attachments.length === 0 ? made : { ...made, attachments });
};

const tooDeep = `Data of more than ${maxNesting} levels was left out.`;

const outputWarnings = (
  binding: ToolBinding | undefined,
  structured: JsonObject | undefined,
): ReadonlyArray<string> => {
  const schema = binding?.descriptor.outputSchema;
  if (schema === undefined) return [];
  if (structured === undefined) return ["The tool states an output schema and gave no structured result."];
  const compiled = compileSchema(schema);
  if (Result.isFailure(compiled)) return [`The output schema cannot be used. ${compiled.failure}`];
  if (compiled.success.fits(structured)) return [];
  const issues = describeErrors(schema, structured, compiled.success.errors(structured));
  return [`The structured result does not fit the output schema. ${issues.join(" ")}`];
};

/** Longest beginning that stands in for a long result, and longest line of its file, in characters. */
const previewChars = 3000;
const longestLine = 3000;

/** Bytes of UTF-8 that are counted as one token where a tool's output is limited in tokens. */
const bytesPerToken = 4;

const shortened = (terms: ResultTerms, result: ToolResult): MadeResult => {
  const limit = limitOf(terms, result.content);
  if (limit === undefined) return { result };
  const { auditPath, readablePath } = terms;
  const { content, parts, structured, ...rest } = result;
  const text = content.replaceAll(tooLongLine, "$&\n");
  const metrics = TextMetrics.measure(text);
  const beginning = content.slice(0, TextLines.spanOfChars(content, 0, Math.min(previewChars, limit)).end);
  const { chars } = TextMetrics.measure(content);
  return {
    readable: { path: readablePath, text, ...metrics },
    result: {
      ...rest,
      content: `This result has ${chars} characters, which is too long to stand here. ${howToReadOn(terms)} It begins:\n\n${beginning}`,
      structured: { externalized: true, path: readablePath, auditPath, charCount: chars, charLimit: limit },
      resourceRefs: [...result.resourceRefs, readablePath, auditPath],
      ...(parts === undefined ? {} : { parts }),
      original: { content, ...(structured === undefined ? {} : { structured }) },
    },
  };
};

const tooLongLine = new RegExp(`[^\\n]{${longestLine}}(?=[^\\n])`, "gu");

/** The limit in characters that a content is over, or undefined when it may stand as it is. */
const limitOf = ({ binding, inlineCharLimit }: ResultTerms, content: string): number | undefined => {
  if (binding === undefined) return undefined;
  const { descriptor, policy } = binding;
  const tokens = policy?.budget.maxOutputTokens ?? descriptor.budget.maxOutputTokens;
  const bytes = tokens === undefined ? 0 : byteLength(content);
  if (tokens !== undefined && bytes > tokens * bytesPerToken)
    return Math.floor((tokens * bytesPerToken * TextMetrics.measure(content).chars) / bytes);
  if (descriptor.source === "builtin" || content.length <= inlineCharLimit) return undefined;
  return TextMetrics.measure(content).chars > inlineCharLimit ? inlineCharLimit : undefined;
};

const howToReadOn = ({ readablePath, snapshot }: ResultTerms): string => {
  const ways = [
    ["workspace.read_file", "read it in parts with", "(start_line and line_count, or start_char and max_chars)"],
    ["workspace.search_files", "find a place in it with", "(query and path)"],
  ] as const;
  const open = ways.flatMap(([name, how, args]) => {
    const binding = byId(snapshot, `builtin:${name}`);
    return binding === undefined || binding.policy?.callable === false ? [] : [`${how} ${binding.modelAlias} ${args}`];
  });
  return open.length === 0
    ? "None of your tools can show the rest; ask for less at once."
    : `The whole is the file ${JSON.stringify(readablePath)}: ${open.join(", or ")}.`;
};
