/** Exchanges with real providers that others recorded; they lie outside the repository, or nowhere. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";

export interface Recording {
  readonly src: string;
  readonly file: string;
  readonly i: number;
  readonly proto: string;
  readonly status: number;
  readonly stream: boolean;
  readonly req: string;
  readonly res: string;
}

const fixtures = process.env["CAHIER_FIXTURES"] ?? resolve(import.meta.dirname, "../../../../../shared/fixtures");
const file = resolve(fixtures, "providers/recordings.jsonl.gz");

export const arePresent = existsSync(file);

const protocols: Partial<Record<ModelFormat, string>> = {
  "openai-chat": "chat",
  "openai-responses": "responses",
  "anthropic-messages": "anthropic",
  "gemini-generate-content": "gemini",
  "gemini-interactions": "interactions",
};

/** All recordings of a format, in the order of their conversations. */
export const of = (format: ModelFormat): ReadonlyArray<Recording> =>
  gunzipSync(readFileSync(file))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Recording)
    .filter((recording) => recording.proto === protocols[format])
    .toSorted((one, other) => (one.file === other.file ? one.i - other.i : one.file < other.file ? -1 : 1));
