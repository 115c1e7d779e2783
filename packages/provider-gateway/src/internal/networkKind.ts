/**
 * Names the kind of a network error from the codes that Node and undici put on errors and their causes.
 */
import * as Predicate from "effect/Predicate";
import { RefusedAddress } from "./addresses.ts";
import { TransportFault } from "../transport/Transport.ts";

/** `phase` decides for errors without a telling code: before the head they are of the request, after it of the body. */
export const toFault = (error: unknown, phase: "head" | "body"): TransportFault => {
  const errors = errorsOf(error);
  const codes = errors.flatMap((found) => ("code" in found && typeof found.code === "string" ? [found.code] : []));
  const refused = errors.find((found) => found instanceof RefusedAddress);
  if (refused !== undefined) return new TransportFault({ kind: "address", detail: refused.message, cause: error });
  const kind = codes.map(kindOfCode).find((found) => found !== undefined) ?? "other";
  if (phase === "body" && (kind === "other" || kind === "connect")) {
    return fault("bodyInterrupted", "the connection ended within the response", codes, error);
  }
  if (kind === "other") return fault("request", "the request failed before a response came", codes, error);
  return fault(kind, sentences[kind], codes, error);
};

type Kind = TransportFault["kind"];

const sentences: Record<Exclude<Kind, "address" | "request" | "bodyInterrupted">, string> = {
  timeout: "the server did not answer in time",
  connect: "no connection to the server",
  proxy: "the proxy refused or failed",
  dns: "the server's name cannot be resolved",
  tls: "no secure connection to the server",
};

const fault = (kind: Kind, sentence: string, codes: ReadonlyArray<string>, cause: unknown): TransportFault =>
  new TransportFault({ kind, detail: codes[0] === undefined ? sentence : `${sentence} (${codes[0]})`, cause });

/** The error and those that it has come from. */
const errorsOf = (error: unknown, depth = 0): ReadonlyArray<object> => {
  if (!Predicate.isObject(error) || depth > 8) return [];
  const inner = ["cause" in error ? error.cause : undefined, "reason" in error ? error.reason : undefined];
  const several = "errors" in error && Array.isArray(error.errors) ? error.errors : [];
  return [error, ...[...inner, ...several].flatMap((next) => errorsOf(next, depth + 1))];
};

const timeouts = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT",
  "ESOCKETTIMEDOUT",
]);
const connects = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "EPIPE",
  "EACCES",
  "EPERM",
]);
const names = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"]);
const certificate = /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;

const kindOfCode = (code: string): Exclude<Kind, "address" | "request" | "bodyInterrupted"> | undefined => {
  if (timeouts.has(code)) return "timeout";
  if (connects.has(code)) return "connect";
  if (names.has(code)) return "dns";
  if (code.startsWith("UND_ERR_PRX_")) return "proxy";
  return certificate.test(code) ? "tls" : undefined;
};
