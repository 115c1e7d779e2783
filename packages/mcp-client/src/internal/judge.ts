/**
 * What an exchange has come to, by what came back and by what the library says.
 */
import type * as Exchange from "./Exchange.ts";
import { RequestFault } from "./Fault.ts";
import type { Hide } from "./hide.ts";
import { isDeeperThan, isObject, type JsonObject, stringAt } from "./json.ts";
import { limits } from "./limits.ts";

/** What is known of the session that the exchange went through. */
export interface Circumstances {
  readonly hide: Hide;
  /** The server was told which session this is. */
  readonly hasSession: boolean;
  /** This side has ended the session. */
  readonly isClosed: boolean;
  /** What the program of the server has said last. */
  readonly said: () => string;
  /** How the program of the server has ended by itself. */
  readonly ended: () => string | undefined;
}

/**
 * The result as it came, or why there is none. What the server has said counts before what the library thinks of it; a
 * result that asks for what this side does not give is none.
 */
export const judge = (
  exchange: Exchange.Exchange,
  error: unknown,
  circumstances: Circumstances,
): JsonObject | RequestFault => {
  const { answer } = exchange;
  const { hide } = circumstances;
  if (answer !== undefined && "error" in answer) return serverError(answer.error, hide);
  if (answer !== undefined) {
    if (!isObject(answer.result)) return unsupported("the server answered with something that is no object");
    const kind = answer.result["resultType"];
    if (kind === undefined || kind === "complete") return hide.json(answer.result);
    return unsupported(
      hide.text(`the server answered with ${JSON.stringify(kind)}, which could not be met: ${messageOf(error)}`),
    );
  }
  if (circumstances.isClosed)
    return new RequestFault({ kind: "closed", detail: "the connection was closed on this side" });
  const failure = httpFailureOf(error);
  if (failure === undefined) {
    return new RequestFault({ kind: "failed", detail: hide.text(detailOf(exchange, error, circumstances)) });
  }
  if (failure.status === 404 && circumstances.hasSession) {
    return new RequestFault({ kind: "sessionLost", detail: "the server does not know the session any more" });
  }
  return serverErrorIn(failure.text, hide) ?? new RequestFault({ kind: "failed", detail: hide.text(failure.detail) });
};

/** The status of HTTP that an error of the library stands for. */
export const statusOf = (error: unknown): number | undefined => httpFailureOf(error)?.status;

const unsupported = (detail: string) => new RequestFault({ kind: "unsupported", detail });

const serverError = (error: unknown, hide: Hide): RequestFault => {
  const said = isObject(error) ? error : {};
  const code = said["code"];
  const message = hide.text(stringAt(said, "message") ?? "");
  return new RequestFault({
    kind: "serverError",
    detail: message === "" ? "the server answered with an error" : message,
    error: {
      code: typeof code === "number" ? code : 0,
      message,
      ...(said["data"] === undefined ? {} : { data: hide.json(said["data"]) }),
    },
  });
};

/** An error of the protocol in the body of a response that HTTP says has failed. */
const serverErrorIn = (text: string, hide: Hide): RequestFault | undefined => {
  const body = parsed(text);
  if (isDeeperThan(body, limits.depth)) return undefined;
  return isObject(body) && isObject(body["error"]) && typeof body["error"]["code"] === "number"
    ? serverError(body["error"], hide)
    : undefined;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

interface HttpFailure {
  readonly status: number;
  readonly text: string;
  readonly detail: string;
}

const httpFailureOf = (error: unknown): HttpFailure | undefined => {
  if (!(error instanceof Error) || !("data" in error)) return undefined;
  const data: unknown = error.data;
  if (typeof data !== "object" || data === null || !("status" in data)) return undefined;
  if (typeof data.status !== "number") return undefined;
  const text = "text" in data && typeof data.text === "string" ? data.text : "";
  const redirect = /Redirect[^(]*/.exec(error.message)?.[0].trim();
  const detail = redirect ?? `the server answered with HTTP ${data.status}${text === "" ? "" : `: ${text}`}`;
  return { status: data.status, text, detail };
};

const detailOf = (exchange: Exchange.Exchange, error: unknown, circumstances: Circumstances): string => {
  const [said, ended] = [circumstances.said(), circumstances.ended()];
  const end = ended === undefined ? undefined : `the program ended before it answered (${ended})`;
  const reason = exchange.trouble ?? end ?? messageOf(error);
  return said === "" ? reason : `${reason}; the program said last: ${said}`;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
