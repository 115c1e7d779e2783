/** The tools that look at what a run has written: one file, or what changed. */
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import type { ContentBlock } from "@modelcontextprotocol/server";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { type Offer, OfferFault } from "../../Offer.ts";
import { type FileContent, RunDiff } from "../../OfferedRun.ts";
import * as files from "../files.ts";
import { limits } from "../limits.ts";
import { mimeTypeOf } from "../mimeType.ts";
import { fileUri } from "../uris.ts";
import * as words from "../words.ts";
import { numberArgument, runIdArgument } from "./runTools.ts";
import * as ServedTool from "./ServedTool.ts";

const pathArgument = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(WorkspacePath.maxPathBytes));

const pointArgument = (description: string) =>
  Schema.optionalKey(
    Schema.Union([
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
      Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/)),
    ]).annotate({ description }),
  );

const charactersArgument = numberArgument(
  1,
  limits.mostTextCharacters,
  `Most characters to show (default ${limits.textCharacters})`,
);

/** Of a text, `text` is the part from the character `offset` on; `nextOffset` is where the rest begins. */
const ShownFile = Schema.Struct({
  runId: Schema.String,
  path: Schema.String,
  uri: Schema.String,
  mimeType: Schema.String,
  sha256: Schema.String.annotate({ description: "Of the whole file" }),
  bytes: Schema.Int.annotate({ description: "Of the whole file" }),
  text: Schema.optionalKey(Schema.String),
  offset: Schema.optionalKey(Schema.Int),
  nextOffset: Schema.optionalKey(Schema.Int),
});

export const make = (offer: Offer): ReadonlyArray<ServedTool.ServedTool> => [
  ServedTool.make({
    name: "read_run_file",
    title: "Read a file of a run",
    description:
      "A file in the workspace of a run, such as output/main.md. Of a long text one part; nextOffset says where the rest begins. show_run lists the files.",
    effects: ServedTool.reads,
    input: Schema.Struct({
      runId: runIdArgument,
      path: pathArgument.annotate({ description: "The path in the workspace, such as output/main.md" }),
      offset: numberArgument(0, Number.MAX_SAFE_INTEGER, "The first character to show (default 0)"),
      maxCharacters: charactersArgument,
    }),
    output: ShownFile,
    run: Effect.fn("McpServer.read_run_file")(function* (given) {
      const { runId, offset = 0, maxCharacters = limits.textCharacters } = given;
      const file = yield* files.read(offer, runId, yield* workspacePath(given.path));
      const shown = {
        runId,
        path: file.path,
        uri: fileUri(runId, file.path),
        mimeType: mimeTypeOf(file.path, "text" in file),
        sha256: file.sha256,
        bytes: files.bytesOf(file),
      };
      if ("data" in file)
        return {
          text: `${file.path} holds ${shown.bytes} bytes that are no text.`,
          structured: shown,
          more: [blockOf(file, shown)],
        };
      const part = words.part(file.text, offset, maxCharacters);
      return {
        text: part.text,
        structured: {
          ...shown,
          text: part.text,
          offset: part.offset,
          ...(part.nextOffset === undefined ? {} : { nextOffset: part.nextOffset }),
        },
      };
    }),
  }),
  ServedTool.make({
    name: "diff_run",
    title: "Show what a run changed",
    description:
      "What differs in the workspace of a run between two moments, as unified diffs: from its start until now, or between events or checkpoints. Of long diffs the first part.",
    effects: ServedTool.reads,
    input: Schema.Struct({
      runId: runIdArgument,
      from: pointArgument("The number of an event or the name of a checkpoint (default 0: before the first event)"),
      to: pointArgument("The number of an event or the name of a checkpoint (default: now)"),
      paths: Schema.optionalKey(
        Schema.Array(pathArgument)
          .check(Schema.isMaxLength(100))
          .annotate({ description: "Only these files, or the files in these folders" }),
      ),
      maxCharacters: charactersArgument,
    }),
    output: Schema.Struct({
      ...RunDiff.fields,
      isCut: Schema.Boolean.annotate({ description: "Whether a diff is shown in part" }),
    }),
    run: Effect.fn("McpServer.diff_run")(function* (given) {
      const { runId, from, to, maxCharacters = limits.textCharacters } = given;
      const paths = yield* Effect.forEach(given.paths ?? [], workspacePath);
      const found = yield* offer.diff(runId, {
        paths,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      });
      const shown = words.shortened(found, maxCharacters);
      return { text: words.ofDiff(shown), structured: shown };
    }),
  }),
];

/** The path that the text spells; one that leads out of the workspace is refused with the reason. */
const workspacePath = (text: string): Effect.Effect<WorkspacePath.WorkspacePath, OfferFault> => {
  const parsed = WorkspacePath.parse(text);
  if (Result.isSuccess(parsed)) return Effect.succeed(parsed.success);
  const { code, message } = parsed.failure;
  return Effect.fail(new OfferFault({ kind: "refused", code, message }));
};

const blockOf = (
  { data }: Extract<FileContent, { readonly data: Uint8Array }>,
  { mimeType, uri }: { readonly mimeType: string; readonly uri: string },
): ContentBlock => {
  const encoded = Buffer.from(data).toString("base64");
  if (mimeType.startsWith("image/")) return { type: "image", data: encoded, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data: encoded, mimeType };
  return { type: "resource", resource: { uri, mimeType, blob: encoded } };
};
