/**
 * Response headers as undici gives them, in the form of the transport.
 */

/** Lower-case names, repeated headers joined by a comma. */
export const joined = (
  headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>,
): Record<string, string> => {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
};
