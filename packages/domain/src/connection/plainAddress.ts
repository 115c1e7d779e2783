/**
 * Which addresses a connection may have: they are stored with it and with runs, so nothing secret may stand in them, and
 * a secret is sent to them.
 */

/** An http or https address without a user, a password, a fragment, or a query that looks like a key. */
export const isPlainAddress = (address: string): boolean => {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return false;
  if (url.hash !== "") return false;
  return ![...url.searchParams.keys()].some((name) => /key|token|secret|password|auth|sig/i.test(name));
};

/**
 * Whether a plain address says by itself that it leads to the machine's own link or to the metadata service of a cloud,
 * which hands out credentials. What a name resolves to is known only to whoever connects.
 */
export const isLinkLocal = (address: string): boolean => {
  // The parser writes every form of an IP address in one way.
  const host = URL.parse(address)?.hostname.replace(/\.$/, "") ?? "";
  return linkLocal.some((pattern) => pattern.test(host));
};

const linkLocal: ReadonlyArray<RegExp> = [
  /^169\.254\./,
  /^100\.100\.100\.200$/,
  /^\[fe[89ab][0-9a-f]:/,
  /^\[(?:fd00:ec2::254|fd20:ce::254|fd00:c1::a9fe:a9fe)\]$/,
  // The same IPv4 addresses mapped, compatible, translated and of 6to4.
  /^\[(?:::ffff:|::|64:ff9b::)(?:a9fe:[0-9a-f]+|6464:64c8)\]$/,
  /^\[2002:(?:a9fe:[0-9a-f]+|6464:64c8):/,
  /^metadata(?:\.goog(?:le\.internal)?)?$/,
];
