/**
 * What kind of network an IP address belongs to.
 *
 * Owns the list, after the special-purpose registries of IANA for IPv4 and IPv6 and where clouds tell their machines what they
 * know, and which addresses another one holds. Works on text, so that it holds where there is no network library. Does not own what
 * may be called where: whoever calls has a rule for that. Names are not addresses: whoever resolves one asks again with what came out.
 */

/**
 * `link-local`: of one link. `metadata`: where a cloud keeps the credentials of its machines. `reserved`: of no single machine, or
 * given out to nobody.
 */
export type NetworkKind = "public" | "loopback" | "private" | "link-local" | "metadata" | "reserved";

/** The kind of an address, with or without the brackets of a URL and the zone of a link; undefined for what is no address. */
export const kindOf = (host: string): NetworkKind | undefined => {
  const words = wordsOf(plain(host));
  return words === undefined ? undefined : worstOf([words, ...heldIn(words)].map(ownKindOf));
};

/** An address as it is written outside of URLs, without the zone of a link. */
export const plain = (host: string): string => host.replace(/^\[|\]$/g, "").replace(/%.*$/, "");

/** Two words of 16 bits for IPv4, eight for IPv6. */
type Words = ReadonlyArray<number>;

/** Of two networks that an address is in the smaller one counts. What only holds an address of IPv4 is `public`: that one is looked at, too. */
const networks: ReadonlyArray<readonly [address: string, bits: number, kind: NetworkKind]> = [
  ["0.0.0.0", 0, "public"],
  ["0.0.0.0", 8, "private"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "private"],
  ["100.100.100.200", 32, "metadata"],
  ["127.0.0.0", 8, "loopback"],
  ["168.63.129.16", 32, "metadata"],
  ["169.254.0.0", 16, "link-local"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "reserved"],
  ["192.0.0.192", 32, "metadata"],
  ["192.0.2.0", 24, "reserved"],
  ["192.88.99.0", 24, "reserved"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "private"],
  ["198.51.100.0", 24, "reserved"],
  ["203.0.113.0", 24, "reserved"],
  ["224.0.0.0", 4, "reserved"],
  ["240.0.0.0", 4, "reserved"],
  // Outside of 2000::/3 nothing is given out but what stands here.
  ["::", 0, "reserved"],
  ["::", 128, "private"],
  ["::1", 128, "loopback"],
  ["::ffff:0:0", 96, "public"],
  ["::ffff:0:0:0", 96, "public"],
  ["64:ff9b::", 96, "public"],
  ["64:ff9b:1::", 48, "private"],
  ["2000::", 3, "public"],
  ["2001::", 23, "reserved"],
  ["2001::", 32, "public"],
  ["2001:2::", 48, "private"],
  ["2001:db8::", 32, "reserved"],
  ["3fff::", 20, "reserved"],
  ["fc00::", 7, "private"],
  ["fd00:c1::a9fe:a9fe", 128, "metadata"],
  ["fd00:ec2::254", 128, "metadata"],
  ["fd20:ce::254", 128, "metadata"],
  ["fe80::", 10, "link-local"],
  ["fec0::", 10, "private"],
];

const worstFirst = ["metadata", "link-local", "reserved", "loopback", "private"] as const;

const worstOf = (kinds: ReadonlyArray<NetworkKind>): NetworkKind =>
  worstFirst.find((kind) => kinds.includes(kind)) ?? "public";

const ownKindOf = (words: Words): NetworkKind =>
  smallestFirst.find((network) => isWithin(words, network.words, network.bits))?.kind ?? "reserved";

const isWithin = (words: Words, prefix: Words, bits: number): boolean =>
  words.length === prefix.length &&
  words.every((word, index) => {
    const shift = Math.min(16, Math.max(0, 16 * (index + 1) - bits));
    return word >> shift === (prefix[index] ?? 0) >> shift;
  });

/** The addresses of IPv4 that one of IPv6 holds by its form, or may hold: something on the way leads there. */
const heldIn = (words: Words): ReadonlyArray<Words> => {
  if (words.length !== 8) return [];
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0, eighth = 0] = words;
  const last = [seventh, eighth];
  const starts = (...prefix: Words) => prefix.every((word, index) => words[index] === word);
  // Mapped, compatible, and translated in one way or the other.
  if (starts(0, 0, 0, 0, 0, 0)) return first + seventh + eighth <= 1 ? [] : [last];
  if (starts(0, 0, 0, 0, 0, 0xffff) || starts(0, 0, 0, 0, 0xffff, 0) || starts(0x64, 0xff9b, 0, 0, 0, 0)) return [last];
  // ISATAP, 6to4.
  if ((fifth & 0xfdff) === 0 && sixth === 0x5efe) return [last];
  if (first === 0x2002) return [[second, third]];
  // Teredo: its server, and its client with each bit turned round.
  if (starts(0x2001, 0)) return [[third, fourth], last.map((word) => word ^ 0xffff)];
  // Clouds hide the address of their metadata at the end of a private one; that it ends like one of another network means nothing.
  if ((first & 0xfe00) === 0xfc00) return isOfCredentials(ownKindOf(last)) ? [last] : [];
  // The translation of a site: behind 48, 56, 64 or 96 bits, around the byte in the middle that none may use.
  return starts(0x64, 0xff9b, 1)
    ? [
        last,
        [fourth, joined(fifth, sixth)],
        [joined(fourth, fifth << 8), sixth],
        [joined(fifth, sixth), joined(sixth, seventh)],
      ].filter((four) => isOfCredentials(ownKindOf(four)))
    : [];
};

const isOfCredentials = (kind: NetworkKind): boolean => kind === "link-local" || kind === "metadata";

/** The last byte of one word and the first of the next. */
const joined = (one: number, next: number): number => ((one & 0xff) << 8) | ((next >> 8) & 0xff);

const wordsOf = (text: string): Words | undefined => {
  const four = fourOf(text);
  if (four !== undefined) return four;
  const [, head = text, end] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  const ending = end === undefined ? [] : fourOf(end);
  if (ending === undefined || !text.includes(":")) return undefined;
  const [before = "", after, ...more] = (ending.length > 0 && !head.endsWith("::") ? head.slice(0, -1) : head).split(
    "::",
  );
  const left = groupsOf(before);
  const right = groupsOf(after ?? "");
  if (left === undefined || right === undefined || more.length > 0) return undefined;
  const missing = 8 - left.length - right.length - ending.length;
  if (after === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...left, ...Array.from({ length: missing }, () => 0), ...right, ...ending];
};

const fourOf = (text: string): Words | undefined => {
  const bytes = text.split(".").map((part) => (/^(0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256));
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
  if (bytes.length !== 4 || bytes.some((byte) => byte > 255)) return undefined;
  return [(first << 8) | second, (third << 8) | fourth];
};

const groupsOf = (text: string): Words | undefined => {
  if (text === "") return [];
  const groups = text.split(":");
  return groups.every((group) => /^[\da-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined;
};

const smallestFirst = networks
  .toSorted(([, one], [, other]) => other - one)
  .map(([address, bits, kind]) => ({ words: wordsOf(address) ?? [], bits, kind }));
