/** What is offered as resources: runs as JSON, and their files as they are. */
import { RunId } from "@cahier/domain/identity/Identity";
import type {
  CompleteRequest,
  CompleteResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from "@modelcontextprotocol/server";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import type { Offer, OfferFault } from "../Offer.ts";
import { RunDetail, type RunEntry } from "../OfferedRun.ts";
import * as Cursor from "./Cursor.ts";
import * as files from "./files.ts";
import { limits } from "./limits.ts";
import { mimeTypeOf } from "./mimeType.ts";
import { parse, runUri, templates } from "./uris.ts";

/** A page of runs, newest first; `none` where the cursor is not one of this server. */
export const list = Effect.fn("McpServer.resources")(function* (
  { runs }: Offer,
  cursor: string | undefined,
): Effect.fn.Return<Option.Option<ListResourcesResult>, OfferFault> {
  const before = cursor === undefined ? undefined : Cursor.decode(cursor);
  if (before !== undefined && Option.isNone(before)) return Option.none();
  const limit = limits.pageRuns;
  const found = yield* runs.list({ limit, ...(before === undefined ? {} : { before: before.value }) });
  const next = Cursor.after(found, limit);
  return Option.some({ resources: found.map(resourceOf), ...(next === undefined ? {} : { nextCursor: next }) });
});

export const listTemplates: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      uriTemplate: templates.run,
      name: "run",
      title: "A run",
      description: "How a run stands, as JSON",
      mimeType: "application/json",
    },
    {
      uriTemplate: templates.file,
      name: "run file",
      title: "A file of a run",
      description: "A file in the workspace of a run, such as output/main.md",
    },
  ],
};

/** What the URI names; `none` where it names nothing. */
export const read = Effect.fn("McpServer.resource")(function* (
  offer: Offer,
  uri: string,
): Effect.fn.Return<Option.Option<ReadResourceResult>, OfferFault> {
  const named = parse(uri);
  if (Option.isNone(named)) return Option.none();
  const { runId } = named.value;
  if (named.value._tag === "Run") {
    const text = JSON.stringify(encodeRun(yield* offer.runs.show(runId)), null, 2);
    return Option.some({ contents: [{ uri, mimeType: "application/json", text }] });
  }
  const file = yield* files.read(offer, runId, named.value.path);
  const mimeType = mimeTypeOf(file.path, "text" in file);
  const content =
    "text" in file
      ? { uri, mimeType, text: file.text }
      : { uri, mimeType, blob: Buffer.from(file.data).toString("base64") };
  return Option.some({ contents: [content] });
}, asAbsent);

/** What an argument of a template may go on with. What cannot be looked up suggests nothing. */
export const complete = Effect.fn("McpServer.complete")(function* (
  offer: Offer,
  { argument, context, ref }: CompleteRequest["params"],
): Effect.fn.Return<CompleteResult> {
  const uri = ref.type === "ref/resource" ? ref.uri : undefined;
  const isKnown = uri === templates.run || uri === templates.file;
  if (!isKnown || (argument.name !== "runId" && argument.name !== "path")) return suggested([]);
  if (argument.name === "runId") {
    const runs = yield* offer.runs.list({ limit: limits.mostPageRuns }).pipe(orNothing);
    return suggested(runs.map(({ runId }) => runId).filter((runId) => runId.startsWith(argument.value)));
  }
  const runId = decodeRunId(context?.arguments?.["runId"]);
  if (Option.isNone(runId)) return suggested([]);
  const found = yield* offer.files.list(runId.value).pipe(orNothing);
  return suggested(found.map(({ path }) => path).filter((path) => path.startsWith(argument.value)));
});

/** A run or a file that does not exist is a resource that does not. */
function asAbsent<A>(effect: Effect.Effect<Option.Option<A>, OfferFault>): Effect.Effect<Option.Option<A>, OfferFault> {
  return Effect.catchIf(
    effect,
    ({ kind }) => kind === "runNotFound" || kind === "fileNotFound",
    () => Effect.succeedNone,
  );
}

const resourceOf = (run: RunEntry) => ({
  uri: runUri(run.runId),
  name: run.runId,
  title: `${run.chat === "" ? "A run that was never admitted" : run.chat}, ${run.createdAt}`,
  description: `${run.standing}: ${run.status}`,
  mimeType: "application/json",
  annotations: { lastModified: run.updatedAt },
});

const suggested = (values: ReadonlyArray<string>): CompleteResult => ({
  completion: {
    values: values.slice(0, limits.completions),
    total: values.length,
    hasMore: values.length > limits.completions,
  },
});

const orNothing = <A>(effect: Effect.Effect<ReadonlyArray<A>, OfferFault>): Effect.Effect<ReadonlyArray<A>> =>
  Effect.orElseSucceed(effect, () => []);

const decodeRunId = Schema.decodeUnknownOption(RunId);

const encodeRun = Schema.encodeSync(RunDetail);
