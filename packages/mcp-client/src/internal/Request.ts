/**
 * A request to a server through the library of the protocol, without the library's opinion of what comes back.
 */
import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client";
import type { JsonObject } from "./json.ts";

export interface Request {
  readonly method: string;
  readonly params: JsonObject;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Makes the request as it is. Who waits is told when an answer has come; what it was is judged as it came. */
export const ask = (client: Client, asked: Request, signal: AbortSignal): Promise<unknown> =>
  client.request({ method: asked.method, params: asked.params }, anything, optionsFor(asked, signal));

/** What the library needs to know beside the request. */
export const optionsFor = ({ onProgress }: Request, signal: AbortSignal) => ({
  signal,
  timeout: longest,
  ...(onProgress === undefined ? {} : { onprogress: onProgress }),
});

/** Deadlines are those of whoever asks; the library needs one too. */
export const longest = 2 ** 31 - 1;

const anything: StandardSchemaV1 = {
  "~standard": { version: 1, vendor: "cahier", validate: (value) => ({ value }) },
};
