/** Files of a run as they are given to clients: whole ones within the limit, and missing ones with what there is. */
import type { RunId } from "@cahier/domain/identity/Identity";
import type { WorkspacePath } from "@cahier/domain/workspace/WorkspacePath";
import * as Effect from "effect/Effect";
import { type Offer, OfferFault } from "../Offer.ts";
import type { FileContent } from "../OfferedRun.ts";
import { limits } from "./limits.ts";

/** The file, if it is not larger than what is given whole. The fault of one that is missing names those that exist. */
export const read = Effect.fnUntraced(function* (
  { files }: Offer,
  runId: RunId,
  path: WorkspacePath,
): Effect.fn.Return<FileContent, OfferFault> {
  const file = yield* files.read(runId, path).pipe(
    Effect.catchIf(
      ({ kind }) => kind === "fileNotFound",
      ({ code, kind }) =>
        Effect.flatMap(files.list(runId), (known) => {
          const paths = known.slice(0, mostNamed).map((one) => one.path);
          const more = known.length > mostNamed ? ` and ${known.length - mostNamed} more` : "";
          const message = `The run has no file ${path}. It has: ${paths.join(", ") || "none yet"}${more}.`;
          return new OfferFault({ kind, message, ...(code === undefined ? {} : { code }) });
        }),
    ),
  );
  const bytes = bytesOf(file);
  if (bytes <= limits.fileBytes) return file;
  return yield* new OfferFault({
    kind: "refused",
    message: `${path} has ${bytes} bytes; files of at most ${limits.fileBytes} bytes are given.`,
  });
});

/** How large the whole file is. */
export const bytesOf = (file: FileContent): number =>
  "text" in file ? Buffer.byteLength(file.text, "utf8") : file.data.length;

/** So many files are named to whoever asked for one that is missing. */
const mostNamed = 50;
