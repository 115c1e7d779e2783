/**
 * Reading fields of files that people and many programs have written: a field of the wrong kind counts as absent.
 */
import { isArray, isObject, type JsonObject } from "../chat/internal/json.ts";

export const text = (from: JsonObject, key: string, otherwise = ""): string => {
  const value = own(from, key);
  return typeof value === "string" ? value : otherwise;
};

/** A finite number, also one that is written as text. */
export const number = (from: JsonObject, key: string, otherwise: number): number =>
  numberOrNull(from, key) ?? otherwise;

export const numberOrNull = (from: JsonObject, key: string): number | null => {
  const value = own(from, key);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || value.trim() === "") return null;
  const read = Number(value);
  return Number.isFinite(read) ? read : null;
};

export const flag = (from: JsonObject, key: string, otherwise = false): boolean => flagOrNull(from, key) ?? otherwise;

export const flagOrNull = (from: JsonObject, key: string): boolean | null => {
  const value = own(from, key);
  return typeof value === "boolean" ? value : null;
};

export const texts = (from: JsonObject, key: string): ReadonlyArray<string> => {
  const value = own(from, key);
  return isArray(value) ? value.filter((item) => typeof item === "string") : [];
};

export const object = (from: JsonObject, key: string): JsonObject => {
  const value = own(from, key);
  return isObject(value) ? value : {};
};

export const objects = (from: JsonObject, key: string): ReadonlyArray<JsonObject> => {
  const value = own(from, key);
  return isArray(value) ? value.filter(isObject) : [];
};

/** A role as SillyTavern numbers it (0 system, 1 user, 2 assistant) or names it. */
export const role = (from: JsonObject, key: string): "system" | "user" | "assistant" => {
  const value = own(from, key);
  if (value === 1 || value === "1" || value === "user") return "user";
  return value === 2 || value === "2" || value === "assistant" ? "assistant" : "system";
};

/** Names of fields come from files too, and every object answers to some that it does not have. */
const own = (from: JsonObject, key: string): unknown => (Object.hasOwn(from, key) ? from[key] : undefined);
