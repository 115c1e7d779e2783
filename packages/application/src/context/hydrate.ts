/**
 * Shows what an agent has written in the last rounds as whole files, in the place of the short results of its writes.
 *
 * Of several writes of one file only the last shows it. The journal keeps the result as it was.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { CallId } from "@cahier/domain/identity/Identity";
import type { Message } from "@cahier/domain/model/Message";
import type { Sha256 } from "@cahier/domain/payload/Sha256";
import * as PathMap from "@cahier/domain/run/PathMap";
import type { MessageReference } from "@cahier/domain/run/RunState";
import { ToolResult } from "@cahier/domain/tool/ToolResult";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import type { RunContext } from "../run/RunContext.ts";
import { withContent } from "./shapeResults.ts";

/** A result behind the prompt in whose place a whole file stands. */
export interface Hydrated {
  readonly index: number;
  readonly callId: CallId;
  readonly path: string;
  readonly sha256: Sha256;
}

/** The messages with the files that the last rounds wrote, as they are now. A file longer than a result may be is not shown. */
export const hydrate = Effect.fnUntraced(function* (
  context: RunContext,
  references: ReadonlyArray<MessageReference>,
  messages: ReadonlyArray<Message>,
): Effect.fn.Return<{ readonly messages: ReadonlyArray<Message>; readonly hydrated: ReadonlyArray<Hydrated> }, Fatal> {
  const rounds = context.setup.contextRules.hydrateRecentWrites;
  if (rounds <= 0) return { messages, hydrated: [] };
  const changed = [...messages];
  const hydrated: Array<Hydrated> = [];
  const seen = new Set<string>();
  let left = rounds;
  for (let index = references.length - 1; index >= 0 && left > 0; index -= 1) {
    const reference = references[index];
    const message = messages[index];
    if (reference?.kind === "response") left -= 1;
    if (reference?.kind !== "result" || message === undefined) continue;
    const path = writtenBy(yield* context.payloads.read(reference.payload));
    if (path === undefined || seen.has(path)) continue;
    seen.add(path);
    const file = PathMap.get(context.writer.state().files, path);
    if (file?.encoding !== undefined) continue;
    if (file === undefined || file.chars > context.setup.externalResultInlineCharLimit) continue;
    const whole = yield* context.files.content(file);
    changed[index] = withFile(message, path, whole);
    hydrated.push({ index, callId: reference.callId, path, sha256: file.sha256 });
  }
  return { messages: changed, hydrated };
});

/** The result of a write with the whole file behind it. */
export const withFile = (message: Message, path: string, whole: string): Message =>
  withContent(message, (content) => `${content}\n\nThe file ${path} is now:\n${whole}`);

const writers: ReadonlySet<string> = new Set(["builtin:workspace.write_file", "builtin:workspace.apply_patch"]);

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ToolResult));
const decodePath = Schema.decodeUnknownOption(Schema.Struct({ path: Schema.String }));

/** The file that a result tells was written. */
const writtenBy = (json: string): string | undefined => {
  const result = Option.getOrUndefined(decode(json));
  if (result === undefined || result.isError || !writers.has(result.toolId)) return undefined;
  return Option.getOrUndefined(decodePath(result.structured))?.path;
};
