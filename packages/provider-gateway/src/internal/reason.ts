/**
 * What a status and its headers mean, as a fault's reason.
 */
import type { ModelFaultReason } from "@cahier/ports/ModelGateway";

/** `nowMs` is only used for a `Retry-After` that is a date. */
export const ofStatus = (
  status: number,
  headers: Readonly<Record<string, string>>,
  nowMs: number,
): ModelFaultReason => {
  if (status === 401 || status === 403) return { _tag: "Unauthorized", status };
  const transient = status === 408 || status === 425 || status >= 500;
  if (!transient && status !== 429) return { _tag: "Rejected", status };
  const asked = retryAfter(headers, nowMs);
  return {
    _tag: status === 429 ? "RateLimited" : "Transient",
    status,
    ...(asked === undefined ? {} : { retryAfterMs: Math.min(asked, longestWaitMs) }),
  };
};

/** No retry waits longer, whatever the server asks for. */
export const longestWaitMs = 600_000;

/** The wait that a server asked for, in milliseconds; undefined where it said nothing readable. */
export const retryAfter = (headers: Readonly<Record<string, string>>, nowMs: number): number | undefined => {
  const milliseconds = headers["retry-after-ms"]?.trim();
  if (milliseconds !== undefined && number.test(milliseconds)) return bounded(Number(milliseconds));
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  if (number.test(value)) return bounded(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : bounded(Math.max(0, date - nowMs));
};

/**
 * The status that an error object inside a successful response names by its `code`, `status` or `type`; 500 where it
 * names none, so that it counts as transient.
 */
export const statusOfError = (error: unknown): number => {
  if (typeof error !== "object" || error === null) return 500;
  const named = error as { readonly code?: unknown; readonly status?: unknown; readonly type?: unknown };
  const candidates = [named.code, named.status, named.type];
  for (const candidate of candidates) {
    const status = Number(candidate);
    if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  }
  const words = candidates.filter((candidate) => typeof candidate === "string");
  return table.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1] ?? 500;
};

const number = /^\d+(?:\.\d+)?$/;

const bounded = (milliseconds: number): number => Math.ceil(Math.min(milliseconds, Number.MAX_SAFE_INTEGER));

const table: ReadonlyArray<readonly [RegExp, number]> = [
  [/insufficient_quota|billing|payment/i, 402],
  [/tokens?_?exceed|exceeds?_?context/i, 400],
  [/rate_?limit|too_?many|resource_?exhausted|throttl|^tokens$/i, 429],
  [/quota/i, 402],
  [/policy|inspection/i, 400],
  [/auth|api_?key|permission|forbidden/i, 401],
  [/overload|unavailable|capacity/i, 503],
  [/timeout|deadline/i, 504],
  [/server_?error|internal/i, 500],
  [/not_?found/i, 404],
  [/invalid|bad_?request|precondition|context_?length|content_?(?:filter|policy)|unsupported|too_?large/i, 400],
];
