/**
 * Which network addresses a server may have.
 *
 * Owns the rule: those of the internet in any case; loopback and private ones if the endpoint says so; all others never. Does not own
 * what kind of network an address is of (`NetworkAddress`). Names are not addresses: what one resolves to is asked about again.
 */
import * as NetworkAddress from "@cahier/domain/network/NetworkAddress";

export type Network = "public" | "private";

/** Why an address is not connected to, as a sentence without its end; undefined where it may be, and for a name. */
export const refusal = (host: string, network: Network): string | undefined => {
  const kind = NetworkAddress.kindOf(host);
  if (kind === undefined || kind === "public") return undefined;
  const address = NetworkAddress.plain(host);
  if (kind !== "loopback" && kind !== "private") return `${address} is an address that no server is reached at`;
  if (network === "private") return undefined;
  return `${address} is a loopback or private address: state "network": "private" for this server if it is meant`;
};
