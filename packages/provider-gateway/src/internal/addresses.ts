/**
 * Which network addresses a model may be called at.
 *
 * Does not own what kind of network an address is of (`NetworkAddress`). Names are not addresses: whoever resolves one asks again
 * with what came out.
 */
import * as NetworkAddress from "@cahier/domain/network/NetworkAddress";

/** What is called in any case, what only if somebody says so, and what never. */
export type Rule = "public" | "private";

/** Why a host or an address is not called, as a sentence without its end; undefined where it may be called. */
export const refusal = (address: string, rule: Rule, name?: string): string | undefined => {
  const kind = NetworkAddress.kindOf(address);
  if (kind === undefined || kind === "public") return undefined;
  const isPrivate = kind === "loopback" || kind === "private";
  if (isPrivate && rule === "private") return undefined;
  const what = name === undefined ? `the base URL names a ${kind}` : `the name ${name} leads to a ${kind}`;
  const advice = isPrivate
    ? "write the address itself into the base URL, or mark the connection as one to a private network"
    : "no model is called there; name another server";
  return `${what} address (${NetworkAddress.plain(address)}): ${advice}`;
};

/** The rule for a host as a URL writes it: one that is itself a private address, or `localhost`, is meant. */
export const ruleOf = (host: string, network: "private" | undefined): Rule => {
  if (network === "private" || host === "localhost") return "private";
  const kind = NetworkAddress.kindOf(host);
  return kind === "loopback" || kind === "private" ? "private" : "public";
};

/** A name leads to no address that may be called; its message is for the operator. */
export class RefusedAddress extends Error {}
