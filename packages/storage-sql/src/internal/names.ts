/**
 * The form of names that become keys.
 */

/** True for one segment of an id. */
export const isSegment = (name: string): boolean => /^[A-Za-z0-9_-]{1,128}$/.test(name);

/** True for one or two segments. */
export const isCollection = (name: string): boolean => {
  const segments = name.split("/");
  return segments.length <= 2 && segments.every(isSegment);
};
