/**
 * Token counts as servers report them: each is read alone, so that one in an odd form costs no other.
 */
import { isObject } from "./shape.ts";

/** What of `usage` has the form, undefined where it is no object. */
export const read = <Usage extends object>(
  usage: unknown,
  isUsage: (value: unknown) => value is Usage,
): Usage | undefined => {
  if (isUsage(usage)) return usage;
  if (!isObject(usage)) return undefined;
  const left = Object.fromEntries(
    Object.entries(usage).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      const fitting = isObject(value) ? fittingOf(value, (detail) => isUsage({ [name]: detail })) : value;
      return isUsage({ [name]: fitting }) ? [[name, fitting]] : [];
    }),
  );
  return isUsage(left) ? left : undefined;
};

const fittingOf = (
  details: Readonly<Record<string, unknown>>,
  fits: (detail: Readonly<Record<string, unknown>>) => boolean,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(details).filter(([name, value]) => fits({ [name]: value })));
