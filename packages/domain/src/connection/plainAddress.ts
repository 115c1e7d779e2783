/**
 * Whether an address can be kept and shown: it is stored with connections and runs, so nothing secret may stand in it.
 */

/** An http or https address without a user, a password, a fragment, or a query that looks like a key. */
export const isPlainAddress = (address: string): boolean => {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return false;
  if (url.hash !== "") return false;
  return ![...url.searchParams.keys()].some((name) => /key|token|secret|password|auth|sig/i.test(name));
};
