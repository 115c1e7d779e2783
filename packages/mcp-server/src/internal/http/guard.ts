/**
 * Who may ask over HTTP: requests that name this server as their host, come from no foreign page, and carry the token.
 *
 * The first two keep pages in the user's browser out, also those whose name was made to lead here (DNS rebinding); a token alone
 * is no protection where a browser would send it.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";

/** Names without ports. */
export interface Admission {
  readonly hosts: ReadonlyArray<string>;
  readonly token: string;
}

/** An answer to a request that is not looked at any further. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Why the request is refused, if it is. The order tells nobody about the token who may not ask at all. */
export const make = ({ hosts, token }: Admission) => {
  const names = [...new Set([...localhostAllowedHostnames(), ...hosts])];
  const expected = digestOf(`Bearer ${token}`);
  return (headers: IncomingHttpHeaders): Refusal | undefined => {
    if (!validateHostHeader(headers.host, names).ok)
      return { status: 403, message: "The Host of the request is none of this server." };
    if (!validateOriginHeader(headers.origin, names).ok)
      return { status: 403, message: "Pages of this origin may not ask this server." };
    // Digests have one length, so that comparing them takes the same time whatever was sent.
    if (timingSafeEqual(digestOf(schemeInOneCase(headers.authorization ?? "")), expected)) return undefined;
    return {
      status: 401,
      message: "A bearer token is needed; the host that serves this has it.",
      headers: { "www-authenticate": 'Bearer realm="cahier"' },
    };
  };
};

/** The names of schemes are the same in any case. */
const schemeInOneCase = (authorization: string): string => authorization.replace(/^bearer +/i, "Bearer ");

const digestOf = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();
