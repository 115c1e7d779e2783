/**
 * Whether the platform lets a run use a model. Asked before a byte is sent.
 */
import * as Result from "effect/Result";
import type { ModelBinding } from "../model/ModelRequest.ts";
import { quote, refuse, type Refusal } from "../workspace/Refusal.ts";
import type { ModelRestriction } from "./Policy.ts";

/** Admits a binding that every list of the restriction allows. Without a restriction every model is admitted. */
export const admitModel = (
  restriction: ModelRestriction | undefined,
  binding: Pick<ModelBinding, "baseUrl" | "format" | "source">,
): Result.Result<void, Refusal<"model.source_denied">> => {
  const { endpoints, formats, sources } = restriction ?? {};
  if (sources !== undefined && !sources.includes(binding.source))
    return denied(`models of ${quote(binding.source)}`, sources);
  if (formats !== undefined && !formats.includes(binding.format))
    return denied(`the format ${quote(binding.format)}`, formats);
  if (endpoints === undefined || binding.format === "scripted") return Result.void;
  return endpoints.some((endpoint) => covers(endpoint, binding.baseUrl ?? ""))
    ? Result.void
    : denied(`the address ${quote(binding.baseUrl ?? "")}`, endpoints);
};

const denied = (what: string, allowed: ReadonlyArray<string>): Result.Result<never, Refusal<"model.source_denied">> =>
  refuse(
    "model.source_denied",
    allowed.length === 0
      ? `The platform's policy does not allow ${what}, nor any other.`
      : `The platform's policy does not allow ${what}. Allowed: ${allowed.join(", ")}.`,
  );

/** A path that climbs, or that servers read as one, lies below nothing. */
const covers = (endpoint: string, baseUrl: string): boolean => {
  if (/\.\.|%2e|[\\\s]/i.test(baseUrl)) return false;
  const allowed = normalize(endpoint);
  const asked = normalize(baseUrl);
  return asked !== "" && (asked === allowed || asked.startsWith(`${allowed}/`));
};

/** Scheme and host without case, no slash at the end. */
const normalize = (url: string): string =>
  url
    .trim()
    .replace(/^[^:/?#]+:\/\/[^/?#]*/, (origin) => origin.toLowerCase())
    .replace(/\/+$/, "");
