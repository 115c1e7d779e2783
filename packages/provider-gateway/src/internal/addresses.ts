/**
 * What kind of network an IP address belongs to, and which of them a model may be called at.
 *
 * Works on text, so that it holds where there is no network library. Names are not addresses: whoever resolves one asks
 * again with what came out.
 */

/** What is called in any case, what only if somebody says so, and what never. */
export type Rule = "public" | "private";

/** Why a host or an address is not called, as a sentence without its end; undefined where it may be called. */
export const refusal = (address: string, rule: Rule, name?: string): string | undefined => {
  const kind = kindOf(address);
  if (kind === undefined || kind === "public") return undefined;
  const isPrivate = kind === "loopback" || kind === "private";
  if (isPrivate && rule === "private") return undefined;
  const what = name === undefined ? `the base URL names a ${kind}` : `the name ${name} leads to a ${kind}`;
  const advice = isPrivate
    ? "write the address itself into the base URL, or mark the connection as one to a private network"
    : "no model is called there; name another server";
  return `${what} address (${plain(address)}): ${advice}`;
};

/** The rule for a host as a URL writes it: one that is itself a private address, or `localhost`, is meant. */
export const ruleOf = (host: string, network: "private" | undefined): Rule => {
  if (network === "private" || host === "localhost") return "private";
  const kind = kindOf(host);
  return kind === "loopback" || kind === "private" ? "private" : "public";
};

/** A name leads to no address that may be called; its message is for the operator. */
export class RefusedAddress extends Error {}

/** `reserved`: of no single machine, or given out to nobody. */
export type Kind = "public" | "loopback" | "private" | "link-local" | "metadata" | "reserved";

/** The kind of an address, with or without the brackets of a URL; undefined for what is none. */
export const kindOf = (host: string): Kind | undefined => {
  const text = plain(host);
  const four = fourOf(text);
  if (four !== undefined) return kindOfFour(four);
  const six = sixOf(text);
  return six === undefined ? undefined : kindOfSix(six);
};

const plain = (host: string): string => host.replace(/^\[|\]$/g, "").replace(/%.*$/, "");

const kindOfFour = ([a, b, c, d]: Four): Kind => {
  if (a === 169 && b === 254) return "link-local";
  if (metadataFours.has(`${a}.${b}.${c}.${d}`)) return "metadata";
  if (a === 127) return "loopback";
  if (a === 0 || a === 10) return "private";
  if (a === 172 && b >= 16 && b <= 31) return "private";
  if (a === 192 && b === 168) return "private";
  // Tests of networks lie among private machines; groups and what is kept for later are no machine.
  if (a === 198 && (b === 18 || b === 19)) return "private";
  if (a >= 224 || (a === 192 && b === 0 && c === 0)) return "reserved";
  return a === 100 && b >= 64 && b <= 127 ? "private" : "public";
};

const kindOfSix = (words: ReadonlyArray<number>): Kind => {
  const [first = 0] = words;
  if (words.every((word, index) => word === (index === 7 ? 1 : 0))) return "loopback";
  if (words.every((word) => word === 0)) return "private";
  const inner = fourWithin(words);
  if (inner !== undefined) return kindOfFour(inner);
  if (isLocallyTranslated(words)) return worstOf(["private", ...localFoursOf(words).map(kindOfFour)]);
  if ((first & 0xffc0) === 0xfe80) return "link-local";
  if ((first & 0xffc0) === 0xfec0) return "private";
  if ((first & 0xff00) === 0xff00) return "reserved";
  if (metadataSixes.has(words.map((word) => word.toString(16)).join(":"))) return "metadata";
  if ((first & 0xfe00) !== 0xfc00) return "public";
  // Clouds hide the address of their metadata at the end of a private one.
  const hidden = kindOfFour(bytesOf(words[6] ?? 0, words[7] ?? 0));
  return hidden === "link-local" || hidden === "metadata" ? hidden : "private";
};

/** Where clouds keep the credentials of their machines: Alibaba, Azure, Oracle. */
const metadataFours: ReadonlySet<string> = new Set(["100.100.100.200", "168.63.129.16", "192.0.0.192"]);

/** The same in IPv6: Amazon, Google, Oracle. */
const metadataSixes: ReadonlySet<string> = new Set([
  "fd00:ec2:0:0:0:0:0:254",
  "fd20:ce:0:0:0:0:0:254",
  "fd00:c1:0:0:0:0:a9fe:a9fe",
]);

/** The translation of a network of its own (64:ff9b:1::/48); no public address is in it. */
const isLocallyTranslated = (words: ReadonlyArray<number>): boolean =>
  words[0] === 0x64 && words[1] === 0xff9b && words[2] === 1;

/** Where an address may stand in it: behind a prefix of 48, 56, 64 or 96 bits, around the byte in the middle. */
const localFoursOf = (words: ReadonlyArray<number>): ReadonlyArray<Four> => {
  const [, , , third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = words;
  return [
    bytesOf(third, ((fourth & 0xff) << 8) | (fifth >> 8)),
    bytesOf(((third & 0xff) << 8) | (fourth & 0xff), fifth),
    bytesOf(((fourth & 0xff) << 8) | (fifth >> 8), ((fifth & 0xff) << 8) | (sixth >> 8)),
    bytesOf(sixth, seventh),
  ];
};

const worstOf = (kinds: ReadonlyArray<Kind>): Kind =>
  (["metadata", "link-local", "reserved", "private"] as const).find((kind) => kinds.includes(kind)) ?? "public";

type Four = readonly [number, number, number, number];

/** An IPv4 address inside an IPv6 one: mapped, compatible (::/96), translated (64:ff9b::/96), or by 6to4 (2002::/16), or that of a client of Teredo (2001::/32), turned round. */
const fourWithin = (words: ReadonlyArray<number>): Four | undefined => {
  const isMapped = words.slice(0, 5).every((word) => word === 0) && (words[5] === 0xffff || words[5] === 0);
  const isTranslated = words[0] === 0x64 && words[1] === 0xff9b && words.slice(2, 6).every((word) => word === 0);
  const isStateless = words.slice(0, 4).every((word) => word === 0) && words[4] === 0xffff && words[5] === 0;
  if (isMapped || isTranslated || isStateless) return bytesOf(words[6] ?? 0, words[7] ?? 0);
  if (words[0] === 0x2001 && words[1] === 0) return bytesOf((words[6] ?? 0) ^ 0xffff, (words[7] ?? 0) ^ 0xffff);
  return words[0] === 0x2002 ? bytesOf(words[1] ?? 0, words[2] ?? 0) : undefined;
};

const bytesOf = (high: number, low: number): Four => [high >> 8, high & 0xff, low >> 8, low & 0xff];

const fourOf = (text: string): Four | undefined => {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const [, a, b, c, d] = match.map(Number);
  return [a ?? 0, b ?? 0, c ?? 0, d ?? 0];
};

const sixOf = (text: string): ReadonlyArray<number> | undefined => {
  if (!text.includes(":") || !/^[\da-f:.]+$/i.test(text)) return undefined;
  const lastColon = text.lastIndexOf(":");
  const tail = fourOf(text.slice(lastColon + 1));
  const head = tail === undefined ? text : text.slice(0, lastColon + 1);
  const ending = tail === undefined ? [] : [tail[0] * 256 + tail[1], tail[2] * 256 + tail[3]];
  const [before = "", after] = (head.endsWith("::") || tail === undefined ? head : head.slice(0, -1)).split("::");
  const left = wordsOf(before);
  const right = [...wordsOf(after ?? ""), ...ending];
  const missing = 8 - left.length - right.length;
  if (after === undefined) return missing === 0 ? [...left, ...right] : undefined;
  return missing < 0 ? undefined : [...left, ...Array.from({ length: missing }, () => 0), ...right];
};

const wordsOf = (text: string): ReadonlyArray<number> =>
  text === "" ? [] : text.split(":").map((word) => Number.parseInt(word, 16));
