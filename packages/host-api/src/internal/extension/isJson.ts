/** Whether a value is JSON as it is, without anything that its text would lose; deeper than `levels` is none. Never throws. */
export const isJson = (value: unknown, levels = 256): boolean => {
  try {
    return holds(value, levels);
  } catch {
    return false;
  }
};

const holds = (value: unknown, levels: number): boolean => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || levels === 0) return false;
  if (Array.isArray(value)) return Array.from<unknown>(value).every((item) => holds(item, levels - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) return false;
  return (
    typeof Reflect.get(value, "toJSON") !== "function" && Object.values(value).every((item) => holds(item, levels - 1))
  );
};
