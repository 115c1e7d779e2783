/**
 * Which IP addresses a server may have.
 *
 * Owns the rule: public ones in any case, loopback and private ones if the endpoint says so, link-local ones and those of
 * metadata services never. Names are not addresses: what one resolves to is asked about again.
 */
import { BlockList, isIP } from "node:net";

export type Network = "public" | "private";

/** Why an address is not connected to, as a sentence without its end; undefined where it may be, and for a name. */
export const refusal = (host: string, network: Network): string | undefined => {
  const address = host.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  const family = isIP(address);
  if (family === 0) return undefined;
  const inner = family === 6 ? fourWithin(address) : undefined;
  const isIn = (list: BlockList) =>
    list.check(address, family === 6 ? "ipv6" : "ipv4") || (inner !== undefined && list.check(inner, "ipv4"));
  if (isIn(never)) return `${address} is an address that no server is reached at`;
  if (network === "private" || !isIn(inside)) return undefined;
  return `${address} is a loopback or private address: allow the private network for this server if it is meant`;
};

const listOf = (networks: ReadonlyArray<readonly [string, number]>): BlockList => {
  const list = new BlockList();
  for (const [address, bits] of networks) list.addSubnet(address, bits, isIP(address) === 6 ? "ipv6" : "ipv4");
  return list;
};

/** Link-local networks, and where clouds keep the credentials of their machines. */
const never = listOf([
  ["169.254.0.0", 16],
  ["100.100.100.200", 32],
  ["fe80::", 10],
  ["fd00:ec2::254", 128],
  ["fd20:ce::254", 128],
  ["fd00:c1::a9fe:a9fe", 128],
]);

const inside = listOf([
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["::", 127],
  ["fc00::", 7],
  ["64:ff9b:1::", 48],
]);

/** The IPv4 address inside one that is mapped, compatible, translated or of 6to4. */
const fourWithin = (address: string): string | undefined => {
  const words = wordsOf(address);
  const starts = (...prefix: ReadonlyArray<number>) => prefix.every((word, index) => words[index] === word);
  if (starts(0, 0, 0, 0, 0, 0) || starts(0, 0, 0, 0, 0, 0xffff) || starts(0x64, 0xff9b, 0, 0, 0, 0)) {
    return dotted(words[6] ?? 0, words[7] ?? 0);
  }
  return starts(0x2002) ? dotted(words[1] ?? 0, words[2] ?? 0) : undefined;
};

const dotted = (high: number, low: number): string => [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");

/** A URL writes an IPv6 address in one way only: hexadecimal words, the longest run of zeros left out. */
const wordsOf = (address: string): ReadonlyArray<number> => {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const [left, right] = [numbersOf(head), numbersOf(tail ?? "")];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
};

const numbersOf = (text: string): ReadonlyArray<number> =>
  text === "" ? [] : text.split(":").map((word) => Number.parseInt(word, 16));
