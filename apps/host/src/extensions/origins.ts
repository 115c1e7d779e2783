/**
 * Which pages may connect to the bridge. A browser says where a page is from; other programs say nothing.
 */

/** Whether `origin` may connect: no page at all, one that is named, or where none is named one of this machine. */
export const admits = (origin: string | undefined, named: ReadonlyArray<string>): boolean => {
  if (origin === undefined) return true;
  if (named.length > 0) return named.includes(origin.toLowerCase());
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && ownNames.has(url.hostname) && url.origin === origin;
};

/** An origin as a browser sends it, or undefined where the text is none. `null` is what any hidden page may send, so it is none. */
export const originOf = (stated: string): string | undefined =>
  /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?\/?$/i.test(stated)
    ? stated.toLowerCase().replace(/\/$/, "")
    : undefined;

const ownNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1"]);
