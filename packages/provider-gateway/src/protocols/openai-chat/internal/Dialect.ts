/**
 * In what the endpoints of Chat Completions differ, as data: a source states it, the encoder obeys it.
 */

export interface Dialect {
  readonly outputLimit: "max_tokens" | "max_completion_tokens";
  /** Whether reasoning is sent back; some models refuse tool turns without it, OpenAI refuses it. */
  readonly replaysReasoning: boolean;
  readonly limits: Limits;
  /** The server holds the model to the schemas of tools, where they have a strict form. */
  readonly strictTools?: boolean;
  /** Whether a model of that name refuses a temperature and the like. */
  readonly refusesSampling?: (modelId: string) => boolean;
  /** A router has fields of its own for what it passes on. */
  readonly router?: "openrouter" | "nanogpt";
}

/** What a server takes of what a conversation may hold. An attachment that it does not take is refused before it is sent. */
export interface Limits {
  /** The ids of calls that it takes; another is replaced in the request, by the same in the call and in its result. */
  readonly callIds: RegExp;
  /** The media types of files. */
  readonly files: ReadonlyArray<string>;
  /** How a file goes of which there is only an address. */
  readonly fileAddress: "asFile" | "asText" | "refused";
  /** How sound goes of which there is only an address. */
  readonly soundAddress: "asText" | "refused";
}

/** What the protocol says, for servers of which no more is known. */
export const protocolLimits: Limits = {
  callIds: /^/,
  files: ["application/pdf"],
  fileAddress: "refused",
  soundAddress: "refused",
};

/** OpenAI's own, for whoever passes requests on to it. */
export const openAiLimits: Limits = { ...protocolLimits, callIds: /^[\s\S]{1,40}$/ };

/** For servers that read text alone, besides images. */
export const textLimits: Limits = { ...protocolLimits, files: [], fileAddress: "asText", soundAddress: "asText" };
