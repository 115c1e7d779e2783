/**
 * Which IP addresses a server may have.
 *
 * Owns the rule: those of the internet in any case; loopback and private ones if the endpoint says so; those of one link, of
 * metadata services, of groups and of no machine never. Names are not addresses: what one resolves to is asked about again.
 */
import { BlockList, isIP } from "node:net";

export type Network = "public" | "private";

/** Why an address is not connected to, as a sentence without its end; undefined where it may be, and for a name. */
export const refusal = (host: string, network: Network): string | undefined => {
  const address = host.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  const family = isIP(address);
  if (family === 0) return undefined;
  const words = family === 6 ? wordsOf(address) : [];
  const reaches = [address, ...heldIn(words)].map(reachOf);
  const isNever = reaches.some((reach) => reach === "link" || reach === "nothing");
  if (isNever || perhapsIn(words).some((four) => reachOf(four) === "link"))
    return `${address} is an address that no server is reached at`;
  if (network === "private" || !reaches.includes("private")) return undefined;
  return `${address} is a loopback or private address: state "network": "private" for this server if it is meant`;
};

/** `link`: one link, or the metadata of a cloud, where credentials are; `nothing`: no single machine. */
type Reach = "public" | "private" | "link" | "nothing";

/**
 * The special-purpose registries of IANA for IPv4 and IPv6, groups, and where clouds tell their machines what they know. Of
 * two networks the smaller one counts. What only holds an address of IPv4 is `public`: that address is looked at, too.
 */
const networks: ReadonlyArray<readonly [address: string, bits: number, reach: Reach]> = [
  ["0.0.0.0", 0, "public"],
  ["0.0.0.0", 8, "private"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "private"],
  ["100.100.100.200", 32, "link"],
  ["127.0.0.0", 8, "private"],
  ["168.63.129.16", 32, "link"],
  ["169.254.0.0", 16, "link"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "nothing"],
  ["192.0.0.192", 32, "link"],
  ["192.0.2.0", 24, "nothing"],
  ["192.88.99.0", 24, "nothing"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "private"],
  ["198.51.100.0", 24, "nothing"],
  ["203.0.113.0", 24, "nothing"],
  ["224.0.0.0", 4, "nothing"],
  ["240.0.0.0", 4, "nothing"],
  // Outside of 2000::/3 nothing is given out but what stands here.
  ["::", 0, "nothing"],
  ["::", 127, "private"],
  ["::ffff:0:0", 96, "public"],
  ["::ffff:0:0:0", 96, "public"],
  ["64:ff9b::", 96, "public"],
  ["64:ff9b:1::", 48, "private"],
  ["2000::", 3, "public"],
  ["2001::", 23, "nothing"],
  ["2001::", 32, "public"],
  ["2001:2::", 48, "private"],
  ["2001:db8::", 32, "nothing"],
  ["3fff::", 20, "nothing"],
  ["fc00::", 7, "private"],
  ["fd00:c1::a9fe:a9fe", 128, "link"],
  ["fd00:ec2::254", 128, "link"],
  ["fd20:ce::254", 128, "link"],
  ["fe80::", 10, "link"],
  ["fec0::", 10, "private"],
];

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

const smallestFirst = networks
  .toSorted(([, one], [, other]) => other - one)
  .map(([address, bits, reach]) => {
    const list = new BlockList();
    const family = familyOf(address);
    list.addSubnet(address, bits, family);
    return { list, family, reach };
  });

const reachOf = (address: string): Reach => {
  const family = familyOf(address);
  return (
    smallestFirst.find((network) => network.family === family && network.list.check(address, family))?.reach ??
    "nothing"
  );
};

/** The addresses of IPv4 that one of IPv6 holds by its form, so that something on the way leads there. */
const heldIn = (words: ReadonlyArray<number>): ReadonlyArray<string> => {
  const [first = 0, second = 0, third = 0, , fourth = 0, fifth = 0, sixth = 0, seventh = 0] = words;
  const starts = (...prefix: ReadonlyArray<number>) => prefix.every((word, index) => words[index] === word);
  const isOfIsatap = (fourth & 0xfdff) === 0 && fifth === 0x5efe;
  const isTranslated = starts(0, 0, 0, 0, 0xffff, 0) || starts(0x64, 0xff9b, 0, 0, 0, 0);
  if (starts(0, 0, 0, 0, 0, 0xffff) || isTranslated || isOfIsatap) return [dotted(sixth, seventh)];
  if (first === 0x2002) return [dotted(second, third)];
  // Teredo: its server, and its client with each bit turned round.
  return starts(0x2001, 0) ? [dotted(third, words[3] ?? 0), dotted(sixth ^ 0xffff, seventh ^ 0xffff)] : [];
};

/**
 * Where a private address may hold one of IPv4: at its end; in the translation of a site (64:ff9b:1::/48) also behind 48, 56
 * or 64 bits, around the byte in the middle that none may use.
 */
const perhapsIn = (words: ReadonlyArray<number>): ReadonlyArray<string> => {
  const [first = 0, second = 0, third = 0, site = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = words;
  const last = dotted(sixth, seventh);
  if ((first & 0xfe00) === 0xfc00) return [last];
  if (first !== 0x64 || second !== 0xff9b || third !== 1) return [];
  return [
    last,
    dotted(site, joined(fourth, fifth)),
    dotted(joined(site, fourth << 8), fifth),
    dotted(joined(fourth, fifth), joined(fifth, sixth)),
  ];
};

/** The last byte of one word and the first of the next. */
const joined = (one: number, next: number): number => ((one & 0xff) << 8) | ((next >> 8) & 0xff);

const dotted = (high: number, low: number): string => [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");

/** A URL writes an IPv6 address in one way only: hexadecimal words, the longest run of zeros left out. */
const wordsOf = (address: string): ReadonlyArray<number> => {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const [left, right] = [numbersOf(head), numbersOf(tail ?? "")];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
};

const numbersOf = (text: string): ReadonlyArray<number> =>
  text === "" ? [] : text.split(":").map((word) => Number.parseInt(word, 16));
