/**
 * What of a result is no text, as files of the run.
 *
 * Owns where they lie and that a result names them by that. Does not own storing: whoever closes the call does.
 */
import type { ToolContent } from "@cahier/domain/tool/ToolContent";
import type { SourceAttachment } from "@cahier/ports/ToolSource";
import type { Done } from "./Tool.ts";

/** An attachment and its path under `tool-results/`. */
export interface NamedAttachment extends SourceAttachment {
  readonly path: string;
}

/** The outcome with paths in the place of the names that its source gave, and the files that these are. */
export const namedIn = (
  auditPath: string,
  outcome: Done,
): { readonly outcome: Done; readonly attachments: ReadonlyArray<NamedAttachment> } => {
  const { attachments = [], content, resourceRefs } = outcome;
  if (attachments.length === 0) return { outcome, attachments: [] };
  const named = attachments.map((attachment, index) => ({
    ...attachment,
    path: auditPath.replace(/\.json$/, `-${index + 1}.${extensionOf(attachment.mimeType)}`),
  }));
  const paths = new Map(named.map(({ path, uri }) => [uri, path]));
  const pathOf = (uri: string): string => paths.get(uri) ?? uri;
  return {
    attachments: named,
    outcome: {
      ...outcome,
      ...(typeof content === "string" ? {} : { content: content.map((part) => withPath(part, pathOf)) }),
      ...(resourceRefs === undefined ? {} : { resourceRefs: resourceRefs.map(pathOf) }),
    },
  };
};

const withPath = (part: ToolContent, pathOf: (uri: string) => string): ToolContent =>
  "uri" in part ? { ...part, uri: pathOf(part.uri) } : part;

/** How a file of a kind is called; another kind is bytes to whoever opens it. */
const extensionOf = (mimeType = ""): string =>
  extensions.get(mimeType.split(";")[0]?.trim().toLowerCase() ?? "") ?? "bin";

const extensions: ReadonlyMap<string, string> = new Map([
  ["application/json", "json"],
  ["application/pdf", "pdf"],
  ["audio/mpeg", "mp3"],
  ["audio/ogg", "ogg"],
  ["audio/wav", "wav"],
  ["image/gif", "gif"],
  ["image/jpeg", "jpg"],
  ["image/png", "png"],
  ["image/webp", "webp"],
  ["text/plain", "txt"],
]);
