/**
 * The URIs of what is offered: `cahier://runs/<id>` and `cahier://runs/<id>/files/<path>`.
 *
 * A URI that this module does not spell names nothing: there is one spelling of each resource, so none leads out of a run.
 */
import { RunId } from "@cahier/domain/identity/Identity";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";

/** What a URI names. */
export type Named =
  | { readonly _tag: "Run"; readonly runId: RunId }
  | { readonly _tag: "File"; readonly runId: RunId; readonly path: WorkspacePath.WorkspacePath };

/** The templates in the form of RFC 6570. */
export const templates = {
  run: "cahier://runs/{runId}",
  file: "cahier://runs/{runId}/files/{+path}",
} as const;

export const runUri = (runId: string): string => `cahier://runs/${runId}`;

/** Each segment of the path is encoded, so that a space or `#` in a name does not end the URI. */
export const fileUri = (runId: string, path: string): string =>
  `${runUri(runId)}/files/${path.split("/").map(encodeURIComponent).join("/")}`;

/**
 * What the URI names, if it names anything. `..`, `.`, empty segments, encoded separators, a query or a fragment name nothing;
 * of other characters any encoding is understood.
 */
export const parse = (uri: string): Option.Option<Named> => {
  const found = /^cahier:\/\/runs\/([^/?#]*)(?:\/files\/([^?#]*))?$/.exec(uri);
  const runId = decodeRunId(found?.[1]);
  if (found === null || Option.isNone(runId)) return Option.none();
  if (found[2] === undefined) return Option.some({ _tag: "Run", runId: runId.value });
  return Option.map(pathOf(found[2]), (path) => ({ _tag: "File", runId: runId.value, path }));
};

const decodeRunId = Schema.decodeUnknownOption(RunId);

const pathOf = (encoded: string): Option.Option<WorkspacePath.WorkspacePath> => {
  const segments = encoded.split("/").map(decoded);
  if (segments.some((segment) => segment === undefined || segment === "." || /[/\\]/.test(segment)))
    return Option.none();
  const text = segments.join("/");
  return Option.filter(Result.getSuccess(WorkspacePath.parse(text)), (path) => path === text.normalize("NFC"));
};

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};
